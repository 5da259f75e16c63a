import type { Base } from './app-base.ts';
import type { Broker } from './approvals/broker.ts';
import { DeadLetters } from './gateway/dead-letters.ts';
import { Delivery } from './gateway/delivery.ts';
import type { OutboxRow } from './store/outbox.ts';

/** What leaves hermod, and what is told of what could not. The broker is made later. */
export function createOutbound({ store, clock, log, rate, time, config }: Base, broker: () => Broker) {
  const wake = () => delivery.wake();
  const letters = new DeadLetters({ store, clock, log, time, homes: () => config.home, wake });
  const gaveUp = (rows: readonly OutboxRow[]) => {
    for (const { kind, key } of rows) if (kind === 'card') broker().undeliverable(key);
    letters.look();
  };
  const delivery = new Delivery({
    ...{ store, clock, log, rate, time, gaveUp },
    maxAgeMs: () => config.outbox.max_age_s * 1000,
    reach: ({ platform, chat }, reachable) =>
      log.info({ platform, chat, reachable }, reachable ? 'a chat takes messages again' : 'a chat refuses messages'),
  });
  letters.look();
  return { delivery, gaveUp, wake };
}
