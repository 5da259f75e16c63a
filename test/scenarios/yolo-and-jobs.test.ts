import { afterEach, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

it('a job made by message in a chat whose yolo is on has the policy of jobs at its firing, and asks nobody', async () => {
  world = await World.open({ config: 'cron:\n  timezone: Europe/Berlin\n  stagger_s: 0\n' });
  const anna = world.person(1, 'Anna');
  world.write('build/app.js', 'x');
  world.write('src/app.js', 'x');
  anna.says('hello');
  await anna.hears(/Hello!/);
  anna.says('/yolo');
  await anna.hears(/^Yolo for 1 h/);
  anna.says('every 10 minutes run rm -rf build');
  await anna.hears(/^Job \w{4} /);
  anna.says('run rm -rf src');
  await world.until('the chat to do it without asking', () => !world.has('src'));
  await world.clock.skip(10 * 60_000 + 1000);
  await world.until('the offer after the firing', () =>
    anna.sees().some(({ buttons }) => buttons.flat().includes('Allow for this job')),
  );
  await world.delivered();
  expect(world.has('build/app.js')).toBe(true);
  const asked = anna.sees().filter(({ buttons }) => buttons.flat().includes('Once'));
  expect(asked).toEqual([]);
  // The clock has passed an hour of it, and the chat is asked again.
  await world.clock.skip(51 * 60_000);
  world.write('src/app.js', 'x');
  anna.says('run rm -rf src');
  const card = await anna.isAsked(/rm -rf src/);
  expect(card.buttons.flat()).toContain('Once');
});
