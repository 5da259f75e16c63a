import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Host } from '../host.ts';
import { startedByAgent } from '../process/ancestry.ts';
import { readRunFile } from '../process/single-instance.ts';
import { readArguments } from './arguments.ts';
import { findDaemon } from './daemon-client.ts';
import { jobsHome } from './jobs-file.ts';

export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

const NOT_RUNNING = 'hermod is not running; start it to change jobs.\n';
export const BY_AGENT = 6;
const OPTIONS = [
  'tz',
  'name',
  'deliver',
  'repeat',
  'tools',
  'context-from',
  'misfire',
  'approval-mode',
  'model',
  'workdir',
  'script',
  'after',
  'when',
  'prompt',
  'rev',
];

/** `hermod jobs pause|resume|run|cancel|remove|undo|zone ...` */
export async function sayToJobs(host: Host, verb: string, args: readonly string[]): Promise<number> {
  const json = args.includes('--json');
  const words = args.filter((arg) => arg !== '--json');
  return told(host, await ask(host, { args: [verb, ...words].join(' ') }), json);
}

/** `hermod jobs add WHEN PROMPT [--tz ZONE] [--name NAME] ...`, or `--after JOB PROMPT`. */
export async function addJob(host: Host, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { flags: ['json', 'agent', 'no-agent', 'continuity'], options: OPTIONS });
  if (typeof given === 'string') return usage(host, given);
  const follows = given.options['after'] !== undefined;
  const [when, ...prompt] = follows ? [undefined, ...given.words] : given.words;
  if (when === undefined && !follows)
    return usage(host, 'Usage: hermod jobs add WHEN PROMPT [--tz ZONE] [--name NAME] [--repeat N] ...');
  const order = {
    ...(when === undefined ? {} : { when }),
    ...(prompt.length > 0 ? { prompt: prompt.join(' ') } : {}),
    ...orderOf(given.options, given.flags),
  };
  return told(host, await ask(host, { add: order }), given.flags.has('json'));
}

/** `hermod jobs edit JOB [--when WHEN] [--prompt PROMPT] ...` */
export async function editJob(host: Host, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { flags: ['json', 'agent', 'no-agent', 'continuity'], options: OPTIONS });
  if (typeof given === 'string') return usage(host, given);
  const [job, ...more] = given.words;
  if (job === undefined || more.length > 0)
    return usage(host, 'Usage: hermod jobs edit JOB [--when WHEN] [--prompt PROMPT] ...');
  const { rev, ...options } = given.options;
  const edit = orderOf(options, given.flags);
  const body = { edit, job, ...(rev === undefined ? {} : { rev: Number(rev) }) };
  return told(host, await ask(host, body), given.flags.has('json'));
}

/** `hermod jobs import FILE|LINE` */
export async function importJobs(host: Host, args: readonly string[]): Promise<number> {
  const [first, ...more] = args.filter((arg) => arg !== '--json');
  if (first === undefined) return usage(host, 'Usage: hermod jobs import FILE, or one crontab line.');
  const text =
    more.length === 0 && !/\s/.test(first)
      ? readFileSync(resolve(host.cwd, first), 'utf8')
      : [first, ...more].join(' ');
  return told(host, await ask(host, { args: `import ${text}` }), args.includes('--json'));
}

/** Whether the agent started this command; it is told then. */
export function isAgents(host: Host): boolean {
  const pid = readRunFile(jobsHome(host))?.pid;
  const itself = startedByAgent(host.env, host.pid, pid === undefined ? [] : [pid]);
  if (itself) host.err.write('Started by the agent; people decide this.\n');
  return itself;
}

/** The daemon's answer, or an exit code where it was not asked. */
export async function ask(host: Host, body: object): Promise<Answer | number> {
  if (isAgents(host)) return BY_AGENT;
  const daemon = await findDaemon(host);
  if (daemon) return (await daemon.post('api/v1/jobs', body)) as Answer;
  host.err.write(NOT_RUNNING);
  return 1;
}

export function told(host: Host, answer: Answer | number, json: boolean): number {
  if (typeof answer === 'number') return answer;
  const text = json ? JSON.stringify({ v: 1, ...answer }) : answer.text;
  (answer.ok || json ? host.out : host.err).write(`${text}\n`);
  return answer.ok ? 0 : 1;
}

function orderOf(options: Readonly<Record<string, string>>, flags: ReadonlySet<string>): object {
  const { deliver, repeat, tools, ['context-from']: contextFrom, ['approval-mode']: approvalMode, ...rest } = options;
  const list = (text: string) => text.split(',').map((word) => word.trim());
  return {
    ...rest,
    ...(deliver === undefined ? {} : { deliver: list(deliver) }),
    ...(repeat === undefined ? {} : { repeat: /^\d+$/.test(repeat) ? Number(repeat) : repeat }),
    ...(tools === undefined ? {} : { tools: list(tools) }),
    ...(contextFrom === undefined ? {} : { context_from: list(contextFrom) }),
    ...(approvalMode === undefined ? {} : { approval_mode: approvalMode }),
    ...(flags.has('agent') ? { agent: true } : {}),
    ...(flags.has('no-agent') ? { agent: false } : {}),
    ...(flags.has('continuity') ? { continuity: true } : {}),
  };
}

function usage(host: Host, problem: string): number {
  host.err.write(`${problem}\n`);
  return 64;
}
