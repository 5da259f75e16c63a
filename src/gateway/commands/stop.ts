import type { SessionId } from '../../contract/ids.ts';
import { closeHold } from '../../process/holds.ts';
import type { Store } from '../../store/store.ts';
import type { TurnRow } from '../../store/turns.ts';
import { closeAged } from '../aged-card.ts';
import { count } from '../words.ts';
import type { Command, CommandContext } from './command.ts';

/**
 * Ends whatever is unfinished in a session, running, parked, held or not dispatched yet, and cancels what it asked: with the
 * commit it is over, whatever becomes of the process. A running one is to be aborted afterwards. Returns how many.
 */
export function endTurns(
  { store, broker, clock }: Pick<CommandContext, 'store' | 'broker' | 'clock'>,
  session: SessionId,
  by: 'stop' | 'reset',
): number {
  const now = clock.now();
  broker.cancelSession(session, by);
  const turns = store.turns.unfinishedOf(session);
  for (const turn of turns) endTurn(store, turn, { by, closing: 'Stopped; not taken up again.' }, now);
  return turns.length;
}

/** One unfinished turn, running, parked or held. `closing`: what its card says, where it has one. */
export function endTurn(
  store: Store,
  turn: TurnRow,
  { by, closing }: { readonly by: 'stop' | 'reset' | 'access'; readonly closing: string },
  now: number,
): void {
  closeHold(store, turn, closing, now);
  store.transcript.skipOpen(turn.id, by === 'access' ? 'not run: who asked may no longer use hermod' : STOPPED, now);
  store.turns.end(turn.id, 'stopped', now, by);
  store.inbox.finishTurn(turn.id, by === 'access' ? 'refused' : 'answered', now, by);
  store.outbox.cancelTurn(turn.id);
}

const STOPPED = 'not run: the person stopped this';

export const stop: Command = {
  name: 'stop',
  args: '[all]',
  about: 'End the running turn; all: also drop waiting messages',
  run(context) {
    const { store, lanes, session, args, clock, from, endProcesses } = context;
    if (!session) return { text: 'Nothing is running here.' };
    const ended = endTurns(context, session.id, 'stop');
    const all = args.trim().toLowerCase() === 'all';
    const now = clock.now();
    const drop = () => store.inbox.refuseWaiting(session.id, now, '/stop all', from.by.id);
    const dropped = all ? closeAged(store, session.id, drop, now) : 0;
    const waiting = store.inbox.waitingCount(session.id);
    const after = () => {
      lanes.stop(session.id, 'stop');
      endProcesses(session.id);
      lanes.kick(session.id);
    };
    if (ended === 0 && dropped === 0) return { text: 'Nothing is running here.', after };
    return { text: ['Stopped.', ...rest(dropped, waiting)].join(' '), after };
  },
};

function rest(dropped: number, waiting: number): readonly string[] {
  const lines: string[] = [];
  if (dropped > 0) lines.push(`${count(dropped, 'waiting message', 'waiting messages')} dropped.`);
  if (waiting > 0)
    lines.push(`${count(waiting, 'waiting message goes', 'waiting messages go')} on; /stop all clears yours.`);
  return lines;
}
