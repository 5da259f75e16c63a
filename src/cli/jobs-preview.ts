import { createInterface } from 'node:readline';
import { z } from 'zod';
import { systemClock } from '../context/system-clock.ts';
import type { Host } from '../host.ts';
import { type Reading, type ReadOptions, readSchedule } from '../schedule/read-schedule.ts';
import { refusalText } from '../schedule/refusal.ts';
import { instantText } from '../schedule/time-words.ts';
import { readArguments } from './arguments.ts';

const SHOWN = 10;
const USAGE =
  'Usage: hermod jobs preview PHRASE [--tz ZONE] [--now ISO] [--json], or --stdin with a JSON object a line.';

/** When a phrase would run: 0 and its next runs, or 1 and why it is none. Reads and writes nothing else. */
export async function jobsPreview(host: Host, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { flags: ['json', 'stdin'], options: ['tz', 'now'] });
  if (typeof given === 'string') return usage(host, given);
  const { words, flags, options } = given;
  if (flags.has('stdin')) return previewLines(host);
  const now = options['now'] === undefined ? systemClock.now() : Date.parse(options['now']);
  if (Number.isNaN(now)) return usage(host, '--now is a date such as 2026-11-30T12:00:00Z.');
  if (words.length === 0) return usage(host, 'Which phrase?');
  return tellRuns(host, words.join(' '), flags.has('json'), { now, zone: options['tz'] });
}

/** Says when a phrase would run, or why it is none. */
export function tellRuns(host: Host, text: string, json: boolean, options: ReadOptions): number {
  const reading = readSchedule(text, options);
  host.out.write(json ? `${JSON.stringify(asJson(reading))}\n` : asText(text, reading));
  return reading.ok ? 0 : 1;
}

const line = z.object({ text: z.string(), tz: z.string().optional(), now: z.string().optional() });

/** One question a line, one answer a line, in order. */
async function previewLines(host: Host): Promise<number> {
  for await (const row of createInterface({ input: host.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (row.trim() !== '') host.out.write(`${JSON.stringify(answerTo(row))}\n`);
  }
  return 0;
}

function answerTo(row: string): object {
  const asked = line.safeParse(parsed(row));
  const now = asked.data?.now === undefined ? systemClock.now() : Date.parse(asked.data.now);
  if (!asked.success || Number.isNaN(now))
    return { error: 'input', hint: 'A line is {"text": ..., "tz": ..., "now": ISO}.' };
  return asJson(readSchedule(asked.data.text, { now, zone: asked.data.tz }));
}

function parsed(row: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    return undefined;
  }
}

function asJson(reading: Reading): object {
  if (!reading.ok) return { error: reading.refusal.code, hint: reading.refusal.hint };
  const { schedule, next } = reading;
  const { kind, tz } = schedule;
  const facts =
    schedule.kind === 'cron'
      ? { expr: schedule.expr }
      : schedule.kind === 'every'
        ? { period: schedule.period, anchor: iso(schedule.anchorAt) }
        : {};
  return { next: next.slice(0, SHOWN).map(iso), kind, ...facts, tz };
}

function asText(text: string, reading: Reading): string {
  if (!reading.ok) return `${refusalText(text, reading.refusal)}\n`;
  const { tz } = reading.schedule;
  return `${tz}\n${reading.next.map((at) => `  ${instantText(tz, at)}\n`).join('')}`;
}

/** Milliseconds only where there are any. */
function iso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

function usage(host: Host, problem: string): number {
  host.err.write(`${problem}\n${USAGE}\n`);
  return 64;
}
