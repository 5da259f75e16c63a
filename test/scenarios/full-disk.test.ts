import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

/** Rows that cannot be written while hermod runs; the way back. */
function fill(home: string): () => void {
  const db = new Database(join(home, 'hermod.db'));
  const tables = ['inbox', 'outbox'];
  const deny = (table: string) =>
    `CREATE TRIGGER full_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;`;
  db.exec(tables.map(deny).join('\n'));
  return () => {
    db.exec(tables.map((table) => `DROP TRIGGER full_${table};`).join('\n'));
    db.close();
  };
}

it('a disk that is full: nothing is acknowledged, people are told; with room again, without a restart, all is answered once', async () => {
  world = await World.open();
  const anna = world.person(1, 'Anna');
  anna.says('say one');
  await anna.hears(/one$/);
  const empty = fill(world.home);
  anna.says('say two');
  await anna.hears(/^I cannot read my database, so I did not keep your message\./);
  empty();
  await world.clock.skip(60_000);
  await anna.hears(/^two$/);
  await anna.hears(/^I can keep messages again\./);
  await world.delivered();
  const said = (pattern: RegExp) => anna.sees().filter(({ text }) => pattern.test(text)).length;
  expect([said(/^two$/), said(/did not keep/), said(/can keep messages again/)]).toEqual([1, 1, 1]);
  expect(world.app.status().inboxOpen).toBe(0);
});
