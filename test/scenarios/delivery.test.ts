import { afterEach, describe, expect, it } from 'vitest';
import { World } from './world.ts';

const FORUM = -100;
const GROUP = -100;
const MOVED = -1_000_000_777;

/** A stop that does not wait for what cannot be sent. */
const NO_FLUSH = 'stop:\n  flush_s: 0\n';

let world: World;
afterEach(() => world.close());

const settled = () => world.until('the turns to end', () => world.app.status().turns.unfinished === 0);

describe('an answer', () => {
  it('of a topic that was deleted meanwhile comes in the group, and says so; over a restart, too (h87051, h95517) (gateway 28)', async () => {
    world = await World.open();
    world.telegram.group(FORUM, { title: 'Family', forum: true });
    const topic = world.telegram.topic(FORUM, 'Holidays');
    const anna = world.person(1, 'Anna');
    const hold = world.telegram.fault('sendMessage', {
      kind: 'refuse',
      status: 502,
      description: 'Bad Gateway',
      times: 50,
    });
    anna.person.says({ chat: FORUM, topic }, '@hermod_test_bot say hello from here');
    await world.until('a refused send', () => hold.hits > 0);
    await settled();
    world.telegram.deleteTopic(FORUM, topic);
    await world.stop();
    world.telegram.clearFaults();
    await world.boot();
    await anna.hears(/^\(the topic is gone\)[\s\S]*hello from here/, FORUM);
    await world.delivered();
    expect(world.telegram.said(FORUM).filter(({ text }) => text.includes('hello from here'))).toHaveLength(1);
  });

  it('of a group that became a supergroup comes there, and the conversation goes on (h22022, h27012) (gateway 28)', async () => {
    world = await World.open();
    world.telegram.group(GROUP, { title: 'Family', basic: true });
    // Let in as a member of that group only.
    const cleo = world.person(3, 'Cleo');
    cleo.says('@hermod_test_bot say one', GROUP);
    await cleo.hears(/one/, GROUP);
    await settled();
    world.telegram.migrate(GROUP, MOVED);
    cleo.says('@hermod_test_bot say two', MOVED);
    await cleo.hears(/two/, MOVED);
    await settled();
    const said = await world.transcript();
    expect(said.map((text) => text.replace(/^\[.*\]\n/, ''))).toEqual([
      '@hermod_test_bot say one',
      expect.stringMatching(/one$/),
      '@hermod_test_bot say two',
      'two',
    ]);
    expect(await world.sessions()).toBe(1);
  });

  it('that can never arrive is told at home, and listed (h2910, h46762, h104799) (gateway 23)', async () => {
    world = await World.open();
    const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
    anna.says('/sethome');
    await anna.hears(/^Notices of telegram/);
    ben.says('slow 1');
    await world.until('the turn', () => world.app.status().turns.running === 1);
    ben.person.blocks();
    await anna.hears(/^An answer of \d\d:\d\d could not be delivered: .*\/status undelivered shows it\.$/);
    await settled();
    anna.says('/status undelivered');
    await anna.hears(/to telegram 2:/);
    ben.person.unblocks();
    ben.says('say hello again');
    await ben.hears(/hello again/);
  });

  it('on the other platform waits for nothing when Telegram closes the bot with its first send (h91969) (gateway 16)', async () => {
    world = await World.open({ discord: true, config: NO_FLUSH });
    const [anna, mia] = [world.person(1, 'Anna'), world.member(1, 'Mia')];
    const flood = world.telegram.fault('sendMessage', { kind: 'limit', retryAfter: 6_000 });
    anna.says('say late');
    await world.until('the refusal', () => flood.hits === 1);
    const before = world.clock.now();
    mia.says('say soon');
    await mia.hears(/soon/);
    expect(world.clock.now() - before).toBeLessThan(5_000);
    await world.stop();
    // Not even that it types: whatever does not read counts.
    const calls = () =>
      world.telegram.calls.filter(({ method }) => !method.startsWith('get')).map(({ method }) => method);
    const sent = calls();
    await world.boot();
    anna.says('slow 1');
    anna.says('/status');
    mia.says('say again');
    await mia.hears(/again/);
    await settled();
    await world.clock.skip(20_000);
    expect(calls()).toEqual(sent);
  });

  it('to a chat that Telegram closed for 6000 s waits for it, over a restart; others do not (h91969) (gateway 16)', async () => {
    world = await World.open({ config: NO_FLUSH });
    const [anna, ben] = [world.person(1, 'Anna'), world.person(2, 'Ben')];
    const flood = world.telegram.fault('sendMessage', {
      kind: 'limit',
      retryAfter: 6_000,
      when: (payload) => String(payload['chat_id']) === '1',
    });
    anna.says('say late');
    await world.until('the refusal', () => flood.hits > 0);
    await settled();
    ben.says('say soon');
    await ben.hears(/soon/);
    await world.stop();
    await world.boot();
    const calls = () =>
      world.telegram.callsOf('sendMessage').filter(({ payload }) => String(payload['chat_id']) === '1');
    const before = calls().length;
    await world.clock.skip(5_000_000);
    expect(calls()).toHaveLength(before);
    await world.clock.skip(1_500_000);
    await anna.hears(/^\(answer to your message of \d\d:\d\d\)[\s\S]*late/);
  });
});
