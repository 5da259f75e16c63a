import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openReadOnly } from '../../src/store/open.ts';
import { ModelServer } from '../fakes/model-server.ts';
import { World } from './world.ts';

let world: World;
let model: ModelServer | undefined;
afterEach(async () => {
  await world.close();
  await model?.stop();
  model = undefined;
});

const MINUTE = 60_000;
const CONFIG = 'cron:\n  timezone: Europe/Berlin\n  stagger_s: 0\n';

/** Firings with what became of their answers, oldest first. */
function firings(): readonly string[] {
  const db = openReadOnly(join(world.home, 'hermod.db'));
  try {
    return db
      .prepare<[], string>(
        `SELECT f.state || coalesce(' ' || d.state, '') FROM firings f LEFT JOIN firing_deliveries d ON d.firing = f.id
         WHERE f.ended_at IS NOT NULL ORDER BY f.rowid`,
      )
      .pluck()
      .all();
  } finally {
    db.close();
  }
}

it('the echo of a job is there although the model fails after making it, and says nothing after changing it (schedule 17)', async () => {
  const call = (input: object) => ({ calls: [{ name: 'schedule', arguments: input }] });
  const orders = [
    call({ action: 'create', when: 'every weekday at 9am', prompt: 'say the weather', name: 'Weather' }),
    { status: 401, body: { error: { message: 'No such key.' } } },
    call({ action: 'update', job: 'Weather', when: 'every day at 10' }),
    { say: '' },
  ];
  model = await ModelServer.start({ replies: () => orders.shift() ?? { say: '' } });
  const provider = `providers:\n  fake:\n    kind: openai_compatible\n    base_url: ${model.url}\n`;
  world = await World.open({ config: `${CONFIG}model:\n  primary: fake:some-model\n  attempts: 1\n${provider}` });
  const anna = world.person(1, 'Anna');
  anna.says('the weather, each working day at nine');
  await anna.hears(/^Job \w{4} "Weather": every weekday at 09:00, Europe\/Berlin\nNext: \w{3} /);
  await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
  anna.says('rather every day at ten');
  const echo = await anna.hears(/^Job \w{4} "Weather": every day at 10:00, Europe\/Berlin\nNext: \w{3} /);
  expect(echo.buttons.flat()).toEqual(['Pause', 'Run now', 'Delete', 'Show next']);
  await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
  await world.delivered();
  expect(anna.sees().filter(({ text }) => /^Job \w{4} /.test(text))).toHaveLength(2);
});

it('a SIGTERM between the end of a firing and its send loses nothing: it is sent once after the boot (schedule 20)', async () => {
  world = await World.open({ config: `${CONFIG}stop:\n  flush_s: 0\n` });
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes say tick');
  await anna.hears(/^Job \w{4} /);
  await world.delivered();
  const refusal = { kind: 'refuse', status: 503, times: 99 } as const;
  const fault = world.telegram.fault('sendMessage', { ...refusal, when: ({ text }) => text === 'tick' });
  await world.clock.skip(10 * MINUTE + 1000);
  await world.until('the firing to end', () => firings().length === 1);
  expect(firings()).toEqual(['ok pending']);
  await world.stop();
  fault.clear();
  await world.boot();
  await world.clock.skip(MINUTE);
  await anna.hears(/^tick$/);
  await world.delivered();
  expect(firings()).toEqual(['ok delivered']);
  expect(anna.sees().filter(({ text }) => /^tick$/m.test(text))).toHaveLength(1);
});

it('a SIGTERM during a firing lets it end, and what it says is sent before hermod is gone (schedule 20)', async () => {
  world = await World.open({ config: CONFIG });
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes run sleep 0.5; echo well done');
  await anna.hears(/^Job \w{4} /);
  await world.clock.skip(10 * MINUTE + 1000);
  await world.until('the firing', () => world.app.status().jobs?.running === 1);
  await world.stop();
  expect(firings()).toEqual(['ok delivered']);
  expect(anna.sees().filter(({ text }) => /^well done$/m.test(text))).toHaveLength(1);
});

it('a job may follow another: after each good run of it, and after one by hand when asked with --chain (schedule 22)', async () => {
  world = await World.open({ config: `${CONFIG}home:\n  telegram: telegram:1\n` });
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes say first');
  const id = /^Job (\w{4})/.exec((await anna.hears(/^Job \w{4} /)).text)?.[1] ?? '';
  const added = await world.hermod('jobs', 'add', '--after', id, 'say second', '--deliver', 'home:telegram');
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/after job \w{4}|after /) as string });
  const said = (word: string) => anna.sees().filter(({ text }) => text === word).length;
  await world.clock.skip(10 * MINUTE + 1000);
  await world.until('both', () => said('first') === 1 && said('second') === 1);
  expect((await world.hermod('jobs', 'run', id)).out).toMatch(/^Started/);
  await world.until('the first', () => said('first') === 2);
  expect((await world.hermod('jobs', 'run', id, '--chain')).out).toMatch(/^Started/);
  await world.until('both', () => said('first') === 3 && said('second') === 2);
  await world.until('all of them to end', () => firings().length === 5);
});

it('jobs tick without any platform token, and what they said is sent when there is one again (schedule 28)', async () => {
  world = await World.open({ config: CONFIG });
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes say tick');
  await anna.hears(/^Job \w{4} /);
  await world.delivered();
  await world.stop();
  await world.boot({ telegram: false });
  await world.clock.skip(10 * MINUTE + 1000);
  await world.until('the firing', () => firings().length === 1);
  await world.clock.skip(10 * MINUTE);
  await world.until('the next one', () => firings().length === 2);
  expect(firings()).toEqual(['ok pending', 'ok pending']);
  await world.stop();
  await world.boot();
  await world.until('both to arrive', () => anna.sees().filter(({ text }) => text === 'tick').length === 2);
});

it('a Discord that never lets hermod in delays no job of Telegram (schedule 28)', async () => {
  world = await World.open({ discord: true, config: CONFIG });
  const anna = world.person(1, 'Anna');
  anna.says('every 10 minutes say tick');
  await anna.hears(/^Job \w{4} /);
  await world.delivered();
  await world.stop();
  world.discord.fault(/./, { kind: 'refuse', status: 503, times: 100_000 });
  await world.boot();
  await world.clock.skip(10 * MINUTE - 5000);
  expect(firings()).toEqual([]);
  await world.clock.skip(6000);
  await anna.hears(/^tick$/);
  expect(world.app.status().platforms.find(({ name }) => name === 'discord')?.state).not.toBe('connected');
});
