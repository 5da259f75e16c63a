import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const GROUP = -100;

let world: World;
afterEach(() => world.close());

const settled = () => world.until('an end of everything', () => world.app.status().inboxOpen === 0);

describe('what waits at the boot', () => {
  it('six updates: six ends, each said to its person; words come with their age (h87040, h22899) (gateway 19) (gateway 33)', async () => {
    world = await World.open();
    world.telegram.group(GROUP, { title: 'Family' });
    const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
    anna.says('say zero');
    const zero = await anna.hears(/zero$/);
    await settled();
    await world.delivered();
    await world.stop();
    anna.says('say one');
    anna.says('/stop');
    anna.says('/status');
    ben.says('say two');
    ben.says('@hermod_test_bot say three', GROUP);
    anna.person.pressesData(zero, 'h1:ap:of-long-ago:o');
    await world.clock.skip(5 * 60_000);
    await world.boot();
    await anna.hears(/^one$/);
    await ben.hears(/two$/);
    await ben.hears(/three$/, GROUP);
    await anna.hears(/^\/stop was sent before I was back; not done\.$/);
    await settled();
    await world.delivered();
    expect(world.inboxRows().slice(1)).toEqual([
      'message answered',
      'command answered',
      'command answered',
      'message answered',
      'message answered',
      'press answered',
    ]);
    expect(world.telegram.world.waiting).toEqual([]);
    const heard = (await world.transcript()).filter((text) => /say (one|two|three)$/.test(text));
    expect(heard).toEqual(Array(3).fill(expect.stringMatching(/^\[.*written 5 min ago.*\]\n/)));
    const copies = (pattern: RegExp) => anna.sees().filter(({ text }) => pattern.test(text)).length;
    expect([copies(/^one$/), copies(/not done/), copies(/^hermod \d/m)]).toEqual([1, 1, 1]);
  });
});

describe('what comes twice', () => {
  it('is one turn: again, after a restart, over two sockets, with ids that jump down (h68502, h18187, o122886) (gateway 20)', async () => {
    world = await World.open({ discord: true });
    const [anna, mia] = [world.person(1, 'Anna'), world.member(1, 'Mia')];
    const { world: chat } = world.telegram;
    anna.says('say once');
    const [update] = chat.waiting;
    if (!update) throw new Error('Telegram has nothing for the bot');
    const confirmed = () => world.until('Telegram to forget it', () => chat.waiting.length === 0);
    await anna.hears(/once$/);
    await confirmed();
    chat.repeat(update);
    await confirmed();
    world.discord.gateway.doubles = true;
    mia.says('say twice');
    await mia.hears(/twice$/);
    await world.stop();
    // A poll that Telegram still holds open would confirm all ids below its own.
    await world.until('the end of the last poll', () => !world.telegram.polls.polling);
    chat.repeat(update);
    chat.nextUpdateId = 17;
    anna.says('say lower');
    await world.boot();
    await anna.hears(/^lower$/);
    await confirmed();
    mia.says('say thrice');
    await mia.hears(/^thrice$/);
    await settled();
    await world.delivered();
    expect(world.inboxRows()).toEqual(Array(4).fill('message answered'));
    expect([anna.sees().length, mia.sees().length]).toEqual([2, 2]);
  });
});
