import { sessionFacts, statusLines } from '../status.ts';
import type { Command } from './command.ts';

export const status: Command = {
  name: 'status',
  about: 'What runs, waits and is asked here',
  late: true,
  run({ store, lanes, broker, clock, status: daemon, session, admin }) {
    const live = session && {
      admin,
      runningSince: lanes.running(session.id)?.startedAt,
      approvals: broker.pendingOf(session.id),
    };
    const facts = session && live && sessionFacts(store, session.id, live, clock);
    return { text: statusLines(daemon(), facts, clock.now(), admin).join('\n') };
  },
};
