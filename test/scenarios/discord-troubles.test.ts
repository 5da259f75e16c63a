import { afterEach, describe, expect, it } from 'vitest';
import { passes } from '../fakes/passing.ts';
import { World } from './world.ts';

let world: World;
afterEach(() => world.close());

const SAY = /^POST \/channels\/\d+\/messages$/;

/** Each word is asked for once, with something going wrong before it is said and while it is answered. */
const TROUBLES: readonly (readonly [string, (at: World['discord']) => void])[] = [
  ['nothing', () => {}],
  ['dropped', ({ gateway }) => gateway.drop()],
  ['asked-away', ({ gateway }) => gateway.askToReconnect()],
  ['forgotten', ({ gateway }) => gateway.invalidate(false)],
  ['closed', ({ gateway }) => gateway.closeWith(1000)],
  ['doubled', ({ gateway }) => gateway.doubleEverything()],
  ['lost-answer', (discord) => void discord.fault(SAY, { kind: 'reset-after' })],
  ['cut-off', (discord) => void discord.fault(SAY, { kind: 'reset-before' })],
  ['server-error', (discord) => void discord.fault(SAY, { kind: 'refuse', status: 503, times: 6 })],
  ['proxy-page', (discord) => void discord.fault(SAY, { kind: 'html', status: 502, times: 4 })],
  ['limited', (discord) => void discord.fault(SAY, { kind: 'limit', retryAfter: 40 })],
  ['unauthorised-once', (discord) => void discord.fault(SAY, { kind: 'refuse', status: 401 })],
  ['silent', ({ gateway }) => gateway.fallSilent()],
];

describe('a bad day on Discord', () => {
  it('every message is answered once, whatever happens in between', async () => {
    world = await World.open({ discord: true, telegram: false });
    const anna = world.member(1, 'Anna');
    for (const [word, trouble] of TROUBLES) {
      trouble(world.discord);
      anna.says(`say ${word}`);
      if (word === 'silent') {
        await world.clock.skip(80_000);
        world.discord.gateway.speak();
      }
      await answered(word);
      world.discord.clearFaults();
      world.discord.gateway.doubles = false;
    }
    await world.until('every turn to end', () => world.app.status().turns.unfinished === 0);
    const said = anna.sees().map(({ text }) => text);
    for (const [word] of TROUBLES)
      expect([word, said.filter((text) => new RegExp(`\\b${word}$`, 'm').test(text)).length]).toEqual([word, 1]);
    expect(said.join('\n')).not.toContain('may be a repeat');
  }, 120_000);
});

describe('a thread that can take no answer any more', () => {
  it.each([
    ['deleted', 'the thread is gone'],
    ['locked', 'the thread is locked'],
  ])('%s while the turn runs: the channel around it gets the answer and says so', async (how, notice) => {
    world = await World.open({ discord: true, telegram: false });
    const channel = world.discord.channel('ops');
    const thread = world.discord.thread(channel, 'cleaning');
    const anna = world.member(1, 'Anna');
    const hold = world.discord.fault(SAY, { kind: 'refuse', status: 503, times: 50 });
    anna.calls('say hello from here', thread.wire.id);
    await world.until('a refused send', () => hold.hits > 0);
    await world.until('the turn to end', () => world.app.status().turns.unfinished === 0);
    if (how === 'deleted') world.discord.deleteChannel(thread);
    else Object.assign(thread.wire.thread_metadata ?? {}, { locked: true });
    world.discord.clearFaults();
    anna.calls('say and here', channel.wire.id);
    await world.clock.skip(60_000);
    const { text } = await anna.hears(/hello from here/, channel.wire.id);
    expect(text.startsWith(`(${notice})\n\n`)).toBe(true);
    await anna.hears(/and here/, channel.wire.id);
    await world.delivered();
    expect(anna.sees(channel.wire.id)).toHaveLength(2);
  });
});

/** Time goes by until the word is there. */
async function answered(word: string): Promise<void> {
  const anna = world.member(1, 'Anna');
  await passes(world.clock, () => anna.sees().some(({ text }) => text.includes(word)), {
    what: `"${word}" is answered`,
  });
}
