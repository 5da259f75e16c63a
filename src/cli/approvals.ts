import { readApprove } from '../approvals/answer-command.ts';
import type { ApprovalView } from '../approvals/approval-view.ts';
import { systemClock } from '../context/system-clock.ts';
import type { Host } from '../host.ts';
import type { Choice } from '../store/approvals.ts';
import { approvalCard, approvalLine } from './approval-lines.ts';
import { approvalSource } from './approval-source.ts';
import { readArguments } from './arguments.ts';
import { DaemonRefusal, findDaemon } from './daemon-client.ts';
import { exitOf, oneOf } from './one-of.ts';
import { byPeople } from './people-only.ts';

const USAGE =
  "hermod approvals takes list [--all], show ID, approve ID [once|30m|2h|session|always], deny ID [REASON], test 'COMMAND'; list and show also --json.";

/** `hermod approvals ...`: what waits for a person, and the operator's own answers. */
export async function approvals(host: Host, args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args;
  switch (verb) {
    case 'list':
      return list(host, rest);
    case 'show':
      return show(host, rest);
    case 'approve':
    case 'deny':
      return byPeople(host, () => answer(host, verb, rest));
    case 'test':
      return (await import('./explain-command.ts')).explainCommand(host, rest);
    default:
      return usage(host);
  }
}

function usage(host: Host): number {
  host.err.write(`${USAGE}\n`);
  return 64;
}

async function list(host: Host, args: readonly string[]): Promise<number> {
  const read = readArguments(args, { flags: ['all', 'json'] });
  if (typeof read === 'string' || read.words.length > 0) return usage(host);
  const rows = await (await approvalSource(host)).approvals(read.flags.has('all'));
  if (read.flags.has('json')) host.out.write(`${JSON.stringify({ v: 1, approvals: rows })}\n`);
  else for (const row of rows) host.out.write(`${approvalLine(row, systemClock.now())}\n`);
  if (rows.length === 0) host.err.write('Nothing waits for an answer: what is asked will stand here.\n');
  return 0;
}

async function show(host: Host, args: readonly string[]): Promise<number> {
  const read = readArguments(args, { flags: ['json'] });
  if (typeof read === 'string' || read.words.length !== 1) return usage(host);
  const found = oneOf(host, 'request', read.words[0] as string, await known(host));
  if (typeof found === 'number') return found;
  if (read.flags.has('json')) host.out.write(`${JSON.stringify({ v: 1, approval: found })}\n`);
  else for (const line of approvalCard(found, systemClock.now())) host.out.write(`${line}\n`);
  return 0;
}

async function answer(host: Host, verb: 'approve' | 'deny', args: readonly string[]): Promise<number> {
  const [id, ...words] = args;
  if (id === undefined) return usage(host);
  const daemon = await findDaemon(host);
  if (!daemon) {
    host.err.write('hermod is not running; start it to answer requests.\n');
    return 1;
  }
  const found = oneOf(host, 'request', id, await known(host));
  if (typeof found === 'number') return found;
  const body = verb === 'deny' ? denial(words) : yes(words, found);
  if (typeof body === 'string') {
    host.err.write(`${body.replace('/approve', 'hermod approvals approve')}\n`);
    return 64;
  }
  try {
    const reply = (await daemon.post(`api/v1/approvals/${found.id}/decision`, body)) as { readonly text: string };
    host.out.write(`${reply.text}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DaemonRefusal)) throw error;
    host.err.write(`${error.message}\n`);
    return exitOf(error);
  }
}

interface Answered {
  readonly choice: Choice;
  readonly minutes?: number;
  readonly reason?: string;
  readonly expected: 'pending';
}

function denial(words: readonly string[]): Answered {
  const reason = words.join(' ').trim().slice(0, 500);
  return { choice: 'deny', expected: 'pending', ...(reason === '' ? {} : { reason }) };
}

function yes(words: readonly string[], { kind }: ApprovalView): Answered | string {
  const read = readApprove(words.join(' '), () => false);
  if (typeof read === 'string') return read;
  if (read.target !== undefined) return `I do not understand "${read.target}". ${USAGE}`;
  // The yes to an offer is its one choice.
  const choice = kind === 'offer' && read.choice === 'once' ? 'job' : read.choice;
  return { choice, expected: 'pending', ...(read.minutes === undefined ? {} : { minutes: read.minutes }) };
}

/** What waits first: a code is unique among that only. */
async function known(host: Host): Promise<readonly ApprovalView[]> {
  const source = await approvalSource(host);
  const waiting = await source.approvals(false);
  const over = (await source.approvals(true)).filter(({ state }) => state !== 'pending');
  return [...waiting, ...over];
}
