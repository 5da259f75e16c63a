import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isUnreadable, openDatabase } from '../../src/store/open.ts';
import { quickCheck } from '../../src/store/quick-check.ts';
import { openStore } from '../../src/store/store.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermod-check-'));
  path = join(folder, 'hermod.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A file with a boot in it, one page of whose largest table was then overwritten. */
function torn(orderly: boolean): void {
  const store = openStore(path);
  const { id } = store.boots.begin(1, 1);
  const put = store.db.prepare('INSERT INTO platform_state VALUES (?, ?, ?)');
  store.tx(() => Array.from({ length: 2_000 }, (_, i) => put.run('p', String(i), 'x'.repeat(400))));
  if (orderly) store.boots.end(id, 'signal', 2);
  const pages = Number(store.db.pragma('page_count', { simple: true }));
  const bytes = Number(store.db.pragma('page_size', { simple: true }));
  store.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, (pages - 20) * bytes);
  closeSync(file);
}

describe('after an end without a word', () => {
  it('torn pages are found', () => {
    torn(false);
    const db = openDatabase(path);
    expect(() => quickCheck(db)).toThrow(/damaged|malformed/);
    db.close();
  });

  it('a whole file passes', () => {
    const store = openStore(path);
    quickCheck(store.db);
    store.boots.begin(1, 1);
    quickCheck(store.db);
    store.close();
  });

  it('an orderly end, or a file that would take too long, is not looked at', () => {
    torn(true);
    const db = openDatabase(path);
    quickCheck(db);
    db.close();
    rmSync(path);
    torn(false);
    const again = openDatabase(path);
    quickCheck(again, 1);
    again.close();
  });
});

describe('what cannot be read', () => {
  const caught = (act: () => unknown): unknown => {
    try {
      act();
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('is told from a mistake of ours', () => {
    writeFileSync(path, 'this is no database at all, and long enough to be looked at as one '.repeat(20));
    expect(isUnreadable(caught(() => openDatabase(path)))).toBe(true);
    expect(isUnreadable(caught(() => openDatabase(':memory:', ['CREATE TABEL x'])))).toBe(false);
    expect(isUnreadable(new Error('other'))).toBe(false);
    expect(isUnreadable(undefined)).toBe(false);
  });
});
