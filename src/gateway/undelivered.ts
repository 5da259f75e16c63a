import { plain } from '../approvals/markdown.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';

const LISTED = 10;
const WORDS = 200;

/** Messages that could not be delivered, to one person (`platform:id`) or, for an admin, to anybody. Newest first. */
export function undeliveredText(store: Store, person: string | undefined, time: (at: number) => string): string {
  const rows = store.outbox.dead(person, LISTED + 1);
  if (rows.length === 0) return 'Everything was delivered.';
  const more = rows.length > LISTED ? [`There are more, older ones; these are the newest ${LISTED}.`] : [];
  return [...rows.slice(0, LISTED).map((row) => line(row, time)), ...more].join('\n');
}

function line({ address, createdAt, error, message }: OutboxRow, time: (at: number) => string): string {
  const where = `${address.platform} ${address.chat}`;
  return `${time(createdAt)}, to ${plain(where)}: ${plain(error ?? 'unknown')}\n> ${plain(message.text, WORDS)}`;
}
