import { afterEach, describe, expect, it } from 'vitest';
import type { Member } from './member.ts';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

/** Every turn ends, and people take their time: hermod sends so many messages in so many seconds. */
async function ended(): Promise<void> {
  await world.until('every turn to end', () => world.app.status().turns.unfinished === 0);
  await world.delivered();
  await world.clock.skip(10_000);
}

/** Where people talk to hermod: their direct chat, a channel of a guild, a thread in it. */
const PLACES: readonly (readonly [string, () => string])[] = [
  ['a direct chat', () => 'dm'],
  ['a guild channel', () => world.discord.channel('ops').wire.id],
  ['a thread', () => world.discord.thread(world.discord.channel('ops'), 'cleaning').wire.id],
];

describe.each(PLACES)('in %s', (_, placeOf) => {
  it('people chat, approve, schedule, and go on after a restart', async () => {
    world = await World.open({ discord: true, telegram: false });
    const where = placeOf();
    const anna = world.member(1, 'Anna');
    await chats(anna, where);
    await approves(anna, where);
    await schedules(anna, where);
    await goesOn(anna, where);
    const elsewhere = [...world.discord.world.channels.keys()].filter((id) => id !== idOf(anna, where));
    expect(elsewhere.flatMap((id) => world.discord.said(id))).toEqual([]);
  });
});

const idOf = (anna: Member, where: string) => (where === 'dm' ? anna.person.dm.wire.id : where);

/** In a guild the bot is called; in a direct chat that would be odd. */
function asks(anna: Member, text: string, where: string): void {
  if (where === 'dm') anna.says(text);
  else anna.calls(text, where);
}

async function chats(anna: Member, where: string): Promise<void> {
  asks(anna, 'say quokka', where);
  await anna.hears(/quokka$/, where);
  await ended();
}

async function approves(anna: Member, where: string): Promise<void> {
  world.write('build/app.js', 'x');
  asks(anna, 'delete the folder build', where);
  const card = await anna.isAsked(/rm -r -- 'build'/, where);
  expect(world.has('build/app.js')).toBe(true);
  expect(await anna.presses(card, 'Once')).toMatch(/Allowed once/);
  await world.until('the folder to be gone', () => !world.has('build'));
  await ended();
}

async function schedules(anna: Member, where: string): Promise<void> {
  asks(anna, 'remind me in 2 minutes to stretch', where);
  await anna.hears(/^Job \w{4} .*once,/, where);
  await ended();
  await world.clock.skip(121_000);
  await anna.hears(/^Reminder: stretch$/, where);
  await world.delivered();
}

/** The restart finds a card nobody has answered and a message nobody has heard. */
async function goesOn(anna: Member, where: string): Promise<void> {
  world.write('dist/app.js', 'x');
  asks(anna, 'delete the folder dist', where);
  const card = await anna.isAsked(/rm -r -- 'dist'/, where);
  await world.delivered();
  await world.stop();
  asks(anna, 'say narwhal', where);
  await world.boot();
  expect(await anna.presses(card, 'Once')).toMatch(/Allowed once/);
  await world.until('the folder to be gone', () => !world.has('dist'));
  await world.clock.skip(10_000);
  await anna.hears(/narwhal$/, where);
  await ended();
  await world.delivered();
  expect(anna.sees(where).filter(({ text }) => /narwhal$/.test(text))).toHaveLength(1);
}
