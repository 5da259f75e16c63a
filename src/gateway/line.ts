import type { OutboxPut, OutboxState } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';

const STANDS: readonly OutboxState[] = ['pending', 'sending', 'sent', 'ambiguous'];

/**
 * Says something that later words replace: what has not left yet is rewritten, what was sent is edited, and only what is lost is
 * said anew. `base` names the line for ever. Call it inside a transaction.
 */
export function putLine(store: Store, base: string, line: Omit<OutboxPut, 'key' | 'edits'>, now: number): void {
  const { last, next } = newest(store, base);
  if (last?.state === 'pending' && (last.parts ?? 1) === 1) {
    store.outbox.reword(last.id, line.message);
    return;
  }
  const stands = last !== undefined && STANDS.includes(last.state);
  const { replyTo: _, ...plain } = line.message;
  const row = stands ? { ...line, message: plain, edits: last.key } : line;
  store.outbox.put({ ...row, key: next }, now);
}

function newest(store: Store, base: string) {
  for (let n = 1, last = undefined as ReturnType<Store['outbox']['get']>; ; n++) {
    const key = n === 1 ? base : `${base}:${n}`;
    const row = store.outbox.get(key);
    if (!row) return { last, next: key };
    last = row;
  }
}
