import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const GROUP = -100;

let world: World;
afterEach(() => world.close());

async function asked(where: 'dm' | number = 'dm') {
  world = await World.open();
  world.telegram.group(GROUP, { title: 'Family' });
  const anna = world.person(1, 'Anna');
  anna.says(`${where === 'dm' ? '' : '@hermod_test_bot '}ask me Which colour?: red or green`, where);
  const card = await anna.isAsked(/Which colour\?/, where);
  await world.delivered();
  // People read before they answer, and Telegram dates messages by the second.
  await world.clock.skip(2_000);
  return { anna, card };
}

describe('a question of the agent', () => {
  it('is answered with a button, and the turn goes on with the answer', async () => {
    const { anna, card } = await asked();
    expect(card.buttons.flat()).toEqual(['red', 'green']);
    expect(await anna.presses(card, 'green')).toBe('Answered.');
    await anna.hears(/I called clarify with Which colour\?[\s\S]*green/);
    await anna.hears(/^Which colour\?[\s\S]*Answered by Anna/);
  });

  it('takes the next message of a direct chat, which is no new turn', async () => {
    const { anna } = await asked();
    anna.says('blue, please');
    await anna.hears(/I called clarify[\s\S]*blue, please/);
    await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
    expect(world.app.status().inboxOpen).toBe(0);
  });

  it('in a group is for who asked, as a reply', async () => {
    const { anna, card } = await asked(GROUP);
    const ben = world.person(2, 'Ben');
    expect(await ben.presses(card, 'red')).toBe('Only Anna can answer this.');
    anna.person.says(GROUP, 'red it is', { replyTo: card.id });
    await anna.hears(/I called clarify[\s\S]*red it is/, GROUP);
  });

  it('waits over a restart for the same answer', async () => {
    const { anna, card } = await asked();
    await world.stop();
    await world.boot();
    expect(await anna.presses(card, 'red')).toBe('Answered.');
    await anna.hears(/I called clarify[\s\S]*red/);
    expect(anna.sees().filter(({ text }) => text.startsWith('Which colour?'))).toHaveLength(1);
  });

  it('ends with /stop', async () => {
    const { anna } = await asked();
    anna.says('/stop');
    await anna.hears(/^Stopped\./);
    await anna.hears(/^Which colour\?\nNot answered/);
    expect(anna.sees().every(({ buttons }) => buttons.length === 0)).toBe(true);
    await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
  });
});
