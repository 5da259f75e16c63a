import type { Message, Update } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/contract/message.ts';
import { Joins } from '../../../src/platforms/telegram/joins.ts';
import { type Mapped, mapUpdate } from '../../../src/platforms/telegram/mapping.ts';

const ME = { id: '700000001', name: 'Our_Bot' };
const ADA = { id: 11, is_bot: false, first_name: 'Ada', last_name: 'Lovelace' };
const DM = { id: 11, type: 'private', first_name: 'Ada' };
const FORUM = { id: -100_5, type: 'supergroup', title: 'Builders', is_forum: true };
const GROUP = { id: -100_6, type: 'supergroup', title: 'Chatter' };
const SELF = { id: 700000001, is_bot: true, first_name: 'Hermod' };

let lastId = 0;

function message(fields: object): Message {
  return { message_id: ++lastId, date: 1_796_000_000, chat: DM, from: ADA, ...fields } as unknown as Message;
}

function mapped(fields: object, joins = new Joins(), kind: 'message' | 'edited_message' = 'message'): Mapped {
  const update = { update_id: 500 + lastId, [kind]: message(fields) } as unknown as Update;
  return mapUpdate(update, { me: ME, now: 1_796_000_000_000 }, joins);
}

function heard(fields: object, joins?: Joins): InboundMessage {
  const result = mapped(fields, joins);
  if (result.kind !== 'message') throw new Error(`It was ${result.kind}, not a message.`);
  return result.message;
}

const command = (text: string, length: number) => ({ text, entities: [{ type: 'bot_command', offset: 0, length }] });

describe('where a message was said', () => {
  it.each([
    ['a direct chat', {}, { chat: '11' }],
    ['a forum topic', { chat: FORUM, is_topic_message: true, message_thread_id: 7 }, { chat: '-1005', thread: '7' }],
    ['the General topic', { chat: FORUM }, { chat: '-1005' }],
    ['the General topic with its id', { chat: FORUM, is_topic_message: true, message_thread_id: 1 }, { chat: '-1005' }],
    ['a reply chain, which is no topic', { chat: GROUP, message_thread_id: 44 }, { chat: '-1006' }],
    ['a topic of a direct chat', { is_topic_message: true, message_thread_id: 9 }, { chat: '11', thread: '9' }],
    ['a business chat', { business_connection_id: 'bc' }, { chat: '11', via: 'b:bc' }],
    [
      'a topic of a channel inbox',
      { chat: GROUP, direct_messages_topic: { topic_id: 5 } },
      { chat: '-1006', via: 'd:5' },
    ],
  ])('%s', (_, fields, address) => {
    expect(heard({ text: 'hi', ...fields }).address).toEqual({ platform: 'telegram', bot: ME.id, ...address });
  });
});

describe('who said it', () => {
  it.each([
    ['a person', {}, { id: '11', name: 'Ada Lovelace' }],
    ['another bot', { from: { id: 5, is_bot: true, first_name: 'Beep' } }, { id: '5', name: 'Beep', bot: true }],
    [
      'an anonymous admin',
      { chat: GROUP, from: { id: 1087968824, is_bot: true, first_name: 'Group' }, sender_chat: GROUP },
      { id: '-1006', name: 'Chatter', standIn: true },
    ],
    [
      'the service account',
      { from: { id: 777000, is_bot: false, first_name: 'Telegram' } },
      { id: '777000', name: 'Telegram', standIn: true },
    ],
  ])('%s', (_, fields, actor) => {
    expect(heard({ text: 'hi', ...fields }).by).toEqual({ platform: 'telegram', ...actor });
  });

  it('throws for a message nobody signed, so that it is kept as refused', () => {
    expect(() => mapped({ text: 'hi', from: undefined })).toThrow('author');
  });
});

