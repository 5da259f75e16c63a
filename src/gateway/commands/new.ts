import type { SessionRow } from '../../store/sessions.ts';
import { closeAged } from '../aged-card.ts';
import { count } from '../words.ts';
import type { Command, CommandContext } from './command.ts';
import { endTurns } from './stop.ts';
import { setTitle } from './who.ts';

/**
 * Ends a session for good, with all that is unfinished in it and the model it had chosen; returns what ended in words to be put
 * behind others: ` Ended: 1 running turn.`, or nothing.
 */
export function endSession(
  context: Pick<CommandContext, 'store' | 'broker' | 'clock'>,
  { id, key }: Pick<SessionRow, 'id' | 'key'>,
): string {
  const { store, broker, clock } = context;
  const now = clock.now();
  const approvals = broker.pendingOf(id).length;
  const held = store.turns.unfinishedOf(id).filter(({ state }) => state === 'held').length;
  const running = endTurns(context, id, 'reset') - held;
  const waiting = closeAged(store, id, () => store.inbox.refuseWaiting(id, now, '/new'), now);
  store.sessions.setModel(id, null);
  store.sessions.end(key, now);
  const ended = [
    some(running, 'running turn', 'running turns'),
    some(held, 'interrupted turn', 'interrupted turns'),
    some(waiting, 'waiting message', 'waiting messages'),
    some(approvals, 'pending approval', 'pending approvals'),
  ].filter((words) => words !== '');
  return ended.length === 0 ? '' : ` Ended: ${ended.join(', ')}.`;
}

function some(n: number, one: string, many: string): string {
  return n === 0 ? '' : count(n, one, many);
}

export const fresh: Command = {
  name: 'new',
  args: '[title]',
  about: 'End this conversation and start a new one',
  run(context) {
    const { store, lanes, session, key, from, args, clock, endProcesses } = context;
    const now = clock.now();
    const ended = session ? endSession(context, session) : '';
    const next = store.sessions.open(key, from.by, from.address, from.direct, now);
    const problem = args.trim() === '' ? undefined : setTitle(context, next.id, next.owner, args.trim());
    const text = `New session.${ended}${problem === undefined ? '' : ` ${problem}`}`;
    if (!session) return { text };
    const after = () => {
      lanes.stop(session.id, 'reset');
      endProcesses(session.id);
    };
    return { text, after };
  },
};
