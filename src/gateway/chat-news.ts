import type { Address } from '../contract/message.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { movedKey } from './session-key.ts';

export interface Refusal {
  /** What was given up with it. */
  readonly dead: readonly OutboxRow[];
  /** It was not known before. */
  readonly news: boolean;
}

/** A chat refuses us: whatever waits for it is dead at once, and it is marked. Call it inside a transaction. */
export function chatGone(store: Store, address: Address, why: string, now: number): Refusal {
  return { dead: store.outbox.drop(address, why), news: store.reach.mark(address, why, now) };
}

/** A chat has a new id: everything that is kept points there from now on. Call it inside a transaction. */
export function chatMoved(store: Store, from: Address, to: Address, now: number): void {
  const move = { platform: from.platform, from: from.chat, to: to.chat };
  store.moves.apply(move, now, (key) => movedKey(key, from.chat, to.chat));
}
