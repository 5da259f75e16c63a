import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { SCHEMA_VERSION } from './open.ts';

/** How a database file is; `bytes` without its write-ahead log. */
export type FileState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'whole'; readonly schema: number; readonly bytes: number; readonly walBytes: number }
  | { readonly kind: 'newer'; readonly schema: number; readonly known: number }
  | { readonly kind: 'damaged'; readonly detail: string };

/** Reads a whole database file, also beside a daemon that has it open; no byte of it changes. About 7 ms a megabyte. */
export function checkFile(path: string): FileState {
  if (!existsSync(path)) return { kind: 'missing' };
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    return judged(db, path);
  } catch (error) {
    return { kind: 'damaged', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    db?.close();
  }
}

function judged(db: Database.Database, path: string): FileState {
  const schema = Number(db.pragma('user_version', { simple: true }));
  if (schema > SCHEMA_VERSION) return { kind: 'newer', schema, known: SCHEMA_VERSION };
  const found = String(db.pragma('quick_check(1)', { simple: true }));
  if (found !== 'ok') return { kind: 'damaged', detail: found.replaceAll(/\s+/g, ' ') };
  const wal = `${path}-wal`;
  return { kind: 'whole', schema, bytes: statSync(path).size, walBytes: existsSync(wal) ? statSync(wal).size : 0 };
}
