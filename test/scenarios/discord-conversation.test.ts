import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

const ended = () => world.until('every turn to end', () => world.app.status().turns.unfinished === 0);

describe('a conversation on Discord', () => {
  it('answers a direct message, streamed into one message', async () => {
    world = await World.open({ discord: true, telegram: false });
    const anna = world.member(1, 'Anna');
    anna.says('stream 60 words');
    const answer = await anna.hears(/.+/);
    await ended();
    await world.delivered();
    expect(anna.sees().filter(({ id }) => id === answer.id)).toHaveLength(1);
    expect(anna.sees()).toHaveLength(1);
  });

  it('asks before it deletes, in a direct chat, and keeps the command on the settled card', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const anna = world.member(1, 'Anna');
    anna.says('delete the folder build');
    const card = await anna.isAsked(/rm -r -- 'build'/);
    expect(world.has('build/app.js')).toBe(true);
    expect(await anna.presses(card, 'Once')).toMatch(/Allowed once/);
    await world.until('the folder to be gone', () => !world.has('build'));
    const settled = await anna.hears(/Allowed once by Anna/);
    expect(settled).toMatchObject({ id: card.id, buttons: [] });
    expect(settled.text).toContain("rm -r -- 'build'");
  });

  it('asks in the guild channel where it was called, and pings nobody but the one it asks', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const channel = world.discord.channel('ops').wire.id;
    const anna = world.member(1, 'Anna');
    anna.says('delete the folder build, somebody', channel);
    anna.calls('delete the folder build', channel);
    const card = await anna.isAsked(/rm -r -- 'build'/, channel);
    expect(world.discord.pinged(channel)).toEqual([anna.person.id]);
    expect(await anna.presses(card, 'Deny')).toMatch(/Denied/);
    await ended();
    expect(world.has('build/app.js')).toBe(true);
    expect(anna.sees(channel).filter(({ buttons }) => buttons.length > 0)).toEqual([]);
  });

  it('stays in the thread it was called into: words, card and answer', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const channel = world.discord.channel('ops');
    const thread = world.discord.thread(channel, 'cleaning').wire.id;
    const anna = world.member(1, 'Anna');
    anna.calls('hello', thread);
    await anna.hears(/.+/, thread);
    await ended();
    anna.says('delete the folder build', thread);
    const card = await anna.isAsked(/rm -r -- 'build'/, thread);
    await anna.presses(card, 'Once');
    await world.until('the folder to be gone', () => !world.has('build'));
    await ended();
    expect(anna.sees(channel.wire.id)).toEqual([]);
  });

  it('takes a reason by form and tells it to the model', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const anna = world.member(1, 'Anna');
    anna.says('delete the folder build');
    const card = await anna.isAsked(/rm -r -- 'build'/);
    expect(await anna.explains(card, 'Deny with reason', 'the release needs it')).toMatch(/Denied/);
    await anna.hears(/Denied by Anna.*the release needs it/s);
    await ended();
    expect(world.has('build/app.js')).toBe(true);
  });

  it('goes on after a restart: the card still works and its command runs once', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const anna = world.member(1, 'Anna');
    anna.says('delete the folder build');
    const card = await anna.isAsked(/rm -r -- 'build'/);
    await world.stop();
    await world.boot();
    await world.clock.skip(16 * 60_000);
    expect(await anna.presses(card, 'Once')).toMatch(/Allowed once/);
    await world.until('the folder to be gone', () => !world.has('build'));
    await ended();
    expect(anna.sees().filter(({ text }) => /Allowed once by Anna/.test(text))).toHaveLength(1);
  });

  it('answers what was written while it was down, once and in order', async () => {
    world = await World.open({ discord: true, telegram: false });
    const anna = world.member(1, 'Anna');
    anna.says('say quokka');
    await anna.hears(/quokka/);
    await ended();
    await world.stop();
    anna.says('say narwhal');
    anna.says('say axolotl');
    await world.boot();
    await anna.hears(/axolotl/);
    await ended();
    const said = anna.sees().map(({ text }) => /quokka|narwhal|axolotl/.exec(text)?.[0]);
    expect(said).toEqual(['quokka', 'narwhal', 'axolotl']);
  });

  it('does nothing for a stranger: message, button, form and slash command', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const channel = world.discord.channel('ops').wire.id;
    const anna = world.member(1, 'Anna');
    const eve = world.member(66, 'Eve');
    anna.calls('delete the folder build', channel);
    const card = await anna.isAsked(/rm -r -- 'build'/, channel);
    expect(await eve.presses(card, 'Once')).toMatch(/You cannot answer this; nothing changed/);
    expect(await eve.explains(card, 'Deny with reason', 'because')).toMatch(/You cannot answer this; nothing changed/);
    expect(await eve.commands('approve', 'all', channel)).toMatch(/I do not know you yet/);
    eve.calls('delete the folder build', channel);
    eve.says('hello');
    await eve.hears(/I do not know you yet/);
    expect(world.has('build/app.js')).toBe(true);
    expect(anna.sees(channel).find(({ id }) => id === card.id)?.buttons).not.toEqual([]);
    expect(anna.sees(channel)).toHaveLength(1);
  });

  it('answers a slash command to its sender alone', async () => {
    world = await World.open({ discord: true, telegram: false });
    const channel = world.discord.channel('ops').wire.id;
    const anna = world.member(1, 'Anna');
    expect(await anna.commands('help', undefined, channel)).toMatch(/\/status/);
    await world.delivered();
    expect(anna.sees(channel)).toEqual([]);
  });

  it('shows that it types while it works, and never when it waits for somebody or is done (gateway 35)', async () => {
    world = await World.open({ discord: true, telegram: false });
    world.write('build/app.js', 'x');
    const anna = world.member(1, 'Anna');
    const { typing } = anna.person.dm;
    const still = async (after: string) => {
      await world.delivered();
      const before = typing.length;
      // A sign is shown for 10 s. Longer, in all, than a peer may be silent nothing is skipped.
      for (let i = 0; i < 3; i++) await world.clock.skip(4_000);
      expect([after, typing.length]).toEqual([after, before]);
    };
    anna.says('slow 30');
    await world.until('the turn', () => world.app.status().turns.running === 1);
    for (let i = 0; i < 3; i++) await world.clock.skip(5_000);
    expect(typing.length).toBeGreaterThan(1);
    anna.says('/stop');
    await anna.hears(/^Stopped\./);
    await ended();
    await still('a stop');
    anna.says('delete the folder build');
    const card = await anna.isAsked(/rm -r -- 'build'/);
    await still('a question');
    await anna.presses(card, 'Once');
    await ended();
    await still('an answer');
  });
});
