import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentRun, outsideRun, withRun } from '../../../src/context/run-context.ts';
import type { Clock } from '../../../src/contract/clock.ts';
import { personId } from '../../fakes/discord-server.ts';
import { passes, socketsMove } from '../../fakes/passing.ts';
import { cronRun } from '../../fakes/runs.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig, type RigOptions } from './rig.ts';

let rig: Rig;
let clock: WarpClock;

async function started(options: RigOptions = {}): Promise<void> {
  await rig?.stop();
  clock = new WarpClock();
  rig = await Rig.started({ clock, ...options });
}

beforeEach(() => started());
afterEach(() => rig.stop());

const ada = () => rig.server.person(1, 'Ada');
const heard = (count: number) => rig.until(() => rig.told.messages.length >= count, `${count} messages are heard`);

/** Nothing more comes: what was said before this is dealt with. */
async function quiet(): Promise<void> {
  const marker = rig.server.person(77, 'Marker');
  const before = rig.told.messages.length;
  marker.says('dm', 'marker');
  await rig.until(() => rig.told.texts.includes('marker'));
  rig.told.messages.splice(
    rig.told.messages.findIndex(({ text }) => text === 'marker'),
    1,
  );
  expect(rig.told.messages.length).toBeGreaterThanOrEqual(before);
}

describe('who speaks', () => {
  it('a member with the roles of this very guild; in a direct chat nobody has any', async () => {
    const guild = rig.server.guild();
    const channel = rig.server.channel('ops').wire.id;
    ada().joins(guild.id, '300000000000000001');
    ada().calls(channel, 'here');
    ada().says('dm', 'there');
    await heard(2);
    expect(rig.told.messages.find(({ text }) => text === 'here')?.by.roles).toEqual([`${guild.id}/300000000000000001`]);
    expect(rig.told.messages.find(({ text }) => text === 'there')?.by.roles).toBeUndefined();
  });

  it('another bot and a webhook are marked, and we never hear ourselves', async () => {
    const channel = rig.server.channel('ops').wire.id;
    rig.server.person(9, 'Beep', { bot: true }).calls(channel, 'from a bot');
    rig.server.person(8, 'Hook').calls(channel, 'from a hook', { raw: { webhook_id: '400000000000000001' } });
    rig.server.self().says(channel, 'my own words');
    await heard(2);
    await quiet();
    expect(rig.told.messages.map(({ text, by: { bot, standIn } }) => [text, bot, standIn])).toEqual([
      ['from a bot', true, undefined],
      ['from a hook', true, true],
    ]);
  });

  it('a bot that calls again and again is not heard for ten minutes', async () => {
    const channel = rig.server.channel('ops').wire.id;
    const bot = rig.server.person(9, 'Beep', { bot: true });
    for (let i = 0; i < 40; i++) bot.calls(channel, `call ${i}`);
    await heard(20);
    await quiet();
    expect(rig.told.messages).toHaveLength(20);
    await clock.skip(601_000);
    bot.calls(channel, 'later');
    await heard(21);
  });
});

describe('as whom', () => {
  it('begun anew from inside a job nothing that strangers do is done as that job: words, press, form and command', async () => {
    // As the contract of the clock has it, and the system's clock does it.
    const after: Clock['after'] = (ms, fn) => outsideRun(() => clock.after(ms, fn));
    await started({ deps: { clock: { now: () => clock.now(), after } } });
    const card = rig.server.world.add(ada().dm, {
      components: [
        { type: 1, components: ['o', 'h1:ap:x:y:r'].map((id) => ({ type: 2, style: 1, label: id, custom_id: id })) },
      ],
    });
    const ref = { channel: ada().dm.wire.id, id: card.wire.id };
    const runs: unknown[] = [];
    const note = async () => void runs.push(currentRun());
    Object.assign(rig.told, { message: note, command: note, press: note, form: note });
    await withRun(cronRun(), async () => {
      await rig.adapter.stop();
      const starting = rig.start();
      await clock.skip(5_000);
      await starting;
    });
    ada().says('dm', 'hello');
    ada().commands('dm', 'status');
    ada().presses(ref, 'o');
    const press = ada().presses(ref, 'h1:ap:x:y:r');
    await rig.until(() => press.modal !== undefined);
    ada().submits(ref, press, 'because');
    await rig.until(() => runs.length === 4, 'all four are told');
    expect(runs).toEqual([undefined, undefined, undefined, undefined]);
    // The same after the library itself has dialled again.
    const { dials } = rig.server.gateway.counts;
    rig.server.gateway.drop();
    await passes(clock, () => rig.server.gateway.counts.dials > dials && rig.server.gateway.connected === 1);
    ada().says('dm', 'again');
    await rig.until(() => runs.length === 5, 'the next words are told');
    expect(runs[4]).toBeUndefined();
  });
});

