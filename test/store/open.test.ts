import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HermodError } from '../../src/contract/errors.ts';
import { openDatabase, SCHEMA_VERSION, transaction } from '../../src/store/open.ts';
import { openStore } from '../../src/store/store.ts';
import { chatAddress } from '../fakes/runs.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hermod-store-'));
  path = join(dir, 'hermod.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const NOTICE = { key: 'k', kind: 'notice', direct: true, address: chatAddress('c1'), message: { text: 'hi' } } as const;

describe('a database', () => {
  it('is made from nothing, with full syncs in WAL mode', () => {
    const db = openDatabase(path);
    const pragma = (name: string) => db.pragma(name, { simple: true });
    expect(['journal_mode', 'synchronous', 'foreign_keys', 'user_version'].map(pragma)).toEqual([
      'wal',
      2,
      1,
      SCHEMA_VERSION,
    ]);
    expect(pragma('busy_timeout')).toBeGreaterThan(0);
    db.close();
  });

  it('has the schema that is written down', async () => {
    const db = openDatabase(':memory:');
    const rows = db
      .prepare<[], { sql: string }>(
        `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name`,
      )
      .all();
    const dump = rows.map(({ sql }) => `${sql};\n`).join('\n');
    await expect(dump).toMatchFileSnapshot('schema.sql');
  });

  it('knows only strict tables', () => {
    const db = openDatabase(':memory:');
    const loose = db.prepare(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
    );
    expect(loose.pluck().all()).toEqual([]);
  });

  it('keeps what was written over a second opening', () => {
    const first = openStore(path);
    first.outbox.put(NOTICE, 1);
    first.close();
    const second = openStore(path);
    expect(second.outbox.get('k')).toMatchObject({ message: { text: 'hi' } });
    second.close();
  });

  it('of a newer hermod is refused in words, and let go of (gateway 36)', () => {
    const db = openDatabase(path);
    db.pragma(`user_version = ${SCHEMA_VERSION + 2}`);
    db.close();
    const known = SCHEMA_VERSION;
    const sentence = `${path} was written by a newer hermod (schema ${known + 2}, this one knows ${known}). Install that version or restore a backup.`;
    let error: unknown;
    try {
      openDatabase(path);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(HermodError);
    expect(error).toMatchObject({ message: sentence, fault: 'operator' });
    rmSync(path);
    expect(openDatabase(path).open).toBe(true);
  });

  it('is brought up to date step by step, each step once; one that fails leaves the step before', () => {
    const one = 'CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);';
    const two = 'CREATE TABLE b (x INTEGER) STRICT;';
    const broken = 'CREATE TABLE c (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);';
    const facts = (migrations: readonly string[]) => {
      const db = openDatabase(path, migrations);
      const tables = db.prepare('SELECT name FROM sqlite_schema ORDER BY name').pluck().all();
      const rows = db.prepare('SELECT count(*) FROM a').pluck().get();
      const version = db.pragma('user_version', { simple: true });
      db.close();
      return { tables, rows, version };
    };
    expect(facts([one])).toEqual({ tables: ['a'], rows: 1, version: 1 });
    expect(() => openDatabase(path, [one, two, broken])).toThrow(/nowhere/);
    expect(facts([one, two])).toEqual({ tables: ['a', 'b'], rows: 1, version: 2 });
  });
});

describe('a transaction', () => {
  it('commits as a whole or not at all', () => {
    const store = openStore(':memory:');
    const half = () =>
      store.tx(() => {
        store.outbox.put(NOTICE, 1);
        throw new Error('in the middle');
      });
    expect(half).toThrow('in the middle');
    expect(store.outbox.get('k')).toBeUndefined();
  });

  it('inside another is undone alone', () => {
    const store = openStore(':memory:');
    store.tx(() => {
      store.outbox.put(NOTICE, 1);
      const inner = () =>
        store.tx(() => {
          store.outbox.put({ ...NOTICE, key: 'k2' }, 1);
          throw new Error('inner');
        });
      expect(inner).toThrow('inner');
    });
    expect([store.outbox.get('k')?.key, store.outbox.get('k2')]).toEqual(['k', undefined]);
  });

  it('takes the right to write at its beginning', () => {
    const db = openDatabase(path);
    const other = openDatabase(path);
    other.pragma('busy_timeout = 0');
    transaction(db, () => {
      expect(() => transaction(other, () => 0)).toThrow(/locked/);
    });
    other.close();
    db.close();
  });
});

it('statements are prepared once, when the store opens', () => {
  const store = openStore(':memory:');
  let prepared = 0;
  const { prepare } = store.db;
  store.db.prepare = ((sql: string) => {
    prepared++;
    return prepare.call(store.db, sql);
  }) as typeof prepare;
  store.outbox.put(NOTICE, 1);
  store.outbox.heads('telegram');
  store.inbox.open();
  store.boots.begin(1, 1);
  expect(prepared).toBe(0);
});
