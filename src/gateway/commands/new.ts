import type { SessionRow } from '../../store/sessions.ts';
import { closeAged } from '../aged-card.ts';
import { count } from '../words.ts';
import type { Command, CommandContext } from './command.ts';
import { endTurns } from './stop.ts';
import { setTitle } from './who.ts';

/** Ends a session for good, with all that is unfinished in it; returns what that was, in words. */
export function endSession(
  context: Pick<CommandContext, 'store' | 'broker' | 'clock'>,
  { id, key }: Pick<SessionRow, 'id' | 'key'>,
): readonly string[] {
  const { store, broker, clock } = context;
  const now = clock.now();
  const approvals = broker.pendingOf(id).length;
  const turns = endTurns(context, id, 'reset');
  const waiting = closeAged(store, id, () => store.inbox.refuseWaiting(id, now, '/new'), now);
  store.sessions.end(key, now);
  return [
    turns > 0 ? count(turns, 'running turn', 'running turns') : '',
    waiting > 0 ? count(waiting, 'waiting message', 'waiting messages') : '',
    approvals > 0 ? count(approvals, 'pending approval', 'pending approvals') : '',
  ].filter((words) => words !== '');
}

export const fresh: Command = {
  name: 'new',
  args: '[title]',
  about: 'End this conversation and start a new one',
  run(context) {
    const { store, lanes, session, key, from, args, clock, endProcesses } = context;
    const now = clock.now();
    const ended = session ? endSession(context, session) : [];
    const next = store.sessions.open(key, from.by, from.address, from.direct, now);
    const problem = args.trim() === '' ? undefined : setTitle(context, next.id, next.owner, args.trim());
    const text = [
      ended.length === 0 ? 'New session.' : `New session. Ended: ${ended.join(', ')}.`,
      ...(problem === undefined ? [] : [problem]),
    ].join(' ');
    if (!session) return { text };
    const after = () => {
      lanes.stop(session.id, 'reset');
      endProcesses(session.id);
    };
    return { text, after };
  },
};
