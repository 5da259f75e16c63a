import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { type Someone, World } from './world.ts';

let world: World;
afterEach(() => world.close());

const MINUTE = 60_000;
const CONFIG =
  'cron:\n  timezone: Europe/Berlin\n  stagger_s: 0\n  drain_s: 0\n  max_parallel: 1\nstop:\n  turns_s: 0\n';

function rows<T>(sql: string): readonly T[] {
  const db = openReadOnly(join(world.home, 'hermod.db'));
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

/** Firings of jobs by name: what started each, how often it was claimed, how it ended, and every decision made inside it. */
const firings = (name: string) =>
  rows<{ firing: string; decided: string | null }>(`
    SELECT f.trigger || ' ' || f.attempt || ' ' || f.state AS firing,
      (SELECT group_concat(what, ', ') FROM (
        SELECT json_extract(a.body, '$.kind') || ' ' || json_extract(a.body, '$.depth') || ' ' || json_extract(a.body, '$.authority')
          || ' ' || json_extract(a.body, '$.label') || ' ' || json_extract(a.body, '$.command') AS what
        FROM approval_event a WHERE a.event = 'decided' AND json_extract(a.body, '$.session') = f.session ORDER BY a.seq)) AS decided
    FROM firings f JOIN jobs j ON j.id = f.job WHERE j.name = '${name}' AND f.ended_at IS NOT NULL ORDER BY f.claimed_at, f.rowid`).map(
    ({ firing, decided }) => `${firing}: ${decided}`,
  );

const asked = () => rows("SELECT 1 FROM approvals WHERE kind <> 'offer'").length;
const offers = (someone: Someone, about: string) =>
  someone.sees().filter(({ text, buttons }) => text.includes(about) && buttons.flat().includes('Allow for this job'));
const ended = (name: string, count: number) =>
  world.until(`firing ${count} of "${name}" to end`, () => firings(name).length >= count);

it('a job made in a chat, armed again at a boot, run by hand, begun again and handing work on is a job each time; one yes lets exactly one command through (schedule 13, schedule 14)', async () => {
  world = await World.open({ config: CONFIG });
  world.write('build/app.js', 'x');
  world.write('cache/page.html', 'x');
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes run rm -rf build');
  const made = await anna.hears(/^Job \w{4} .*every 10 min/);
  const id = /^Job (\w{4})/.exec(made.text)?.[1] ?? '';
  anna.says(`/jobs edit ${id} | run rm -rf build then run touch after.txt`);
  await world.until('the edit', () => rows('SELECT 1 FROM jobs WHERE rev = 2').length === 1);
  const refusedAt = (depth: number, command: string) => `cron ${depth} cron block:cron ${command}`;

  // Armed again at a boot: the ticker of another process life.
  await world.delivered();
  await world.stop();
  await world.boot();
  await world.clock.skip(10 * MINUTE + 1000);
  await ended('rm -rf build', 1);
  expect(world.has('after.txt')).toBe(true);

  // By hand, out of the chat.
  const hand = world.clock.now();
  anna.says(`/jobs run ${id}`);
  await ended('rm -rf build', 2);
  expect(world.clock.now() - hand).toBeLessThan(MINUTE);

  // Begun again: claimed behind a firing that a stop ended, and taken up by the next boot as its second attempt.
  anna.says('/jobs add in 9m | run sleep 300');
  await anna.hears(/sleep 300/);
  await world.clock.skip(9 * MINUTE + 5000);
  await world.until('the long firing', () => world.app.status().jobs?.running === 1);
  await world.clock.skip(MINUTE);
  await world.until('the next one to wait', () => world.app.status().jobs?.waiting === 1);
  await world.stop();
  await world.boot();
  await ended('rm -rf build', 3);

  expect(firings('rm -rf build')).toEqual([
    `schedule 1 ok: ${refusedAt(0, 'rm -rf build')}`,
    `manual 1 ok: ${refusedAt(0, 'rm -rf build')}`,
    `schedule 2 ok: ${refusedAt(0, 'rm -rf build')}`,
  ]);
  expect(world.has('build/app.js')).toBe(true);

  // A worker of a job.
  anna.says('/jobs add every 10m | delegate run rm -rf cache then run touch worker.txt');
  await anna.hears(/^Job \w{4} .*delegate run/);
  await world.clock.skip(10 * MINUTE + 1000);
  await world.until('the worker to be done', () => world.has('worker.txt'));
  await ended('delegate run rm -rf cache then run touch worker.txt', 1);
  expect(firings('delegate run rm -rf cache then run touch worker.txt')).toEqual([
    `schedule 1 ok: ${refusedAt(1, 'rm -rf cache')}`,
  ]);
  expect(world.has('cache/page.html')).toBe(true);

  // Nobody was asked while any of them ran; the owner has one card a command, however many firings were refused it.
  await world.delivered();
  expect(asked()).toBe(0);
  expect([offers(anna, 'rm -rf build'), offers(anna, 'rm -rf cache')].map(({ length }) => length)).toEqual([1, 1]);

  // The yes: this command, in this job.
  anna.says(`/jobs edit ${id} | run rm -rf build then run rm -rf build cache then run rm -rf /`);
  await world.until('the edit', () => rows('SELECT 1 FROM jobs WHERE rev = 3').length === 1);
  const before = firings('rm -rf build').length;
  const [card] = offers(anna, 'rm -rf build');
  await anna.presses(card as never, 'Allow for this job');
  await world.clock.skip(10 * MINUTE + 1000);
  await ended('rm -rf build', before + 1);
  expect(firings('rm -rf build').at(-1)).toBe(
    `schedule 1 ok: ${[
      'cron 0 cron allow:job rm -rf build',
      refusedAt(0, 'rm -rf build cache'),
      'cron 0 cron block:hardline rm -rf /',
    ].join(', ')}`,
  );
  expect([world.has('build'), world.has('cache/page.html')]).toEqual([false, true]);
  await world.delivered();
  // A hardline is never offered, and another job has nothing of the yes.
  expect(offers(anna, 'rm -rf build cache')).toHaveLength(1);
  expect(anna.sees().filter(({ text, buttons }) => buttons.length > 0 && /rm -rf \/(\s|$)/m.test(text))).toEqual([]);
  world.write('build/app.js', 'x');
  anna.says('/jobs add in 2m | run rm -rf build');
  await anna.hears(/^Job \w{4} "run rm -rf build": once/);
  await world.clock.skip(2 * MINUTE + 1000);
  await ended('run rm -rf build', 1);
  expect(firings('run rm -rf build')).toEqual([`schedule 1 ok: ${refusedAt(0, 'rm -rf build')}`]);
  expect(asked()).toBe(0);
}, 30_000);
