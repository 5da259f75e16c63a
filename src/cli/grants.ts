import type { GrantView } from '../approvals/approval-view.ts';
import { systemClock } from '../context/system-clock.ts';
import type { Host } from '../host.ts';
import { grantLine } from './approval-lines.ts';
import { approvalSource } from './approval-source.ts';
import { readArguments } from './arguments.ts';
import { DaemonRefusal, findDaemon } from './daemon-client.ts';
import { exitOf, oneOf } from './one-of.ts';
import { byPeople } from './people-only.ts';

const USAGE = 'hermod grants takes list [--json], revoke ID, set ID --jobs on|off.';

/** `hermod grants ...`: what was allowed beyond one call. */
export async function grants(host: Host, args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args;
  const read = readArguments(rest, { flags: ['json'], options: ['jobs'] });
  if (typeof read === 'string') return usage(host);
  const { words, options, flags } = read;
  const [id] = words;
  if (verb === 'list' && id === undefined) return list(host, flags.has('json'));
  if (verb === 'revoke' && id !== undefined) return byPeople(host, () => change(host, id, 'revoke', {}, 'Revoked'));
  const { jobs } = options;
  if (verb !== 'set' || id === undefined || (jobs !== 'on' && jobs !== 'off')) return usage(host);
  const done = jobs === 'on' ? 'Jobs may use' : 'Jobs may no longer use';
  return byPeople(host, () => change(host, id, 'jobs', { on: jobs === 'on' }, done));
}

function usage(host: Host): number {
  host.err.write(`${USAGE}\n`);
  return 64;
}

async function list(host: Host, json: boolean): Promise<number> {
  const rows = await (await approvalSource(host)).grants();
  if (json) host.out.write(`${JSON.stringify({ v: 1, grants: rows })}\n`);
  else for (const row of rows) host.out.write(`${grantLine(row, systemClock.now())}\n`);
  if (rows.length === 0)
    host.err.write('Nothing is allowed in advance: 1 h, Session and Always on a card put it here.\n');
  return 0;
}

async function change(host: Host, id: string, verb: 'revoke' | 'jobs', body: object, done: string): Promise<number> {
  const daemon = await findDaemon(host);
  if (!daemon) {
    host.err.write('hermod is not running; start it to change grants.\n');
    return 1;
  }
  const found = oneOf(host, 'grant', id, await (await approvalSource(host)).grants());
  if (typeof found === 'number') return found;
  try {
    const { grant } = (await daemon.post(`api/v1/grants/${found.id}/${verb}`, body)) as { readonly grant: GrantView };
    host.out.write(`${done} ${grant.command ?? grant.rule}.\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DaemonRefusal)) throw error;
    host.err.write(`${error.message}\n`);
    return exitOf(error);
  }
}
