import type { SessionId } from '../contract/ids.ts';
import type { Store } from '../store/store.ts';
import { putLine } from './line.ts';

/** The card of what was asked about in a session says that nothing of it is left, if that is so. Call it inside a transaction. */
export function closeAged(store: Store, session: SessionId, drop: () => number, now: number): number {
  const card = store.inbox.askedIn(session)?.card;
  const place = card && store.inbox.askedBy(card)[0]?.message;
  const dropped = drop();
  if (card && place && store.inbox.askedBy(card).length === 0) {
    const { address, direct } = place;
    putLine(store, `aged:${card}`, { kind: 'card', address, direct, message: { text: 'Not answered.' } }, now);
  }
  return dropped;
}