describe('where', () => {
  it('a first direct message is heard, with and without a channel type', async () => {
    ada().says('dm', 'without');
    rig.server.world.channelTypes = true;
    rig.server.person(2, 'Bob').says('dm', 'with');
    await heard(2);
    expect(rig.told.messages.map(({ direct }) => direct)).toEqual([true, true]);
  });

  it('a thread nobody told us of is looked up once', async () => {
    const channel = rig.server.channel('ops');
    const thread = rig.server.thread(channel, 'unknown', { told: false });
    ada().calls(thread.wire.id, 'one');
    ada().calls(thread.wire.id, 'two');
    await heard(2);
    expect(rig.told.messages[0]?.address).toEqual(rig.address(channel.wire.id, thread.wire.id));
    expect(rig.server.callsTo(/^GET \/channels\/\d+$/)).toHaveLength(1);
  });

  it('is not waited for while a guild is out: message and press come through', async () => {
    await started({ config: {} });
    await rig.adapter.stop();
    const guild = rig.server.guild();
    const channel = rig.server.channel('ops');
    const card = rig.server.world.add(channel, {
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Once', custom_id: 'o' }] }],
    });
    guild.unavailable = true;
    const next = await rig.next();
    const starting = next.start();
    await clock.skip(5_000);
    await starting;
    const press = ada().presses({ channel: channel.wire.id, id: card.wire.id }, 'Once');
    ada().calls(channel.wire.id, 'anybody?');
    await rig.until(() => next.told.messages.length === 1 && press.response === 6);
    await next.adapter.stop();
  });

  it('tells what can no longer be reached, and what can again', async () => {
    const guild = rig.server.guild();
    const channel = rig.server.channel('ops');
    const silent = rig.server.channel('silent');
    const thread = rig.server.thread(channel, 'builds');
    ada().calls(channel.wire.id, 'one');
    ada().calls(thread.wire.id, 'two');
    await heard(2);
    rig.server.world.dispatch({ t: 'GUILD_DELETE', d: { id: guild.id, unavailable: true } });
    rig.server.deleteChannel(silent);
    rig.server.deleteChannel(thread);
    await rig.until(() => rig.told.reached.length === 1);
    expect(rig.told.reached).toEqual([{ address: rig.address(channel.wire.id, thread.wire.id), reachable: false }]);
    rig.server.world.dispatch({ t: 'GUILD_DELETE', d: { id: guild.id } });
    await rig.until(() => rig.told.reached.length === 2);
    expect(rig.told.reached[1]).toEqual({ address: rig.address(channel.wire.id), reachable: false });
    rig.server.world.dispatch({ t: 'GUILD_CREATE', d: rig.server.world.guildEvent(guild) });
    await rig.until(() => rig.told.reached.length === 3);
    expect(rig.told.reached[2]).toEqual({ address: rig.address(channel.wire.id), reachable: true });
  });
});

