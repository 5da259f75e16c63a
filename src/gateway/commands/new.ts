import { count } from '../words.ts';
import type { Command } from './command.ts';
import { endTurns } from './stop.ts';

export const fresh: Command = {
  name: 'new',
  args: '[title]',
  about: 'End this conversation and start a new one',
  run(context) {
    const { store, lanes, broker, session, key, from, args, clock, endProcesses } = context;
    const now = clock.now();
    const ended: string[] = [];
    if (session) {
      const approvals = broker.pendingOf(session.id).length;
      const turns = endTurns(context, session.id, 'reset');
      const waiting = store.inbox.refuseWaiting(session.id, now, '/new');
      if (turns > 0) ended.push(count(turns, 'running turn', 'running turns'));
      if (waiting > 0) ended.push(count(waiting, 'waiting message', 'waiting messages'));
      if (approvals > 0) ended.push(count(approvals, 'pending approval', 'pending approvals'));
      store.sessions.end(key, now);
    }
    const next = store.sessions.open(key, from.by, from.address, from.direct, now);
    if (args.trim() !== '') store.sessions.setTitle(next.id, args.trim().slice(0, 100));
    const text = ended.length === 0 ? 'New session.' : `New session. Ended: ${ended.join(', ')}.`;
    if (!session) return { text };
    const after = () => {
      lanes.stop(session.id, 'reset');
      endProcesses(session.id);
    };
    return { text, after };
  },
};