describe('whether it is for us', () => {
  const mention = (text: string, at: number, length: number) => ({
    chat: GROUP,
    text,
    entities: [{ type: 'mention', offset: at, length }],
  });

  it.each([
    ['our name in any case', mention('hey @our_bot!', 4, 8), true],
    ['another name', mention('hey @other_bot', 4, 10), false],
    ['a longer name that begins like ours', mention('hey @our_bot-dev', 4, 8), false],
    [
      'a mention by id',
      { chat: GROUP, text: 'hey you', entities: [{ type: 'text_mention', offset: 4, length: 3, user: SELF }] },
      true,
    ],
    [
      'a reply to our words',
      { chat: GROUP, text: 'yes', reply_to_message: { message_id: 3, from: SELF, text: 'ok?' } },
      true,
    ],
    [
      'a reply to a person',
      { chat: GROUP, text: 'yes', reply_to_message: { message_id: 3, from: ADA, text: 'ok?' } },
      false,
    ],
    [
      'the reply to its opening that every topic message carries',
      {
        chat: FORUM,
        text: 'yes',
        is_topic_message: true,
        message_thread_id: 7,
        reply_to_message: { message_id: 7, from: SELF, forum_topic_created: {} },
      },
      false,
    ],
    ['our name in plain words', { chat: GROUP, text: 'Our_Bot is nice' }, false],
    ['a command with our name', { chat: GROUP, ...command('/status@Our_Bot', 15) }, true],
  ])('%s', (_, fields, mentions) => {
    expect(heard(fields).mentionsBot).toBe(mentions);
  });
});

describe('commands', () => {
  it.each([
    ['in capitals, with our name', command('/STATUS@Our_Bot', 15), { name: 'status', args: '' }],
    ['with words behind it', command('/queue do this\nand that', 6), { name: 'queue', args: 'do this\nand that' }],
    [
      'in a caption',
      {
        caption: '/queue this',
        caption_entities: [{ type: 'bot_command', offset: 0, length: 6 }],
        photo: [{ file_id: 'f', file_unique_id: 'u' }],
      },
      { name: 'queue', args: 'this' },
    ],
    [
      'forwarded: only text',
      { ...command('/stop', 5), forward_origin: { type: 'hidden_user', sender_user_name: 'Bob' } },
      undefined,
    ],
    ['not at the start', { text: 'say /stop', entities: [{ type: 'bot_command', offset: 4, length: 5 }] }, undefined],
    ['a path, which Telegram does not mark', { text: '/etc/hosts is broken' }, undefined],
  ])('%s', (_, fields, expected) => {
    expect(heard(fields).command).toEqual(expected);
  });

  it('for another bot are not for us at all', () => {
    expect(mapped(command('/status@other_bot', 17))).toMatchObject({ kind: 'ignored' });
  });

  it('are never run from an edited message', () => {
    const result = mapped({ ...command('/stop', 5), edit_date: 1_796_000_009 }, new Joins(), 'edited_message');
    expect(result).toMatchObject({ kind: 'edited', message: { text: '/stop' } });
    expect(result.kind === 'edited' && result.message.command).toBeUndefined();
  });
});

describe('replies and forwards', () => {
  it('carry the exact quote, else the start of what is answered', () => {
    const answered = { message_id: 3, from: ADA, text: 'x'.repeat(900) };
    expect(
      heard({ text: 'this', reply_to_message: answered, quote: { text: 'these words', position: 0 } }).replyTo,
    ).toEqual({ messageId: '3', quoted: 'these words' });
    expect(heard({ text: 'this', reply_to_message: answered }).replyTo?.quoted).toHaveLength(500);
  });

  it.each([
    [{ type: 'user', sender_user: ADA }, 'Ada Lovelace'],
    [{ type: 'hidden_user', sender_user_name: 'Bob' }, 'Bob'],
    [{ type: 'chat', sender_chat: GROUP }, 'Chatter'],
    [{ type: 'channel', chat: { ...GROUP, title: 'News' } }, 'News'],
  ])('name where a forward comes from: %o', (origin, label) => {
    expect(heard({ text: 'fyi', forward_origin: origin }).forwardedFrom).toBe(label);
  });

  it('ignore what Telegram itself forwards from a linked channel', () => {
    expect(mapped({ text: 'post', is_automatic_forward: true })).toMatchObject({ kind: 'ignored' });
  });
});

