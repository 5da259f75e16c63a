import type { SessionId } from '../contract/ids.ts';
import type { Db } from './open.ts';

/** Files that commands of a session fetched from a network; what runs one later is judged by it, over restarts too. */
export interface FetchedFiles {
  /** Absolute paths; what is there already stays. */
  add(session: SessionId, paths: readonly string[]): void;
  of(session: SessionId): readonly string[];
}

export function createFetchedFiles(db: Db): FetchedFiles {
  const insert = db.prepare('INSERT OR IGNORE INTO fetched_files (session, path) VALUES (?, ?)');
  const select = db.prepare<[string], string>('SELECT path FROM fetched_files WHERE session = ?').pluck();
  return {
    add(session, paths) {
      for (const path of paths) insert.run(session, path);
    },
    of: (session) => select.all(session),
  };
}
