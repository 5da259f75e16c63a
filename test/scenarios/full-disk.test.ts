import Database from 'better-sqlite3';
import { afterEach, expect, it, vi } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

/** The database as hermod itself has it open. */
async function opened(): Promise<Database.Database> {
  const seen = new Set<Database.Database>();
  const { pragma } = Database.prototype;
  vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, ...args) {
    seen.add(this);
    return pragma.apply(this, args);
  });
  world = await World.open();
  const [db] = [...seen].filter(({ name, readonly }) => name.endsWith('hermod.db') && !readonly);
  if (!db) throw new Error('hermod opened no database');
  return db;
}

/** SQLite itself refuses to grow it, as on a full disk; the way back. */
function fill(db: Database.Database): () => void {
  const before = db.pragma('max_page_count', { simple: true });
  db.pragma(`max_page_count = ${String(db.pragma('page_count', { simple: true }))}`);
  return () => void db.pragma(`max_page_count = ${String(before)}`);
}

it('a disk that is full: nothing is acknowledged, people are told; with room again, without a restart, all is answered once (h101064, h88235) (gateway 27)', async () => {
  const db = await opened();
  const anna = world.person(1, 'Anna');
  anna.says('say one');
  await anna.hears(/one$/);
  await world.delivered();
  const empty = fill(db);
  const long = `say ${'two '.repeat(900)}three`;
  anna.says(long);
  await anna.hears(/^I cannot read my database, so I did not keep your message\./);
  expect(world.log.join('')).toContain('database or disk is full');
  expect(world.telegram.world.waiting).toHaveLength(1);
  empty();
  await world.clock.skip(60_000);
  await anna.hears(/^two .*three$/);
  await anna.hears(/^I can keep messages again\./);
  await world.delivered();
  const said = (pattern: RegExp) => anna.sees().filter(({ text }) => pattern.test(text)).length;
  expect([said(/three$/), said(/did not keep/), said(/can keep messages again/)]).toEqual([1, 1, 1]);
  expect(world.app.status().inboxOpen).toBe(0);
});
