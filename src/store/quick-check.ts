import { type Db, StoreUnreadable } from './open.ts';

/** Seven milliseconds a megabyte; above this a start would wait too long. */
const MOST_BYTES = 200 * 1024 * 1024;

/** After a process that ended without a word: throws StoreUnreadable when pages are torn. Call it before this boot begins. */
export function quickCheck(db: Db, most = MOST_BYTES): void {
  const last = db.prepare<[], { open: number }>(
    'SELECT ended_at IS NULL AS open FROM boots ORDER BY rowid DESC LIMIT 1',
  );
  if (last.get()?.open !== 1 || bytesOf(db) > most) return;
  const found = db.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok') throw new StoreUnreadable(`${db.name} is damaged: ${String(found)}`);
}

function bytesOf(db: Db): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
}
