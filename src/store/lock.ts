import Database from 'better-sqlite3';
import { type Clock, pause } from '../contract/clock.ts';
import { HermodError } from '../contract/errors.ts';

const TRY_EVERY_MS = 100;
const TRY_FOR_MS = 2_000;

export interface Lock {
  release(): void;
}

/**
 * Holds an exclusive transaction on a tiny SQLite file until the process ends: the kernel drops it with the process, so no
 * stale file ever blocks a start. `holder` is asked only for the sentence. Rejects with HermodError when taken.
 */
export async function takeLock(path: string, home: string, clock: Clock, holder: () => string): Promise<Lock> {
  const end = clock.now() + TRY_FOR_MS;
  for (;;) {
    const db = tryOpen(path);
    if (db) return { release: () => db.close() };
    if (clock.now() >= end)
      throw new HermodError('operator', `hermod is already running for ${home}${holder()}. hermod stop ends it.`);
    await pause(clock, TRY_EVERY_MS);
  }
}

// On the locked file even a pragma is refused, so the whole opening is one try.
function tryOpen(path: string): Database.Database | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new HermodError('operator', `I cannot use ${path}: ${why}. ${remedy(error)}`);
  }
}

/** Nothing is ever written into it: whatever it holds may go. */
function remedy(error: unknown): string {
  const damaged = error instanceof Database.SqliteError && /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code);
  return damaged ? 'Delete that file and start hermod again.' : 'Check that its folder exists and belongs to you.';
}
