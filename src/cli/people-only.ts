import type { Host } from '../host.ts';
import { startedByAgent } from '../process/ancestry.ts';
import { readRunFile } from '../process/single-instance.ts';
import { homeOf } from './daemon-client.ts';

/** Exit code of what people decide and the agent asked for. */
const BY_AGENT = 6;

/** The agent is not the operator: a command line that the daemon started decides nothing. A second line; the gate is the first. */
export async function byPeople(host: Host, act: () => Promise<number>): Promise<number> {
  const pids = [homeOf(host), `${homeOf(host)}/practice`].flatMap((home) => readRunFile(home)?.pid ?? []);
  if (!startedByAgent(host.env, host.pid, pids)) return act();
  host.err.write('Started by the agent; people decide this.\n');
  return BY_AGENT;
}
