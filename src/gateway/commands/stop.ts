import type { SessionId } from '../../contract/ids.ts';
import { count } from '../words.ts';
import type { Command, CommandContext } from './command.ts';

/** Ends the session's parked turns and cancels what they asked; a running one is aborted after the commit. */
export function endTurns({ store, broker, clock }: CommandContext, session: SessionId, by: 'stop' | 'reset'): number {
  const now = clock.now();
  broker.cancelSession(session, by);
  const idle = store.turns.unfinishedOf(session).filter((turn) => turn.state !== 'running');
  for (const turn of idle) {
    store.transcript.skipOpen(turn.id, 'not run: the person stopped this', now);
    store.turns.end(turn.id, 'stopped', now, by);
    store.inbox.finishTurn(turn.id, 'answered', now, by);
    store.outbox.cancelTurn(turn.id);
  }
  return idle.length;
}

export const stop: Command = {
  name: 'stop',
  args: '[all]',
  about: 'End the running turn; all: also drop waiting messages',
  run(context) {
    const { store, lanes, session, args, clock } = context;
    if (!session) return { text: 'Nothing is running here.' };
    const running = lanes.running(session.id) !== undefined;
    const parked = endTurns(context, session.id, 'stop');
    const all = args.trim().toLowerCase() === 'all';
    const dropped = all ? store.inbox.refuseWaiting(session.id, clock.now(), '/stop all') : 0;
    const waiting = store.inbox.waitingCount(session.id);
    if (!running && parked === 0 && dropped === 0) return { text: 'Nothing is running here.' };
    return {
      text: ['Stopped.', ...rest(dropped, waiting)].join(' '),
      after: () => {
        lanes.stop(session.id, 'stop');
        lanes.kick(session.id);
      },
    };
  },
};

function rest(dropped: number, waiting: number): readonly string[] {
  if (dropped > 0) return [`${count(dropped, 'waiting message', 'waiting messages')} dropped.`];
  if (waiting > 0)
    return [`${count(waiting, 'waiting message goes', 'waiting messages go')} on; /stop all clears yours.`];
  return [];
}
