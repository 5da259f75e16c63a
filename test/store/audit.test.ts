import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../src/store/store.ts';

let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermod-audit-'));
  store = openStore(join(folder, 'hermod.db'));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const fill = (count: number) => {
  for (let i = 0; i < count; i++)
    store.audit.append('decided', { label: 'ask:chat', n: i, rules: ['fs.delete'] }, 1000 + i);
};
/** What somebody with the file and another program could do. */
const tamper = (sql: string) =>
  store.db.exec(`DROP TRIGGER approval_event_no_update; DROP TRIGGER approval_event_no_delete; ${sql}`);

describe('audit', () => {
  it('of nothing is whole', () => {
    expect(store.audit.verify()).toEqual({ ok: true, events: 0, head: '0'.repeat(64) });
    expect(store.audit.head()).toBeUndefined();
  });

  it('chains events and reads them back in order', () => {
    fill(5);
    expect(store.audit.verify()).toEqual({ ok: true, events: 5, head: store.audit.head()?.hash });
    const page = store.audit.list(2, 2);
    expect(page.map(({ seq, at, body }) => [seq, at, body])).toEqual([
      [3, 1002, { label: 'ask:chat', n: 2, rules: ['fs.delete'] }],
      [4, 1003, { label: 'ask:chat', n: 3, rules: ['fs.delete'] }],
    ]);
    expect(page[1]?.prev).toBe(page[0]?.hash);
  });

  it('refuses UPDATE and DELETE', () => {
    fill(2);
    expect(() => store.db.exec(`UPDATE approval_event SET event = 'x'`)).toThrow('append-only');
    expect(() => store.db.exec('DELETE FROM approval_event WHERE seq = 2')).toThrow('append-only');
  });

  it('is undone with the transaction it was written in', () => {
    fill(1);
    const failing = () =>
      store.tx(() => {
        store.audit.append('granted', {}, 5);
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(store.audit.verify()).toMatchObject({ ok: true, events: 1 });
  });

  const spoilt: readonly [string, string, number][] = [
    ['a changed byte', `UPDATE approval_event SET body = replace(body, 'ask:chat', 'ask:cli') WHERE seq = 3`, 3],
    ['a changed time', 'UPDATE approval_event SET at = at + 1 WHERE seq = 4', 4],
    ['a removed row', 'DELETE FROM approval_event WHERE seq = 2', 2],
    ['a removed first row', 'DELETE FROM approval_event WHERE seq = 1', 1],
    ['a rewritten hash', `UPDATE approval_event SET hash = 'f00' WHERE seq = 5`, 5],
    ['rows that changed places', 'UPDATE approval_event SET seq = -seq; UPDATE approval_event SET seq = seq + 7', 1],
  ];
  it.each(spoilt)('finds %s', (_, sql, seq) => {
    fill(6);
    tamper(sql);
    expect(store.audit.verify()).toMatchObject({ ok: false, seq });
  });

  it('finds a cut tail by what a boot wrote down, and one that was grown again', () => {
    const boot = store.boots.begin(1, 0);
    fill(6);
    store.audit.mark(boot.id);
    expect(store.audit.verify().ok).toBe(true);
    tamper('DELETE FROM approval_event WHERE seq > 4');
    expect(store.audit.verify()).toMatchObject({ ok: false, seq: 5 });
    fill(6);
    expect(store.audit.verify()).toMatchObject({ ok: false, seq: 6 });
  });
});
