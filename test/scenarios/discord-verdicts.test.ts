import { afterEach, describe, expect, it } from 'vitest';
import type { Visible } from '../fakes/discord-server.ts';
import type { Member } from './member.ts';
import { World } from './world.ts';

let world: World;
let where: string;
let anna: Member;
let card: Visible;
afterEach(() => world.close());

/** Anna is asked whether to delete a folder, in a channel. */
async function asked(): Promise<string> {
  world.write('build/app.js', 'x');
  where = world.discord.channel('ops').wire.id;
  anna = world.member(1, 'Anna');
  anna.calls('delete the folder build', where);
  card = await anna.isAsked(/rm -r -- 'build'/, where);
  await world.delivered();
  return /Code (\w{4})/.exec(card.text)?.[1] ?? '';
}

/** The ways to answer: each gives what its person reads of it. */
const WAYS: readonly (readonly [string, (who: Member, code: string) => Promise<string>])[] = [
  ['button', (who) => who.presses(card, 'Once')],
  ['form', (who) => who.explains(card, 'Deny with reason', 'because')],
  ['slash command', (who, code) => who.commands('approve', code, where)],
  [
    'message',
    async (who, code) => {
      const before = who.sees(where).length;
      who.calls(`/approve ${code}`, where);
      return world.until('an answer', () => who.sees(where)[before]?.text);
    },
  ],
];

describe('an answer on Discord', () => {
  it.each([
    ['a stranger', 66, /You cannot answer this|I do not know you yet/],
    ['somebody who may talk and not decide', 2, /Only Anna or an approver can answer this/],
  ] as const)('of %s changes nothing, whichever way it comes (gateway 25)', async (_, person, sentence) => {
    world = await World.open({ discord: true, telegram: false });
    const code = await asked();
    const who = world.member(person, 'Somebody');
    for (const [way, answer] of WAYS) {
      // What a stranger writes in a channel is not answered there.
      if (person === 66 && way === 'message') who.calls(`/approve ${code}`, where);
      else expect([way, await answer(who, code)]).toEqual([way, expect.stringMatching(sentence)]);
    }
    await world.delivered();
    expect(world.has('build')).toBe(true);
    expect(anna.sees(where).find(({ id }) => id === card.id)).toMatchObject({ edits: 0, text: card.text });
    expect(world.app.status().turns.unfinished).toBe(1);
  });

  it('of the one who asked counts, whichever way it comes', async () => {
    world = await World.open({ discord: true, telegram: false });
    for (const [way, answer] of WAYS) {
      const code = await asked();
      const said = await answer(anna, code);
      const settled = way === 'form' ? /Denied by Anna[\s\S]*because/ : /Allowed once by Anna/;
      await world.until(`the card of ${code} settled by ${way}, which answered: ${said}`, () =>
        anna.sees(where).find(({ id, text }) => id === card.id && settled.test(text)),
      );
      await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
      expect([way, world.has('build')]).toEqual([way, way === 'form']);
      await world.delivered();
      await world.clock.skip(10_000);
    }
  });

  it('to the second of two cards leaves the first; one that comes twice is one, and edits its card once (gateway 25)', async () => {
    world = await World.open({ discord: true, telegram: false });
    await asked();
    const first = card;
    world.write('dist/app.js', 'x');
    anna.says('delete the folder dist');
    const second = await anna.isAsked(/rm -r -- 'dist'/);
    await world.delivered();
    world.discord.gateway.doubles = true;
    expect(await anna.presses(second, 'Once')).toBe('Allowed once.');
    world.discord.gateway.doubles = false;
    await world.until('the folder to be gone', () => !world.has('dist'));
    await world.delivered();
    expect(anna.sees().find(({ id }) => id === second.id)).toMatchObject({ edits: 1, buttons: [] });
    expect(anna.sees(where).find(({ id }) => id === first.id)).toMatchObject({ edits: 0, buttons: first.buttons });
    expect(world.has('build')).toBe(true);
  });

  it('is acknowledged while another process holds the store and a turn runs; it says that it does not count', async () => {
    world = await World.open({ discord: true, telegram: false });
    await asked();
    anna.says('slow 30');
    await anna.hears(/sleep 30/);
    await world.delivered();
    const hold = await world.holdStore();
    const press = anna.person.presses(card, 'Once');
    await world.until('the acknowledgement', () => press.response);
    expect(await world.until('a word of it', () => press.answer)).toMatch(/send it again later/);
    expect(world.has('build')).toBe(true);
    await hold.end();
    expect(await anna.presses(card, 'Once')).toBe('Allowed once.');
    await world.until('the folder to be gone', () => !world.has('build'));
    anna.says('/stop');
    await anna.hears(/^Stopped\./);
  });
});
