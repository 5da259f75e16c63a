import { systemClock } from '../context/system-clock.ts';
import { age } from '../gateway/words.ts';
import type { Host } from '../host.ts';
import { readArguments } from './arguments.ts';
import { type DaemonClient, DaemonRefusal, findDaemon } from './daemon-client.ts';
import { byPeople } from './people-only.ts';

const USAGE = 'hermod pair takes list [--json], approve CODE, revoke PLATFORM:ID.';

interface People {
  readonly people: readonly { readonly person: string; readonly name: string; readonly role: string }[];
  readonly pending: readonly { readonly person: string; readonly name: string; readonly expiresAt: number }[];
}

/** `hermod pair ...`: who may talk to hermod because of a code, and who waits for that. */
export async function pair(host: Host, args: readonly string[]): Promise<number> {
  const [verb = 'list', ...rest] = args;
  const read = readArguments(rest, { flags: ['json'] });
  if (typeof read === 'string') return usage(host);
  const word = read.words.join('');
  if (verb === 'list' && word === '') return withDaemon(host, (daemon) => list(host, daemon, read.flags.has('json')));
  if ((verb !== 'approve' && verb !== 'revoke') || word === '') return usage(host);
  const body = verb === 'approve' ? { code: word } : { person: word };
  return byPeople(host, () => withDaemon(host, (daemon) => change(host, daemon, verb, body)));
}

function usage(host: Host): number {
  host.err.write(`${USAGE}\n`);
  return 64;
}

async function list(host: Host, daemon: DaemonClient, json: boolean): Promise<number> {
  const found = (await daemon.get('api/v1/pairings')) as People;
  if (json) host.out.write(`${JSON.stringify({ v: 1, ...found })}\n`);
  else {
    for (const { person, name, role } of found.people) host.out.write(`${person}  ${role}  ${name}\n`);
    for (const { person, name, expiresAt } of found.pending)
      host.out.write(`${person}  waits for a yes, ${age(expiresAt - systemClock.now())} left  ${name}\n`);
    if (found.people.length + found.pending.length === 0)
      host.err.write('Nobody was let in by a code, and nobody waits. Strangers who write to the bot get one.\n');
  }
  return 0;
}

async function change(host: Host, daemon: DaemonClient, verb: 'approve' | 'revoke', body: object): Promise<number> {
  try {
    const { text } = (await daemon.post(`api/v1/pairings/${verb}`, body)) as { readonly text: string };
    host.out.write(`${text}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof DaemonRefusal)) throw error;
    host.err.write(`${error.message}\n`);
    return error.status === 404 ? 4 : error.status === 423 ? 75 : 1;
  }
}

async function withDaemon(host: Host, use: (daemon: DaemonClient) => Promise<number>): Promise<number> {
  const daemon = await findDaemon(host);
  if (daemon) return use(daemon);
  host.err.write('hermod is not running; npm start starts it.\n');
  return 1;
}
