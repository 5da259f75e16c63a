import { splitCron } from './cron-fields.ts';
import { type Reading, type ReadOptions, readSchedule } from './read-schedule.ts';
import { Refused } from './refusal.ts';
import { readZone } from './zones.ts';

/** A line of a crontab: a job to make, or why not. */
export type CrontabLine =
  | {
      readonly kind: 'job';
      readonly line: number;
      readonly when: string;
      readonly tz: string | undefined;
      readonly command: string;
      /** What a reader should know. */
      readonly warning?: string;
    }
  | { readonly kind: 'refused'; readonly line: number; readonly why: string };

const NICKNAME = /^(@\w+)\s+(.+)$/;
const FIELDS = /^(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.+)$/;
const VARIABLE = /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;
const USERS = new Set('root daemon bin sys nobody www-data postgres ubuntu debian admin pi ec2-user'.split(' '));
/** Users that are programs, too: one is meant where a program's path follows. */
const USER = /^(?:git|mail|mysql) \//;

/** Reads a crontab, line by line; zones of `CRON_TZ=` and `TZ=` hold for the lines below. Pure. */
export function readCrontab(text: string, options: ReadOptions): readonly CrontabLine[] {
  const found: CrontabLine[] = [];
  let tz: string | undefined;
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const line = i + 1;
    const body = raw.trim();
    if (body === '' || body.startsWith('#')) continue;
    const variable = VARIABLE.exec(body);
    if (!variable) found.push(readLine(body, line, tz, options));
    else {
      const zone = zoneOf(variable[1] as string, variable[2] as string);
      if (typeof zone === 'string') tz = zone;
      else found.push({ kind: 'refused', line, why: zone.why });
    }
  }
  return found;
}

function zoneOf(name: string, value: string): string | { readonly why: string } {
  if (name !== 'CRON_TZ' && name !== 'TZ') return { why: `${name} is not applied: jobs have no such variables.` };
  try {
    return readZone(value.replace(/^(["'])(.*)\1$/, '$2'));
  } catch (error) {
    if (error instanceof Refused) return { why: `${name}=${value} is no zone. ${error.refusal.hint}` };
    throw error;
  }
}

function readLine(body: string, line: number, tz: string | undefined, options: ReadOptions): CrontabLine {
  const refused = (why: string): CrontabLine => ({ kind: 'refused', line, why });
  const [, when = '', command = ''] = (body.startsWith('@') ? NICKNAME : FIELDS).exec(body) ?? [];
  if (when === '') return refused('A line has five fields or a nickname, then a command.');
  const read = readSchedule(when, { ...options, ...(tz === undefined ? {} : { zone: tz }) });
  if (!read.ok) return refused(read.refusal.hint);
  if (USERS.has(command.split(/\s/)[0] as string) || USER.test(command))
    return refused('It has a column for the user; a job runs as hermod does. Take the name out.');
  if (/(?<!\\)%/.test(command)) return refused('% ends the command there; write \\% or take the input out.');
  const warning = starredDays(read);
  const job = {
    kind: 'job',
    line,
    when: when.replace(/\s+/g, ' '),
    tz,
    command: command.replaceAll('\\%', '%'),
  } as const;
  return warning === undefined ? job : { ...job, warning };
}

/** Vixie cron reads a starred step beside a weekday as and; here it is or. */
function starredDays(read: Extract<Reading, { ok: true }>): string | undefined {
  if (read.schedule.kind !== 'cron') return undefined;
  const { day, weekday } = splitCron(read.schedule.expr);
  const starred = day.startsWith('*/') || weekday.startsWith('*/');
  const both = day !== '*' && day !== '?' && weekday !== '*' && weekday !== '?';
  return starred && both
    ? 'cron runs it where both days fit, a job where one of them does; put + before the weekday for both.'
    : undefined;
}

/** What a job made of a command is asked. */
export function commandPrompt(command: string): string {
  return `Run this command and report its output:\n\`\`\`\n${command}\n\`\`\``;
}