describe('what is said', () => {
  it.each<[string, object, object]>([
    [
      'a forward',
      {
        content: '',
        message_reference: { type: 1, channel_id: '500000000000000001', message_id: '500000000000000002' },
        message_snapshots: [{ message: { content: 'passed on', attachments: [] } }],
      },
      { text: 'passed on', forwardedFrom: 'another channel' },
    ],
    [
      'a forwarded command is text',
      { content: '', message_reference: { type: 1 }, message_snapshots: [{ message: { content: '/stop' } }] },
      { text: '/stop' },
    ],
    [
      'a sticker',
      { content: '', sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] },
      { text: '[sticker: Wave]' },
    ],
    [
      'a poll',
      {
        content: '',
        poll: {
          question: { text: 'Tea?' },
          answers: [{ poll_media: { text: 'yes' } }, { poll_media: { text: 'no' } }],
        },
      },
      { text: '[poll: Tea? (yes / no)]' },
    ],
    ['a command', { content: '/queue do this\nand that' }, { command: { name: 'queue', args: 'do this\nand that' } }],
    ['a path is no command', { content: '/etc/hosts is broken' }, { text: '/etc/hosts is broken' }],
    ['unknown fields', { content: 'hi', thread: null, brand_new: { a: [1] }, call: null }, { text: 'hi' }],
  ])('%s', async (_, raw, expected) => {
    ada().says('dm', '', { raw });
    await heard(1);
    expect(rig.told.messages[0]).toMatchObject(expected);
    expect(rig.told.messages[0]?.command !== undefined).toBe('command' in expected);
  });

  it('a voice message is one sound with its length', async () => {
    ada().says('dm', '', {
      files: [
        {
          name: 'voice-message.ogg',
          content: 'sound',
          more: { content_type: 'audio/ogg', duration_secs: 4.2, waveform: '' },
        },
      ],
      raw: { flags: 8192 },
    });
    await heard(1);
    expect(rig.told.messages[0]).toMatchObject({
      text: '',
      attachments: [{ kind: 'audio', name: 'voice-message.ogg', size: 5, mime: 'audio/ogg', durationS: 4.2 }],
      join: { waitMs: 1_000 },
    });
  });

  it('a paste that came as a file is its words, also when its address has expired', async () => {
    const files = [
      { name: 'message.txt', content: 'a very long paste', more: { content_type: 'text/plain; charset=utf-8' } },
    ];
    ada().says('dm', '', { files });
    await heard(1);
    expect(rig.told.messages[0]).toMatchObject({ text: 'a very long paste', attachments: [] });
    const channel = ada().dm;
    const [old] = channel.messages[0]?.wire.attachments ?? [];
    for (const file of rig.server.world.media.values()) file.expired = true;
    const fresh = rig.server.world.store(channel.wire.id, 'message.txt', Buffer.from('fresh words'), files[0]?.more);
    const second = rig.server.world.add(channel, {
      author: ada().user,
      attachments: [{ ...fresh, id: old?.id ?? '' }],
    });
    const stale = { ...second.wire, attachments: [old] };
    rig.server.world.dispatch({ t: 'MESSAGE_CREATE', d: stale });
    await heard(2);
    expect(rig.told.messages[1]).toMatchObject({ text: 'fresh words' });
  });

  it('a file from a strange address is not fetched', async () => {
    ada().says('dm', '', {
      files: [
        {
          name: 'message.txt',
          content: 'x',
          more: { content_type: 'text/plain', url: 'http://169.254.169.254/latest' },
        },
      ],
    });
    await heard(1);
    expect(rig.told.messages[0]).toMatchObject({ text: '', attachments: [{ name: 'message.txt' }] });
  });

  it('pieces of one paste carry one key, another person does not', async () => {
    const channel = rig.server.channel('ops').wire.id;
    ada().calls(channel, 'x'.repeat(1_990 - 24));
    rig.server.person(2, 'Bob').calls(channel, 'something else');
    ada().says(channel, 'the rest of it');
    await heard(3);
    const [first, other, rest] = rig.told.messages;
    expect(first?.join).toMatchObject({ waitMs: 2_000 });
    expect(rest?.join).toEqual({ key: first?.join?.key, waitMs: 0, glue: '\n' });
    expect(other?.join).toBeUndefined();
  });

  it('replies carry what they answer, and count as a call when they answer us', async () => {
    const channel = rig.server.channel('ops').wire.id;
    const [sent] = await rig.say(rig.address(channel), { text: 'Which one?' });
    ada().says(channel, 'the second', { replyTo: { channel, id: sent?.messageId ?? '' } });
    await heard(1);
    expect(rig.told.messages[0]).toMatchObject({
      mentionsBot: true,
      replyTo: { messageId: sent?.messageId, quoted: 'Which one?' },
    });
  });

  it('people are named, we are not', async () => {
    const channel = rig.server.channel('ops').wire.id;
    rig.server.person(2, 'Bob');
    ada().calls(channel, `, ask <@${personId(2)}> about it`);
    ada().calls(channel, '');
    await heard(2);
    expect(rig.told.texts).toEqual(['ask @Bob about it', '@Hermod']);
  });

  it('the twins and news of a channel start nothing', async () => {
    const channel = rig.server.channel('ops').wire.id;
    for (const type of [6, 7, 18, 20, 21, 23, 24, 46, 99]) ada().calls(channel, `type ${type}`, { raw: { type } });
    ada().calls(channel, 'a real one');
    await heard(1);
    expect(rig.told.texts).toEqual(['a real one']);
  });

  it('an edit is told with the text, a link preview that appears is none', async () => {
    const message = ada().says('dm', 'first');
    await heard(1);
    ada().edits(message);
    ada().edits(message, '/stop');
    await rig.until(() => rig.told.edits.length === 1);
    expect(rig.told.edits).toMatchObject([
      { messageId: message.id, text: '/stop', eventId: expect.stringMatching(/^e:\d+:2/) },
    ]);
    expect(rig.told.edits[0]?.command).toBeUndefined();
    expect(rig.told.messages).toHaveLength(1);
  });

  it('reactions are heard when they are wanted', async () => {
    const message = ada().says('dm', 'first');
    ada().reacts(message, '👍');
    await heard(1);
    await quiet();
    expect(rig.told.reactions).toEqual([]);
    await started({ config: { hearReactions: true } });
    const again = ada().says('dm', 'first');
    ada().reacts(again, '👍');
    await rig.until(() => rig.told.reactions.length === 1);
    expect(rig.told.reactions[0]).toMatchObject({
      emoji: '👍',
      messageId: again.id,
      by: { id: ada().id },
      direct: true,
    });
  });
});

