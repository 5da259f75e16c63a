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
