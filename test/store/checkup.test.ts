import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkFile } from '../../src/store/checkup.ts';
import { openDatabase, SCHEMA_VERSION } from '../../src/store/open.ts';
import { openStore } from '../../src/store/store.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermod-checkup-'));
  path = join(folder, 'hermod.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a look at a database file', () => {
  it('that is not there, makes none', () => {
    expect(checkFile(path)).toEqual({ kind: 'missing' });
    expect(checkFile(path)).toEqual({ kind: 'missing' });
  });

  it('that is whole, also beside whoever writes it, changes no byte', () => {
    const store = openStore(path);
    store.boots.begin(1, 1);
    const bytes = () => [path, `${path}-wal`].map((name) => readFileSync(name).toString('base64'));
    const before = bytes();
    expect(checkFile(path)).toMatchObject({ kind: 'whole', schema: SCHEMA_VERSION, walBytes: expect.any(Number) });
    expect(bytes()).toEqual(before);
    store.boots.beat(store.boots.recent(1)[0]!.id, 2);
    store.close();
  });

  it('of a newer hermod, says which', () => {
    const db = openDatabase(path);
    db.pragma(`user_version = ${SCHEMA_VERSION + 3}`);
    db.close();
    expect(checkFile(path)).toEqual({ kind: 'newer', schema: SCHEMA_VERSION + 3, known: SCHEMA_VERSION });
  });

  it.each([
    ['is none', () => Buffer.alloc(50_000, 'no database ')],
    ['has torn pages', () => readFileSync(path).fill(0xff, 4_096 * 2, 4_096 * 5)],
  ])('that %s, says why', (_, damage) => {
    openStore(path).close();
    writeFileSync(path, damage());
    expect(checkFile(path)).toMatchObject({ kind: 'damaged', detail: expect.stringMatching(/\w/) });
  });
});
