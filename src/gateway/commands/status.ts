import { actorKey } from '../../approvals/actor-key.ts';
import { sessionFacts, statusLines } from '../status.ts';
import { undeliveredText } from '../undelivered.ts';
import type { Command } from './command.ts';

export const status: Command = {
  name: 'status',
  args: '[undelivered]',
  about: 'What runs, waits and is asked here; undelivered: what did not arrive',
  late: true,
  run({ store, lanes, broker, clock, time, status: daemon, from, session, admin, args }) {
    if (args.trim().toLowerCase() === 'undelivered')
      return { text: undeliveredText(store, admin ? undefined : actorKey(from.by), time) };
    const live = session && {
      admin,
      runningSince: lanes.running(session.id)?.startedAt,
      approvals: broker.pendingOf(session.id),
    };
    const facts = session && live && sessionFacts(store, session.id, live, clock);
    return { text: statusLines(daemon(), facts, clock.now(), admin).join('\n') };
  },
};
