import Database from 'better-sqlite3';
import { HermodError } from '../contract/errors.ts';
import { MIGRATIONS } from './migrations.ts';

/** The file is there and cannot be read, or nothing can be written beside it: the daemon stays up and says so. */
export class StoreUnreadable extends Error {
  override readonly name = 'StoreUnreadable';
}

const UNREADABLE = /^SQLITE_(?:CORRUPT|NOTADB|IOERR|CANTOPEN|FULL|READONLY|PERM|AUTH)/;

/** What a broken or full disk makes of a statement; anything else is a bug of ours. */
export function isUnreadable(error: unknown): error is Error {
  return error instanceof StoreUnreadable || (error instanceof Database.SqliteError && UNREADABLE.test(error.code));
}

/** The one connection of the process. */
export type Db = Database.Database;

/**
 * Opens the database file (created 0600 by the caller's umask), sets WAL and full syncs, and brings the schema up to date.
 * A schema newer than this program is refused; `':memory:'` is for tests.
 */
export function openDatabase(path: string, migrations: readonly string[] = MIGRATIONS): Db {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('busy_timeout = 2000');
    migrate(db, path, migrations);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** For the command line beside a stopped daemon: reads leave every byte as it was. */
export function openReadOnly(path: string): Db {
  try {
    return new Database(path, { readonly: true, fileMustExist: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HermodError(
      'operator',
      `${path} cannot be read (${why}). Start hermod once with npm start, or set HERMOD_HOME.`,
    );
  }
}

/** The version of the schema this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

function migrate(db: Db, path: string, migrations: readonly string[]): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new HermodError(
      'operator',
      `${path} was written by a newer hermod (schema ${version}, this one knows ${migrations.length}). Install that version or restore a backup.`,
    );
  }
  for (const [i, migration] of migrations.entries()) {
    if (i < version) continue;
    transaction(db, () => {
      db.exec(migration);
      db.pragma(`user_version = ${i + 1}`);
    });
  }
}

/** Runs `fn` in one immediate transaction (nested: a savepoint). `fn` is synchronous; a throw undoes everything. */
export function transaction<T>(db: Db, fn: () => T): T {
  return db.transaction(fn).immediate();
}