describe('what cannot be digested', () => {
  it('the same dispatch twice is one message (gateway 20)', async () => {
    rig.server.gateway.doubles = true;
    ada().says('dm', 'once');
    ada().says('dm', 'and once');
    await heard(2);
    await quiet();
    expect(rig.told.texts).toEqual(['once', 'and once']);
  });

  it('a listener that throws loses nothing and ends nothing', async () => {
    let left = 3;
    rig.told.storing = () => {
      if (left-- > 0) throw new Error('a bug');
    };
    ada().says('dm', 'first');
    rig.server.person(2, 'Bob').says('dm', 'second');
    ada().says('dm', 'third');
    await passes(clock, () => rig.told.messages.length >= 3);
    expect(rig.told.texts.filter((text) => text !== 'second')).toEqual(['first', 'third']);
    expect(rig.told.texts).toContain('second');
    expect(rig.told.healths.some(({ reason }) => reason.startsWith('what arrives cannot be stored'))).toBe(true);
    expect(rig.told.state).toBe('connected');
  });

  it('one that never can be stored is kept raw in the end, and the chat goes on', async () => {
    rig.told.storing = ({ text }) => {
      if (text === 'poison') throw new Error('no');
    };
    ada().says('dm', 'poison');
    ada().says('dm', 'after it');
    for (let i = 0; !rig.told.texts.includes('after it') && i < 400; i++) {
      rig.server.person(2, 'Bob').says('dm', 'neighbour');
      await clock.skip(5_000);
      await socketsMove();
    }
    await rig.until(() => rig.told.texts.includes('after it'));
    expect(rig.told.refusals).toMatchObject([{ reason: 'it could not be stored ten times' }]);
    expect(rig.told.refusals[0]?.raw).toContain('poison');
  });

  it.each<[string, object]>([
    ['no author', { author: undefined }],
    ['words that are none', { content: 5 }],
    ['attachments that are none', { attachments: {} }],
  ])('a message with %s is kept raw', async (_, raw) => {
    ada().says('dm', 'strange', { raw: {} });
    await heard(1);
    const wire = ada().dm.messages[0]?.wire;
    const d = { ...wire, id: rig.server.world.id(), ...raw };
    rig.server.world.dispatch({ t: 'MESSAGE_CREATE', d });
    await rig.until(() => rig.told.refusals.length === 1);
    ada().says('dm', 'normal');
    await heard(2);
  });

  it('frames that make the library throw end nothing', async () => {
    const frames = [
      { op: 0, t: 'GUILD_CREATE', d: null, s: 900 },
      { op: 0, t: null, d: null },
      { op: 11 },
      { op: 99 },
      {},
    ];
    for (const frame of frames) rig.server.gateway.sendRaw(frame);
    ada().says('dm', 'still there?');
    await heard(1);
    rig.server.gateway.sendRaw({ op: 9, d: null });
    rig.server.gateway.sendRaw({ op: 10, d: null });
    ada().says('dm', 'and now?');
    await heard(2);
    expect(rig.log.lines.filter(({ sentence }) => sentence.startsWith('discord.js could not digest'))).not.toEqual([]);
  });

  it('rubbish of every kind ends nothing', async () => {
    const d = { id: '1', guild_id: 5 };
    for (const t of [
      'MESSAGE_CREATE',
      'INTERACTION_CREATE',
      'GUILD_CREATE',
      'CHANNEL_DELETE',
      'THREAD_DELETE',
      'MESSAGE_UPDATE',
      'THREAD_LIST_SYNC',
      'BRAND_NEW',
    ])
      rig.server.world.dispatch({ t, d });
    rig.server.world.dispatch({ t: 'CHANNEL_CREATE', d: { guild_id: '1' } });
    ada().says('dm', 'still there?');
    await heard(1);
  });
});