describe('other content', () => {
  it.each([
    ['a location', { location: { latitude: 52.5, longitude: 13.4 } }, '[location: 52.50000, 13.40000]'],
    ['a contact', { contact: { first_name: 'Bob', phone_number: '+49 1' } }, '[contact: Bob, +49 1]'],
    ['a poll', { poll: { question: 'Tea?', options: [{ text: 'yes' }, { text: 'no' }] } }, '[poll: Tea? (yes / no)]'],
    ['a die', { dice: { emoji: '🎲', value: 4 } }, '[dice: 🎲 4]'],
    ['a sticker', { sticker: { emoji: '😀' } }, '[sticker: 😀]'],
    [
      'a rich message',
      {
        rich_message: {
          blocks: [
            { type: 'heading', text: 'Plan', size: 1 },
            { type: 'paragraph', text: ['do ', { type: 'bold', text: 'it' }] },
          ],
        },
      },
      'Plan\ndo it',
    ],
  ])('%s becomes text', (_, fields, text) => {
    expect(heard(fields).text).toBe(text);
  });

  it('that says nothing starts nothing', () => {
    expect(mapped({ new_chat_members: [ADA] })).toMatchObject({ kind: 'ignored' });
    expect(mapped({ chat: FORUM, forum_topic_created: { name: 'x' } })).toMatchObject({ kind: 'ignored' });
  });

  it.each([
    [
      'the largest photo',
      {
        photo: [
          { file_id: 's', file_unique_id: 'a' },
          { file_id: 'l', file_unique_id: 'b', file_size: 9 },
        ],
      },
      { kind: 'image', name: 'b-photo.jpg', size: 9, ref: 'l' },
    ],
    [
      'a document by name',
      { document: { file_id: 'd', file_unique_id: 'c', file_name: '../x/report:1.pdf', mime_type: 'application/pdf' } },
      { kind: 'file', name: '_x_report_1.pdf', mime: 'application/pdf', ref: 'd' },
    ],
    [
      'a voice message',
      { voice: { file_id: 'v', file_unique_id: 'e', duration: 3 } },
      { kind: 'audio', name: 'e-voice.ogg', ref: 'v' },
    ],
    [
      'an animation once, though it is a document too',
      { animation: { file_id: 'g', file_unique_id: 'h' }, document: { file_id: 'g', file_unique_id: 'h' } },
      { kind: 'file', name: 'h-animation.mp4', ref: 'g' },
    ],
  ])('%s is described', (_, fields, attachment) => {
    expect(heard(fields).attachments).toEqual([attachment]);
  });
});

describe('pieces that belong together', () => {
  const long = 'y'.repeat(4096);

  it('an album is one turn', () => {
    const joins = new Joins();
    const photo = { photo: [{ file_id: 'f', file_unique_id: 'u' }], media_group_id: 'g1' };
    const hints = [heard({ ...photo, caption: 'look' }, joins), heard(photo, joins), heard(photo, joins)].map(
      ({ join }) => join,
    );
    expect(new Set(hints.map((hint) => hint?.key)).size).toBe(1);
    expect(hints.map((hint) => hint?.waitMs)).toEqual([1000, 1000, 1000]);
  });

  it('a paste cut in three is one, joined by nothing where it was cut at the limit', () => {
    const joins = new Joins();
    const hints = [
      heard({ text: long }, joins),
      heard({ text: 'z'.repeat(3600) }, joins),
      heard({ text: 'end' }, joins),
    ].map(({ join }) => join);
    expect(new Set(hints.map((hint) => hint?.key)).size).toBe(1);
    expect(hints).toMatchObject([{ waitMs: 2000 }, { waitMs: 2000, glue: '' }, { waitMs: 0, glue: '\n' }]);
  });

  it('a long command goes on in the next piece', () => {
    const joins = new Joins();
    const first = heard({ ...command(`/queue ${'y'.repeat(3800)}`, 6) }, joins);
    expect(heard({ text: 'rest' }, joins).join?.key).toBe(first.join?.key);
    expect(first.command?.name).toBe('queue');
  });

  it.each([
    ['somebody else', { from: { ...ADA, id: 12 } }],
    ['much later', { date: 1_796_000_003 }],
    ['in another topic', { is_topic_message: true, message_thread_id: 4 }],
    ['as a reply', { reply_to_message: { message_id: 1, from: ADA, text: 'x' } }],
    ['as a forward', { forward_origin: { type: 'hidden_user', sender_user_name: 'Bob' } }],
  ])('what comes %s does not continue a paste', (_, fields) => {
    const joins = new Joins();
    heard({ text: long }, joins);
    expect(heard({ text: 'next', ...fields }, joins).join).toBeUndefined();
  });

  it('a gap in the ids ends a paste', () => {
    const joins = new Joins();
    heard({ text: long }, joins);
    lastId++;
    expect(heard({ text: 'next' }, joins).join).toBeUndefined();
  });

  it('text after a file without words joins it (gateway 29)', () => {
    const joins = new Joins();
    const file = heard({ document: { file_id: 'd', file_unique_id: 'c' } }, joins);
    expect(file.join).toMatchObject({ waitMs: 1000 });
    expect(heard({ text: 'summarise this' }, joins).join).toMatchObject({ key: file.join?.key, waitMs: 0 });
  });

  it('short messages wait for nobody', () => {
    const joins = new Joins();
    expect([heard({ text: 'one' }, joins).join, heard({ text: 'two' }, joins).join]).toEqual([undefined, undefined]);
  });
});

