import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SendError } from '../../../src/contract/errors.ts';
import type { OutboundMessage } from '../../../src/contract/message.ts';
import { passes } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig } from './rig.ts';

const ADA = 11;
const FORUM = -100_5;

let clock: WarpClock;
let rig: Rig;

beforeEach(async () => {
  clock = new WarpClock();
  rig = await Rig.open({ clock });
  rig.server.person(ADA, 'Ada').says('dm', 'hi');
  await rig.start();
});

afterEach(() => rig.stop());

const dm = () => rig.address(ADA);

async function failure(sending: Promise<unknown>): Promise<SendError> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}

describe('what Telegram refuses', () => {
  it.each([
    [400, 'Bad Request: chat not found', 'gone'],
    [400, 'Bad Request: not enough rights to send text messages to the chat', 'gone'],
    [403, 'Forbidden: user is deactivated', 'gone'],
    [403, 'Forbidden: bot is not a member of the supergroup chat', 'gone'],
    [400, 'Bad Request: message thread not found', 'missing'],
    [400, 'Bad Request: TOPIC_CLOSED', 'missing'],
    [400, 'Bad Request: message to edit not found', 'missing'],
    [400, 'Bad Request: message is too long', 'size'],
    [413, 'Request Entity Too Large', 'size'],
    [401, 'Unauthorized', 'auth'],
    [400, 'Bad Request: something new', 'format'],
    [418, "I'm a teapot", 'format'],
    [500, 'Internal Server Error', 'unreached'],
  ])('%i %s is %s', async (status, description, kind) => {
    rig.server.fault('sendMessage', { kind: 'refuse', status, description, times: 9 });
    const error = await failure(rig.say(dm(), { text: 'hello' }));
    expect(error.failure).toEqual({ kind });
    expect(error.message).not.toContain('hello');
  });

  it('a chat that has moved is named with its new id', async () => {
    rig.server.group(-7, { basic: true });
    rig.server.migrate(-7, -1007);
    const error = await failure(rig.say(rig.address(-7), { text: 'hello' }));
    expect(error.failure).toEqual({ kind: 'moved', to: rig.address(-1007) });
    await rig.server.until(() => rig.told.moves.length === 2);
    expect(rig.told.moves).toEqual(Array(2).fill({ from: rig.address(-7), to: rig.address(-1007) }));
  });

  it('entities it will not have: the same part once, plain, and a bug in the log', async () => {
    rig.server.fault('sendMessage', { kind: 'refuse', description: "Bad Request: can't parse entities: no" });
    await rig.say(dm(), { text: 'It is **done** \\(x\\)' });
    expect(rig.server.said(ADA)).toMatchObject([{ text: 'It is done \\(x\\)', entities: [] }]);
    expect(rig.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(JSON.stringify(rig.log.lines)).not.toContain('done');
  });

  it('a limit never leads to the plain form', async () => {
    rig.server.fault('sendMessage', { kind: 'limit', retryAfter: 2 });
    const error = await failure(rig.say(dm(), { text: '**bold**' }));
    expect(error.failure).toEqual({ kind: 'wait', retryAfterMs: 2_500 });
    expect(rig.server.callsOf('sendMessage')).toHaveLength(1);
  });

  it('button styles: the card arrives once without, and no style is tried again', async () => {
    rig.server.fault('sendMessage', { kind: 'refuse', description: 'Bad Request: BUTTON_STYLE_INVALID' });
    const card: OutboundMessage = {
      text: 'Run **this**?',
      buttons: [[{ label: 'Once', data: 'o', style: 'success' }]],
    };
    await rig.say(dm(), card);
    await rig.say(dm(), card);
    expect(rig.server.said(ADA)).toMatchObject([
      { buttons: [['Once']], styles: [undefined], entities: [{ type: 'bold' }] },
      { styles: [undefined] },
    ]);
    expect(rig.server.callsOf('sendMessage')).toHaveLength(3);
    rig.server.person(ADA).presses(rig.server.said(ADA)[0] ?? { chat: 0, id: 0 }, 'Once');
    await rig.server.until(() => rig.told.presses.length === 1);
  });

  it('the bot out of one topic is not the bot out of the chat', async () => {
    rig.server.group(FORUM, { forum: true });
    const topic = rig.server.topic(FORUM, 'Builds');
    const kicked = {
      kind: 'refuse',
      status: 403,
      description: 'Forbidden: bot was kicked from the supergroup chat',
      times: 2,
    } as const;
    rig.server.fault('sendMessage', kicked);
    expect((await failure(rig.say(rig.address(FORUM, topic), { text: 'x' }))).failure).toEqual({ kind: 'missing' });
    rig.server.membership(FORUM, 'kicked');
    expect((await failure(rig.say(rig.address(FORUM, topic), { text: 'x' }))).failure).toEqual({ kind: 'gone' });
    await rig.server.until(() => rig.told.reached.length === 1);
    expect(rig.told.reached).toEqual([{ address: rig.address(FORUM), reachable: false }]);
  });
});

describe('penalties', () => {
  it('close the chat, not the others; three chats within five seconds close the bot', async () => {
    for (const id of [12, 13, 14]) rig.server.person(id).says('dm', 'hi');
    for (const [i, id] of [ADA, 12, 13].entries()) {
      if (i < 2) await rig.say(rig.address(14), { text: `before ${i}` });
      rig.server.fault('sendMessage', { kind: 'limit', retryAfter: 20 });
      await failure(rig.say(rig.address(id), { text: 'x' }));
    }
    expect((await failure(rig.say(rig.address(14), { text: 'closed' }))).failure.kind).toBe('wait');
    await clock.skip(22_000);
    await rig.say(rig.address(14), { text: 'open' });
    expect(rig.server.said(14).map(({ text }) => text)).toEqual(['before 0', 'before 1', 'open']);
  });

  it('of ten seconds and more survive a restart', async () => {
    rig.server.fault('sendMessage', { kind: 'limit', retryAfter: 600 });
    await failure(rig.say(dm(), { text: 'x' }));
    await rig.adapter.stop();
    rig.adapter = rig.build();
    await rig.start();
    const calls = rig.server.callsOf('sendMessage').length;
    const error = await failure(rig.say(dm(), { text: 'x' }));
    expect(error.failure.kind === 'wait' && error.failure.retryAfterMs).toBeGreaterThan(600_000);
    expect(rig.server.callsOf('sendMessage')).toHaveLength(calls);
    rig.server.person(ADA).says('dm', 'still heard');
    await rig.server.until(() => rig.told.texts.includes('still heard'));
  });

  it('on the final edit: the same edit at its time, nothing sent between (gateway 21)', async () => {
    const [sent] = await rig.say(dm(), { text: 'draft' });
    rig.server.fault('editMessageText', { kind: 'limit', retryAfter: 3 });
    const edit = () => rig.adapter.edit?.(dm(), sent?.messageId ?? '', { text: '**final**' }) ?? Promise.resolve();
    const error = await failure(edit());
    await failure(edit());
    await clock.skip(error.failure.kind === 'wait' ? error.failure.retryAfterMs : 0);
    await edit();
    expect(rig.server.said(ADA)).toMatchObject([{ text: 'final', entities: [{ type: 'bold' }] }]);
    expect(rig.server.callsOf('editMessageText')).toHaveLength(2);
  });

  it('in a real flood nothing is called inside one, so it does not grow (gateway 22)', async () => {
    const flooded = await Rig.started({ clock, limits: true });
    flooded.server.person(ADA).says('dm', 'hi');
    for (let i = 0; i < 6; i++) await flooded.say(flooded.address(ADA), { text: `message ${i}` });
    const error = await failure(flooded.say(flooded.address(ADA), { text: 'one too many' }));
    const told = flooded.server.flood?.penalty(ADA) ?? 0;
    for (let i = 0; i < 5; i++) await failure(flooded.say(flooded.address(ADA), { text: 'again' }));
    expect(flooded.server.flood?.penalty(ADA)).toBeLessThanOrEqual(told);
    await clock.skip(error.failure.kind === 'wait' ? error.failure.retryAfterMs : 0);
    await flooded.say(flooded.address(ADA), { text: 'one too many' });
    await flooded.stop();
  });
});

describe('parts', () => {
  const parts = (message: OutboundMessage) => rig.adapter.parts(message);

  it('survive a row: JSON there and back renders the same, words before it included', async () => {
    const [part] = parts({ text: 'It is **done** in `x`' });
    const stored = JSON.parse(JSON.stringify(part)) as OutboundMessage;
    await rig.sendPart(dm(), { ...stored, text: `(may be a repeat)\n\n${stored.text}` });
    expect(rig.server.said(ADA)).toMatchObject([
      {
        text: '(may be a repeat)\n\nIt is done in x',
        entities: [
          { type: 'bold', offset: 25, length: 4 },
          { type: 'code', offset: 33, length: 1 },
        ],
      },
    ]);
  });

  it('are plain text where they look like Markdown again', async () => {
    await rig.say(dm(), { text: 'a \\*b\\* c' });
    expect(rig.server.said(ADA)).toMatchObject([{ text: 'a *b* c', entities: [] }]);
  });

  it('too many become the first and the whole as a file', async () => {
    const text = Array.from({ length: 9_000 }, (_, i) => `line ${i}`).join('\n');
    const all = parts({ text });
    expect(all).toHaveLength(2);
    expect(all[1]?.files).toEqual([{ name: 'answer.md', text }]);
    await rig.say(dm(), { text });
    expect(rig.server.said(ADA)[1]?.files[0]?.bytes.toString()).toBe(text);
  });

  it('answer only with the first and carry buttons only on the last', () => {
    const all = parts({
      text: 'word '.repeat(2_000),
      replyTo: '7',
      silent: true,
      buttons: [[{ label: 'Once', data: 'o' }]],
    });
    expect(all.map(({ replyTo }) => replyTo)).toEqual(['7', undefined, undefined]);
    expect(all.map(({ buttons }) => buttons?.length)).toEqual([undefined, undefined, 1]);
    expect(all.every(({ silent }) => silent)).toBe(true);
  });

  it('a prefix that makes one too long is a size, and splitting it again loses nothing', async () => {
    const [part] = parts({ text: `**${'w'.repeat(4096)}**` });
    const longer = { ...(part as OutboundMessage), text: `(may be a repeat)\n\n${part?.text}` };
    expect((await failure(rig.sendPart(dm(), longer))).failure).toEqual({ kind: 'size' });
    await rig.say(dm(), longer);
    expect(
      rig.server
        .said(ADA)
        .map(({ text }) => text)
        .join('')
        .replace(/\s/g, ''),
    ).toBe(longer.text.replace(/\s/g, ''));
  });
});

describe('files', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'telegram-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const file = (name: string, bytes = 3) => {
    const path = join(folder, name);
    writeFileSync(path, 'abc');
    truncateSync(path, bytes);
    return { name, path };
  };

  it('a picture is a photo with its words as caption', async () => {
    await rig.say(dm(), { text: 'The **plot**', files: [file('plot.png')], replyTo: '1' });
    expect(rig.server.said(ADA)).toMatchObject([
      { text: 'The plot', entities: [{ type: 'bold' }], replyTo: 1, files: [{ name: 'plot.png', kind: 'photo' }] },
    ]);
  });

  it('a picture over 10 MB is a document', async () => {
    await rig.say(dm(), { text: '', files: [file('big.png', 10 * 1024 * 1024 + 1)] });
    expect(rig.server.said(ADA)).toMatchObject([{ files: [{ name: 'big.png', kind: 'document' }] }]);
  });

  it('several go as albums, pictures and others apart, one alone as itself', async () => {
    await rig.say(dm(), { text: 'All of it', files: [file('a.png'), file('b.txt'), file('c.jpg')] });
    expect(rig.server.said(ADA).map((message) => [message.text, message.files[0]?.name])).toEqual([
      ['', 'a.png'],
      ['', 'c.jpg'],
      ['', 'b.txt'],
      ['All of it', undefined],
    ]);
    expect(rig.server.callsOf('sendMediaGroup')).toHaveLength(1);
  });

  it('more words than a caption holds follow as messages', async () => {
    await rig.say(dm(), { text: 'w'.repeat(1025), files: [file('a.txt')] });
    expect(rig.server.said(ADA).map(({ text, files }) => [text.length, files.length])).toEqual([
      [0, 1],
      [1025, 0],
    ]);
  });

  it.each([
    [
      'too large',
      () => file('build.zip', 50 * 1024 * 1024 + 1),
      'build.zip is 51 MB; bots may send 50 MB. It stays in the workspace.',
    ],
    ['empty', () => file('empty.txt', 0), 'empty.txt is empty; Telegram takes no empty files.'],
    [
      'gone',
      () => ({ name: 'gone.txt', path: join(folder, 'gone.txt') }),
      'gone.txt cannot be read any more; it was not sent.',
    ],
  ])('%s ones fail with a sentence before any call', async (_, make, sentence) => {
    const error = await failure(rig.say(dm(), { text: '', files: [make()] }));
    expect(error.failure).toEqual({ kind: 'size' });
    expect(error.message).toBe(sentence);
    expect(rig.server.callsOf('sendDocument')).toEqual([]);
  });
});

