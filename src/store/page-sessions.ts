import type { Db } from './open.ts';

/** Browsers that are signed in to the page, by the hash of their cookie. They survive restarts. */
export interface PageSessions {
  add(hash: string, now: number): void;
  get(hash: string): { readonly createdAt: number; readonly seenAt: number } | undefined;
  seen(hash: string, now: number): void;
  remove(hash: string): void;
  removeAll(): void;
  /** Forgets those created before, or last seen before, these times. */
  prune(createdBefore: number, seenBefore: number): void;
}

export function createPageSessions(db: Db): PageSessions {
  const add = db.prepare('INSERT INTO page_sessions (hash, created_at, seen_at) VALUES (?, ?, ?)');
  const get = db.prepare<[string], { createdAt: number; seenAt: number }>(
    'SELECT created_at AS createdAt, seen_at AS seenAt FROM page_sessions WHERE hash = ?',
  );
  const seen = db.prepare('UPDATE page_sessions SET seen_at = ? WHERE hash = ?');
  const remove = db.prepare('DELETE FROM page_sessions WHERE hash = ?');
  const removeAll = db.prepare('DELETE FROM page_sessions');
  const prune = db.prepare('DELETE FROM page_sessions WHERE created_at < ? OR seen_at < ?');
  return {
    add: (hash, now) => void add.run(hash, now, now),
    get: (hash) => get.get(hash),
    seen: (hash, now) => void seen.run(now, hash),
    remove: (hash) => void remove.run(hash),
    removeAll: () => void removeAll.run(),
    prune: (createdBefore, seenBefore) => void prune.run(createdBefore, seenBefore),
  };
}
