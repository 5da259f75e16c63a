import { afterEach, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

it('ten reconnects are no boot and weigh nothing; whoever writes meanwhile is answered once (gateway 7)', async () => {
  world = await World.open();
  const anna = world.person(1, 'Anna');
  const streak = world.app.status().life.streak;
  for (let i = 0; i < 10; i++) {
    const broke = Object.assign(new Error('socket'), {
      stack: 'Error: socket\n    at /x/node_modules/grammy/out/bot.js:1:1',
    });
    expect(world.app.blames(broke)).toBe(true);
    anna.says(`say number ${i}`);
    await world.clock.skip(3_000);
    await anna.hears(new RegExp(`number ${i}$`));
    // Proven again: the next pause is a short one.
    await world.clock.skip(61_000);
  }
  await world.delivered();
  expect(anna.sees().filter(({ text }) => /number \d$/.test(text))).toHaveLength(10);
  expect(world.app.status().life).toMatchObject({ streak, ends: [] });
  await world.stop();
  await world.boot();
  expect(world.app.status().life.ends).toHaveLength(1);
});

it('a poll that is accepted and never answered: degraded, built anew within 90 s of that, and heard again (h18086, h55992, h66377) (gateway 24)', async () => {
  world = await World.open();
  const anna = world.person(1, 'Anna');
  anna.says('say one');
  await anna.hears(/one$/);
  const hang = world.telegram.fault('getUpdates', { kind: 'hang', times: 1e9 });
  const state = () => world.app.status().platforms.find(({ name }) => name === 'telegram')?.state;
  const waitFor = async (holds: () => boolean): Promise<number> => {
    const since = world.clock.now();
    while (!holds() && world.clock.now() - since < 600_000) {
      await world.clock.skip(5_000);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return world.clock.now() - since;
  };
  const bound = 90_000;
  await waitFor(() => hang.hits > 0);
  expect(await waitFor(() => state() === 'degraded')).toBeLessThanOrEqual(2 * bound);
  const before = hang.hits;
  expect(await waitFor(() => hang.hits > before)).toBeLessThanOrEqual(bound);
  expect(state()).not.toBe('connected');
  anna.says('say two');
  hang.clear();
  expect(await waitFor(() => anna.sees().some(({ text }) => /^two$/.test(text)))).toBeLessThanOrEqual(2 * bound);
  expect(state()).toBe('connected');
});
