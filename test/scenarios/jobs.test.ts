import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

const CONFIG = 'cron:\n  timezone: Europe/Berlin\n  stagger_s: 0\n';

describe('a reminder', () => {
  it('comes once, in the chat it was asked for', async () => {
    world = await World.open({ config: CONFIG });
    const anna = world.person(1, 'Anna');
    anna.says('in 2 minutes remind me to stretch');
    await anna.hears(/^Job \w{4} .*once,/);
    await world.clock.skip(121_000);
    await anna.hears(/^Reminder: stretch$/);
    await world.delivered();
    await world.clock.skip(600_000);
    await world.delivered();
    expect(anna.sees().filter(({ text }) => /^Reminder: stretch/.test(text))).toHaveLength(1);
  });
});
