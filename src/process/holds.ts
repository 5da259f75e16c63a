import type { OutboundMessage } from '../contract/message.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import { type HoldRule, isHoldRule } from './breaker.ts';

/** One message a hold, however many boots follow. */
const cardKey = (turn: TurnRow, attempts: number) => `held:${turn.id}:${attempts}`;

/** The rule that leaves a turn to a person; null for one that merely waits for its place. */
export function heldBy({ state, rule }: TurnRow): HoldRule | null {
  return state === 'held' && isHoldRule(rule) ? rule : null;
}

/** Its dispatches so far; 0 where they cannot be read. */
export function attemptsOf(store: Store, turn: TurnRow): number {
  try {
    return store.turns.attempts(turn.id);
  } catch {
    return 0;
  }
}

/** Call it inside a transaction, as all of these. */
export function putHold(store: Store, turn: TurnRow, card: OutboundMessage, now: number, lifeMs: number): void {
  const { address, direct } = turn;
  const key = cardKey(turn, attemptsOf(store, turn));
  const message = turn.replyTo !== null && !direct ? { ...card, replyTo: turn.replyTo } : card;
  store.outbox.put({ key, kind: 'card', address, direct, message, expiresAt: now + lifeMs }, now);
}

/** Nothing is asked any more: the card becomes `outcome`, a sentence of its own. It had none, or is closed: nothing happens. */
export function closeHold(
  store: Store,
  turn: TurnRow,
  outcome: string,
  now: number,
  attempts = attemptsOf(store, turn),
): void {
  const { address, direct, id } = turn;
  const card = store.outbox.get(cardKey(turn, attempts));
  if (!card) return;
  const key = `held-closed:${id}:${attempts}`;
  store.outbox.put({ key, kind: 'card', address, direct, message: { text: outcome }, edits: card.key }, now);
}

/** Since when its card asks; undefined: it has none. */
export function heldSince(store: Store, turn: TurnRow): number | undefined {
  return store.outbox.get(cardKey(turn, attemptsOf(store, turn)))?.createdAt;
}

/** An unfinished turn that nobody takes up again, with what it had taken. */
export function dropTurn(
  store: Store,
  turn: TurnRow,
  state: 'abandoned' | 'superseded',
  rule: string,
  now: number,
): void {
  store.transcript.skipOpen(turn.id, `not run: ${rule}`, now);
  store.turns.end(turn.id, state, now, rule);
  store.inbox.finishTurn(turn.id, state === 'superseded' ? 'merged' : 'refused', now, rule);
  store.outbox.cancelTurn(turn.id);
}
