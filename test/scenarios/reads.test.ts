import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readRunFile } from '../../src/process/single-instance.ts';
import { openReadOnly } from '../../src/store/open.ts';
import { ask, signIn } from '../http/site.ts';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

const MINUTE = 60_000;
const CONFIG = 'cron:\n  timezone: Europe/Berlin\n  stagger_s: 0\n';

/** Every byte of the database: the file, and what is written beside it. */
function bytes(): ReadonlyMap<string, Buffer> {
  const files = ['hermod.db', 'hermod.db-wal'].map((name) => join(world.home, name));
  return new Map(files.map((path) => [path, existsSync(path) ? readFileSync(path) : Buffer.alloc(0)]));
}

const changed = (before: ReadonlyMap<string, Buffer>) =>
  [...bytes()].flatMap(([path, now]) => (before.get(path)?.equals(now) ? [] : [path]));

const COMMANDS: readonly (readonly [line: string, code: number, says: RegExp])[] = [
  ['jobs list', 0, /say tick: every 10 min/],
  ['jobs list --json', 0, /"name":"say tick"/],
  ['jobs show JOB', 0, /say tick/],
  ['jobs next JOB', 0, /say tick/],
  ['jobs next every weekday at 9am', 0, /^Europe\/Berlin\n {2}\w{3} /],
  ['jobs next 30m', 1, /Once or again and again/],
  ['jobs history JOB', 0, /ok, delivered/],
  ['jobs preview every weekday at 9am --tz Berlin', 0, /Europe\/Berlin/],
  ['jobs preview 30m', 1, /Once or again and again/],
  ['jobs doctor', 0, /^ok, 1 jobs/],
];

async function readAll(id: string): Promise<void> {
  for (const [line, code, says] of COMMANDS) {
    const answer = await world.hermod(...line.replace('JOB', id).split(' '));
    expect([line, answer.code, answer.err]).toEqual([line, code, '']);
    expect([line, answer.out]).toEqual([line, expect.stringMatching(says)]);
  }
}

it('reads of what is scheduled leave every byte of the database, and what is due fires afterwards (schedule 12, schedule 27)', async () => {
  world = await World.open({ config: CONFIG });
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes say tick');
  const id = /^Job (\w{4})/.exec((await anna.hears(/^Job \w{4} /)).text)?.[1] ?? '';
  await world.clock.skip(10 * MINUTE + 1000);
  await anna.hears(/^tick$/);
  await world.delivered();
  const { url } = readRunFile(world.home) ?? {};
  const page = await signIn({ url: url as string, http: { loginUrl: () => world.app.loginUrl() } as never });
  await world.until('the turns to end', () => world.app.status().turns.unfinished === 0);
  await world.clock.skip(10 * MINUTE - 3000);

  // A second past the next slot, which nobody has looked at yet.
  world.clock.stall(4000);
  const before = bytes();
  await readAll(id);
  const status = await world.hermod('status');
  expect([status.code, status.out]).toEqual([0, expect.stringMatching(/^hermod .* ready/)]);
  expect(status.out).toMatch(/^jobs: 1 on, 0 running, 0 waiting; next "say tick" .* \(\+0\d:00\), in \d+ min$/m);
  expect((await world.hermod('status', '--json')).out).toContain('"jobs":{');
  for (const path of ['/', '/c/main', '/c/main/messages', '/healthz', '/readyz'])
    expect([path, (await page.get(path, { accept: 'text/html' })).status]).toEqual([path, 200]);
  const { token } = readRunFile(world.home) ?? {};
  for (const path of ['/api/v1/jobs', `/api/v1/jobs/${id}`]) {
    const { status, body } = await ask(url as string, path, { headers: { authorization: `Bearer ${token}` } });
    expect([path, status, body]).toEqual([path, 200, expect.stringMatching(/"name":"say tick".*"next":\["20/)]);
  }
  expect((await page.get('/api/v1/jobs/nothing')).status).toBe(404);
  expect(changed(before)).toEqual([]);

  await world.clock.skip(0);
  await world.until('the slot to fire', () => anna.sees().filter(({ text }) => text === 'tick').length === 2);

  // In a chat the question and its answer are rows of their own; of the jobs nothing moves.
  const rows = () => {
    const db = openReadOnly(join(world.home, 'hermod.db'));
    const tables = ['jobs', 'job_revs', 'firings', 'firing_gaps', 'firing_deliveries', 'time_zones'];
    const all = tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all());
    db.close();
    return JSON.stringify(all);
  };
  await world.delivered();
  const kept = rows();
  for (const [words, says] of [
    ['/jobs', /say tick: every 10 min/],
    [`/jobs show ${id}`, /Made by Anna/],
    [`/jobs next ${id}`, /every 10 min/],
    ['/jobs next every weekday at 9am', /09:00 \(\+0/],
    [`/jobs history ${id}`, /ok, delivered/],
    ['/status', /^jobs: 1 on, 0 running, 0 waiting; next "say tick" .*, in \d+ (?:s|min)/m],
    ['list jobs', /every 10 min/],
  ] as const) {
    const seen = anna.sees().length;
    anna.says(words);
    await world.until(`the answer to ${words}`, () =>
      anna
        .sees()
        .slice(seen)
        .some(({ text }) => says.test(text)),
    );
    expect([words, rows()]).toEqual([words, kept]);
  }

  // Without a daemon, too.
  await world.delivered();
  await world.stop();
  const down = bytes();
  await readAll(id);
  expect((await world.hermod('status')).code).toBe(1);
  expect(changed(down)).toEqual([]);

  // A record that somebody took away is found.
  const newest = 'SELECT id FROM firings ORDER BY slot_at DESC LIMIT 1';
  world.sql(`DELETE FROM firing_deliveries WHERE firing IN (${newest}); DELETE FROM firings WHERE id IN (${newest})`);
  expect(await world.hermod('jobs', 'doctor')).toMatchObject({
    code: 3,
    err: expect.stringMatching(/^[0-9a-f]{12}: no record of the slot \w{3} \d+ /) as string,
  });
});