describe('what is not a message', () => {
  const map = (update: object) =>
    mapUpdate({ update_id: 9, ...update } as unknown as Update, { me: ME, now: 77 }, new Joins());
  const member = (chat: object, status: string, more = {}) => ({
    my_chat_member: {
      chat,
      from: ADA,
      date: 1,
      old_chat_member: { user: SELF, status: 'member' },
      new_chat_member: { user: SELF, status, ...more },
    },
  });

  it.each([
    ['kicked', {}, false],
    ['left', {}, false],
    ['member', {}, true],
    ['administrator', {}, true],
    ['restricted', { is_member: true }, true],
    ['restricted', { is_member: false }, false],
  ])('membership %s %o', (status, more, reachable) => {
    expect(map(member(GROUP, status, more))).toMatchObject({ kind: 'reach', address: { chat: '-1006' }, reachable });
  });

  it('both messages of a migration say the same', () => {
    const [to, from] = [
      mapped({ chat: { ...GROUP, id: -7 }, migrate_to_chat_id: -1007 }),
      mapped({ chat: { ...GROUP, id: -1007 }, migrate_from_chat_id: -7 }),
    ];
    expect(to).toEqual({
      kind: 'moved',
      from: { platform: 'telegram', bot: ME.id, chat: '-7' },
      to: { platform: 'telegram', bot: ME.id, chat: '-1007' },
    });
    expect(from).toEqual(to);
  });

  it('a press on a message we cannot see any more names chat and message', () => {
    const query = {
      id: 'q',
      from: ADA,
      chat_instance: '1',
      data: 'd',
      message: { chat: GROUP, message_id: 5, date: 0 },
    };
    expect(map({ callback_query: query })).toMatchObject({
      kind: 'press',
      query: 'q',
      press: { eventId: 'u:9', by: { id: '11' }, address: { chat: '-1006' }, messageId: '5', data: 'd', direct: false },
    });
  });

  it('each new emoji of a reaction is one event of its own', () => {
    const emoji = (list: string[]) => list.map((one) => ({ type: 'emoji', emoji: one }));
    const reaction = {
      chat: GROUP,
      message_id: 5,
      user: ADA,
      date: 2,
      old_reaction: emoji(['👍']),
      new_reaction: emoji(['👍', '🔥', '🎉']),
    };
    const result = map({ message_reaction: reaction });
    expect(result.kind === 'reactions' && result.reactions.map(({ eventId, emoji: one }) => [eventId, one])).toEqual([
      ['u:9', '🔥'],
      ['u:9:1', '🎉'],
    ]);
  });

  it('unknown kinds are ignored', () => {
    expect(map({ chat_boost: {} })).toMatchObject({ kind: 'ignored' });
  });
});