describe('manners', () => {
  it('a silent message and progress make no sound, an answer that grows does', async () => {
    await rig.say(dm(), { text: 'quiet', silent: true });
    await rig.say(dm(), { text: 'working', as: 'progress' });
    await rig.say(dm(), { text: 'growing', as: 'draft' });
    expect(rig.server.said(ADA).map(({ silent }) => silent)).toEqual([true, true, false]);
  });

  it('link previews show on finals only, and only if wanted', async () => {
    const wanting = await Rig.started({ clock, config: { linkPreviews: true } });
    wanting.server.person(ADA).says('dm', 'hi');
    for (const target of [rig, wanting]) {
      await target.say(dm(), { text: 'https://e.org' });
      await target.say(dm(), { text: 'https://e.org', as: 'draft' });
    }
    const disabled = (target: Rig) =>
      target.server
        .callsOf('sendMessage')
        .map(({ payload }) => (payload['link_preview_options'] as { is_disabled: boolean }).is_disabled);
    expect([disabled(rig), disabled(wanting)]).toEqual([
      [true, true],
      [false, true],
    ]);
    await wanting.stop();
  });

  it('a reply to what is deleted is sent all the same', async () => {
    await rig.say(dm(), { text: 'answer', replyTo: '999' });
    expect(rig.server.said(ADA)).toMatchObject([{ text: 'answer' }]);
    expect(rig.server.said(ADA)[0]).not.toHaveProperty('replyTo');
  });

  it('the button that would open a form is not drawn', async () => {
    const buttons = [
      [
        { label: 'Deny', data: 'h1:ap:x:y:d' },
        { label: 'Deny with reason', data: 'h1:ap:x:y:r' },
      ],
    ];
    await rig.say(dm(), { text: 'Run?', buttons });
    expect(rig.server.said(ADA)[0]?.buttons).toEqual([['Deny']]);
  });

  it('typing in General needs its id, elsewhere the topic', async () => {
    rig.server.group(FORUM, { forum: true });
    const topic = rig.server.topic(FORUM, 'Builds');
    rig.server.person(ADA).says(FORUM, 'in General');
    await rig.server.until(() => rig.told.messages.length === 2);
    await rig.adapter.typing?.(rig.address(FORUM));
    await rig.adapter.typing?.(rig.address(FORUM, topic));
    await rig.adapter.typing?.(rig.address(ADA));
    expect(rig.server.callsOf('sendChatAction').map(({ payload }) => payload['message_thread_id'])).toEqual([
      1,
      topic,
      undefined,
    ]);
    await rig.say(rig.address(FORUM), { text: 'answer' });
    expect(rig.server.said(FORUM)).toMatchObject([{ text: 'answer' }]);
  });

  it('typing never rejects', async () => {
    rig.server.person(ADA).blocks();
    await rig.adapter.typing?.(dm());
  });

  it('reactions are set only if wanted, and only legal ones', async () => {
    const wanting = await Rig.started({ clock, config: { reactions: true } });
    const asked = wanting.server.person(ADA).says('dm', 'hi');
    for (const mark of ['working', 'done', 'failed'] as const) {
      await rig.adapter.react?.(dm(), '1', mark);
      await wanting.adapter.react?.(dm(), String(asked.id), mark);
    }
    expect(rig.server.callsOf('setMessageReaction')).toEqual([]);
    expect(wanting.server.callsOf('setMessageReaction').map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(wanting.log.lines.filter(({ sentence }) => sentence.includes('reaction'))).toEqual([]);
    await wanting.stop();
  });

  it('finds the direct chat of somebody who has written, and rejects for others', async () => {
    const actor = { platform: 'telegram', id: '11', name: 'Ada' };
    expect(await rig.adapter.directAddress?.(actor)).toEqual(dm());
    await expect(rig.adapter.directAddress?.({ ...actor, id: '12' })).rejects.toMatchObject({
      failure: { kind: 'gone' },
    });
    await expect(rig.adapter.directAddress?.({ ...actor, id: '-1005', standIn: true })).rejects.toThrow(
      'no direct chat',
    );
  });
});

describe('presses', () => {
  const card = async () => {
    const [sent] = await rig.say(dm(), { text: 'Run?', buttons: [[{ label: 'Once', data: 'o' }]] });
    return { chat: ADA, id: Number(sent?.messageId) };
  };

  it('that take longer than a second are answered empty, once', async () => {
    let decide = (_: { text: string }) => {};
    rig.told.decide = () => new Promise((resolve) => (decide = resolve));
    const press = rig.server.person(ADA).presses(await card(), 'Once');
    await rig.server.until(() => rig.told.presses.length === 1);
    await clock.skip(1_000);
    await rig.server.until(() => press.answer !== undefined);
    decide({ text: 'Allowed once.' });
    await clock.skip(5_000);
    expect(press.answer).toBe('');
    expect(rig.server.callsOf('answerCallbackQuery')).toHaveLength(1);
  });

  it('that were not stored are answered when they come again, once', async () => {
    let broken = true;
    rig.told.decide = () => {
      if (!broken) return { text: 'Denied.' };
      broken = false;
      throw new Error('the disk is full');
    };
    const press = rig.server.person(ADA).presses(await card(), 'Once');
    await rig.server.until(() => rig.told.presses.length === 1);
    await passes(clock, () => press.answer !== undefined);
    expect(press.answer).toBe('Denied.');
    expect(rig.server.callsOf('answerCallbackQuery')).toHaveLength(1);
  });

  it('of long ago decide all the same; that nobody is told any more is no trouble', async () => {
    const target = await card();
    await rig.adapter.stop();
    const press = rig.server.person(ADA).presses(target, 'Once');
    await clock.skip(120_000);
    rig.told.decide = () => ({ text: 'Allowed once.' });
    rig.adapter = rig.build();
    await rig.start();
    await rig.server.until(() => rig.server.callsOf('answerCallbackQuery').length === 1);
    expect(rig.told.presses).toHaveLength(1);
    expect(press.answer).toBeUndefined();
    expect(rig.log.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  it('get at most 200 units', async () => {
    rig.told.decide = () => ({ text: 'x'.repeat(300) });
    const press = rig.server.person(ADA).presses(await card(), 'Once');
    await rig.server.until(() => press.answer !== undefined);
    expect(press.answer).toBe(`${'x'.repeat(199)}…`);
  });

  it('and their own message come in one batch and are both settled at once', async () => {
    const target = await card();
    await rig.adapter.stop();
    rig.server.person(ADA).says('dm', 'before the press');
    const press = rig.server.person(ADA).presses(target, 'Once');
    rig.told.decide = () => ({ text: 'Done.' });
    rig.adapter = rig.build();
    await rig.start();
    await rig.server.until(() => press.answer === 'Done.');
    expect(rig.told.texts).toContain('before the press');
  });
});
