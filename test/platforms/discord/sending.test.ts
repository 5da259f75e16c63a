import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SendError, type SendFailure } from '../../../src/contract/errors.ts';
import type { Address, OutboundMessage } from '../../../src/contract/message.ts';
import type { FaultPlan } from '../../fakes/discord-faults.ts';
import { CHANNEL } from '../../fakes/discord-wire.ts';
import type { FakeChannel } from '../../fakes/discord-world.ts';
import { passes } from '../../fakes/passing.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { Rig, type RigOptions } from './rig.ts';

let rig: Rig;
let clock: WarpClock;
let to: Address;

async function started(options: RigOptions = {}): Promise<void> {
  await rig?.stop();
  clock = new WarpClock();
  rig = await Rig.started({ clock, ...options });
  to = rig.address(rig.server.person(1, 'Ada').dm.wire.id);
}

beforeEach(() => started());
afterEach(() => rig.stop());

const SAY = /^POST \/channels\/\d+\/messages$/;
const EDIT = /^PATCH \/channels\/\d+\/messages/;
const texts = (chat = to.chat) => rig.server.said(chat).map(({ text }) => text);
const bodies = (route = SAY) => rig.server.callsTo(route).map(({ body }) => body);

async function failure(work: Promise<unknown> | undefined): Promise<SendFailure> {
  const error = await work?.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SendError);
  return (error as SendError).failure;
}

async function hurried<T>(work: Promise<T>): Promise<T> {
  let done = false;
  void work.then(
    () => (done = true),
    () => (done = true),
  );
  await passes(clock, () => done, { stepMs: 5_000 });
  return work;
}

describe('what Discord answers', () => {
  const plan = (status: number, code: number): FaultPlan => ({ kind: 'refuse', status, code, message: 'planned' });

  it.each<[string, FaultPlan, SendFailure]>([
    ['no access', plan(403, 50001), { kind: 'gone' }],
    ['no permission', plan(403, 50013), { kind: 'gone' }],
    ['a person who takes no messages', plan(403, 50007), { kind: 'gone' }],
    ['an unknown channel', plan(404, 10003), { kind: 'gone' }],
    ['an archive where no thread was named', plan(403, 50083), { kind: 'missing' }],
    ['too large', plan(413, 0), { kind: 'size' }],
    ['too large, by code', plan(400, 40005), { kind: 'size' }],
    ['a bad form', plan(400, 50035), { kind: 'format' }],
    ['anything else', plan(400, 50109), { kind: 'format' }],
    ['HTML with 403', { kind: 'html', status: 403 }, { kind: 'gone' }],
  ])('%s', async (_, fault, expected) => {
    rig.server.fault(SAY, fault);
    expect(await failure(rig.say(to, { text: 'hello' }))).toEqual(expected);
    expect(texts()).toEqual([]);
  });

  it('tells the route and the code, and nothing of the body', async () => {
    rig.server.fault(SAY, plan(403, 50013));
    const error = await rig.say(to, { text: 'my secret words' }).catch((reason: unknown) => reason);
    expect(String(error)).toBe(`DiscordError: Discord refused POST /channels/${to.chat}/messages: planned (50013).`);
    expect(JSON.stringify(error)).not.toContain('secret');
  });
});

describe('limits', () => {
  it('waits out a short one without a word', async () => {
    rig.server.fault(SAY, { kind: 'limit', retryAfter: 0.1 });
    await rig.say(to, { text: 'hello' });
    expect(texts()).toEqual(['hello']);
  });

  it('hands on a long one; other channels go on, and this one later', async () => {
    const other = rig.address(rig.server.person(2).dm.wire.id);
    rig.server.fault(SAY, { kind: 'limit', retryAfter: 3_600 });
    expect(await failure(rig.say(to, { text: 'hello' }))).toMatchObject({ kind: 'wait', retryAfterMs: 3_600_050 });
    await rig.say(other, { text: 'elsewhere' });
    expect(await failure(rig.say(to, { text: 'hello' }))).toMatchObject({ kind: 'wait' });
    expect(rig.server.callsTo(SAY)).toHaveLength(2);
    await clock.skip(3_601_000);
    await rig.say(to, { text: 'hello' });
    expect(texts()).toEqual(['hello']);
  });

  it('knows a long one after a restart', async () => {
    rig.server.fault(SAY, { kind: 'limit', retryAfter: 3_600 });
    await failure(rig.say(to, { text: 'hello' }));
    const next = await rig.next();
    expect(await failure(next.say(to, { text: 'hello' }))).toMatchObject({ kind: 'wait' });
    expect(rig.server.callsTo(SAY)).toHaveLength(1);
  });

  it('does not hammer when no time is told', async () => {
    rig.server.fault(SAY, { kind: 'limit', retryAfter: null, times: 100 });
    for (let i = 0; i < 10; i++) expect(await failure(rig.say(to, { text: 'hello' }))).toMatchObject({ kind: 'wait' });
    expect(rig.server.callsTo(SAY)).toHaveLength(1);
  });

  it('stops everything on a global one', async () => {
    rig.server.fault(SAY, { kind: 'global-limit', retryAfter: 300 });
    await failure(rig.say(to, { text: 'hello' }));
    const other = rig.address(rig.server.person(2).dm.wire.id);
    expect(await failure(rig.say(other, { text: 'hello' }))).toMatchObject({ kind: 'wait' });
    expect(rig.server.callsTo(SAY)).toHaveLength(1);
  });

  it('closes REST for a minute after fifty refusals, says so, and still answers presses', async () => {
    rig.server.fault(SAY, { kind: 'refuse', status: 403, code: 50013, times: 1_000 });
    for (let i = 0; i < 60; i++) await failure(rig.say(to, { text: 'hello' }));
    expect(rig.server.callsTo(SAY)).toHaveLength(50);
    expect(rig.told.healths.at(-1)).toMatchObject({ state: 'degraded' });
    expect(rig.told.healths.at(-1)?.reason).toMatch(/^too many refusals; paused until \d\d:\d\d$/);
    const card = rig.server.world.add(rig.server.person(1).dm, {
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Once', custom_id: 'o' }] }],
    });
    const press = rig.server.person(1).presses({ channel: to.chat, id: card.wire.id }, 'Once');
    await rig.until(() => press.response === 6);
    await clock.skip(61_000);
    expect(rig.told.state).toBe('connected');
  });

  it('obeys the buckets that Discord tells of', async () => {
    await started({ limits: 20 });
    await Promise.all(Array.from({ length: 8 }, (_, i) => rig.say(to, { text: `message ${i}` })));
    expect(texts()).toHaveLength(8);
    expect(rig.server.callsTo(SAY).filter(({ status }) => status === 429)).toEqual([]);
  });
});

describe('answers that get lost', () => {
  it('an orderly server error was not the end: the library asks again', async () => {
    rig.server.fault(SAY, { kind: 'refuse', status: 503, times: 2 });
    await rig.say(to, { text: 'hello' });
    expect(texts()).toEqual(['hello']);
  });

  it('work that was done and never answered makes one copy, however often it is repeated', async () => {
    rig.server.fault(SAY, { kind: 'hang-after', times: 1 });
    rig.server.fault(SAY, { kind: 'html', after: 0, times: 3 });
    const [part] = rig.adapter.parts({ text: 'hello' });
    const first = hurried(rig.sendPart(to, part as OutboundMessage, 'row-1'));
    expect(await failure(first)).toEqual({ kind: 'ambiguous' });
    rig.server.clearFaults();
    const sent = await rig.sendPart(to, part as OutboundMessage, 'row-1');
    expect(rig.server.said(to.chat)).toMatchObject([{ id: sent.messageId, text: 'hello' }]);
    expect(new Set(bodies().map(({ nonce }) => nonce)).size).toBe(1);
    expect(bodies().every(({ enforce_nonce: enforced }) => enforced === true)).toBe(true);
  });

  it('repeated by the next process within three minutes it is still one copy', async () => {
    rig.server.fault(SAY, { kind: 'reset-after' });
    const [part] = rig.adapter.parts({ text: 'hello' });
    await failure(rig.sendPart(to, part as OutboundMessage, 'row-1'));
    const next = await rig.next();
    await clock.skip(120_000);
    await next.sendPart(to, part as OutboundMessage, 'row-1');
    expect(texts()).toEqual(['hello']);
  });

  it('repeated later it is found by looking', async () => {
    rig.server.fault(SAY, { kind: 'reset-after' });
    const [part] = rig.adapter.parts({ text: '**hello**' });
    await failure(rig.sendPart(to, part as OutboundMessage, 'row-1'));
    const id = rig.server.said(to.chat)[0]?.id;
    await clock.skip(3_600_000);
    const labelled = { ...(part as OutboundMessage), text: `(may be a repeat)\n\n${part?.text}` };
    expect(await rig.sendPart(to, labelled, 'row-1', true)).toEqual({ messageId: id, at: to });
    expect(texts()).toEqual(['**hello**']);
  });

  it('goes out with its label where no copy is to be found', async () => {
    const [part] = rig.adapter.parts({ text: '**hello**' });
    const labelled = { ...(part as OutboundMessage), text: `(may be a repeat)\n\n${part?.text}` };
    await rig.sendPart(to, labelled, 'row-1', true);
    expect(texts()).toEqual(['(may be a repeat)\n\n**hello**']);
  });

  it('nothing listens: unreached, and no copy', async () => {
    await rig.server.close();
    // A connection that was still open may have been written to.
    await failure(rig.say(to, { text: 'hello' }));
    expect(await failure(rig.say(to, { text: 'hello' }))).toEqual({ kind: 'unreached' });
    await rig.server.listen();
  });
});

describe('who is pinged', () => {
  const loud = '@everyone @here <@&123456789012345678> <@200000000000000001> hello';

  it('nobody by what a model writes, in sends and in edits', async () => {
    const [sent] = await rig.say(to, { text: loud });
    await rig.adapter.edit?.(to, sent?.messageId ?? '', { text: `${loud} again` });
    expect(rig.server.pinged(to.chat)).toEqual([]);
    for (const body of [...bodies(), ...bodies(EDIT)])
      expect(body).toMatchObject({ allowed_mentions: { parse: [], replied_user: false } });
    expect(texts()[0]).toContain('\\<@200000000000000001>');
  });

  it('the one who is asked by a card, and nobody by any other reply', async () => {
    const ada = rig.server.person(1, 'Ada');
    const question = ada.says('dm', 'do it');
    await rig.say(to, { text: 'I will.', replyTo: question.id });
    expect(rig.server.pinged(to.chat)).toEqual([]);
    await rig.say(to, { text: `Run this? ${loud}`, replyTo: question.id, buttons: [[{ label: 'Once', data: 'o' }]] });
    expect(rig.server.pinged(to.chat)).toEqual([ada.id]);
  });
});

describe('replies', () => {
  it('answer the message with the first part only', async () => {
    const { id } = rig.server.person(1).says('dm', 'tell me');
    await rig.say(to, { text: 'words '.repeat(600), replyTo: id });
    expect(rig.server.said(to.chat).map(({ replyTo }) => replyTo)).toEqual([id, undefined]);
  });

  it('do without when the message is gone', async () => {
    const ada = rig.server.person(1);
    const message = ada.says('dm', 'tell me');
    ada.deletes(message);
    await rig.say(to, { text: 'here', replyTo: message.id });
    expect(rig.server.said(to.chat)).toMatchObject([{ text: 'here' }]);
  });

  it('are never given to another bot', async () => {
    const channel = rig.server.channel('ops').wire.id;
    const other = rig.server.person(9, 'Beep', { bot: true });
    const { id } = other.calls(channel, 'hello');
    await rig.until(() => rig.told.messages.length === 1);
    await rig.say(rig.address(channel), { text: 'hello', replyTo: id });
    expect(rig.server.said(channel)[0]?.replyTo).toBeUndefined();
  });
});

describe('the look of a message', () => {
  it('link previews are off, and on for finals when they are wanted', async () => {
    await rig.say(to, { text: 'https://e.org' });
    await started({ config: { linkPreviews: true } });
    await rig.say(to, { text: 'https://e.org' });
    await rig.say(to, { text: 'https://e.org', as: 'draft' });
    expect(rig.server.said(to.chat).map(({ flags }) => flags)).toEqual([0, 4]);
  });

  it('progress makes no sound', async () => {
    await rig.say(to, { text: 'working', as: 'progress', silent: true });
    expect(rig.server.said(to.chat)).toMatchObject([{ silent: true, flags: 4 | 4096 }]);
  });

  it('buttons it would refuse are refused before any call', async () => {
    const button = (data: string) => ({ label: 'x', data });
    const six = Array.from({ length: 6 }, (_, i) => button(`d${i}`));
    const card = (buttons: OutboundMessage['buttons']): OutboundMessage => ({ text: 'Run?', buttons: buttons ?? [] });
    expect(await failure(rig.say(to, card([six])))).toEqual({ kind: 'format' });
    expect(await failure(rig.say(to, card(six.map((one) => [one]))))).toEqual({ kind: 'format' });
    expect(await failure(rig.say(to, card([[button('x'.repeat(101))]])))).toEqual({ kind: 'format' });
    expect(await failure(rig.say(to, card([[button('')]])))).toEqual({ kind: 'format' });
    expect(rig.server.callsTo(SAY)).toEqual([]);
  });

  it('marks a message while it works on it', async () => {
    await started({ config: { reactions: true } });
    const { id } = rig.server.person(1).says('dm', 'do it');
    await rig.adapter.react?.(to, id, 'working');
    await rig.adapter.react?.(to, id, 'done');
    expect(rig.server.visible(to.chat)[0]?.reactions).toEqual(['✅']);
  });

  it('shows typing in the place itself, and swallows what is wrong with it', async () => {
    await rig.adapter.typing?.(to);
    rig.server.fault(/typing/, { kind: 'refuse', status: 403, code: 50013 });
    await rig.adapter.typing?.(to);
    expect(rig.server.world.channels.get(to.chat)?.typing).toHaveLength(1);
  });

  it('an edit that comes an hour too late is missing', async () => {
    const [sent] = await rig.say(to, { text: 'one' });
    const stored = rig.server.person(1).dm.messages[0];
    if (stored) stored.editable = false;
    expect(await failure(rig.adapter.edit?.(to, sent?.messageId ?? '', { text: 'two' }))).toEqual({ kind: 'missing' });
  });

  it('edits of one message are one at a time, and the newest text wins', async () => {
    const [sent] = await rig.say(to, { text: 'one' });
    await Promise.all(
      ['two', 'three', 'four', 'five'].map((text) => rig.adapter.edit?.(to, sent?.messageId ?? '', { text })),
    );
    expect(rig.server.said(to.chat)).toMatchObject([{ text: 'five', edits: 2 }]);
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'discord-files-'));
  const path = join(folder, 'build.zip');
  afterEach(() => rmSync(path, { force: true }));

  it('too large for the server: the words go alone and say so', async () => {
    writeFileSync(path, 'x');
    truncateSync(path, 14 * 1024 * 1024);
    await rig.say(to, { text: 'Done.', files: [{ name: 'build.zip', path }] });
    expect(texts()).toEqual(['The file is too large for this server (14 MB of 10 MB); here is the text.\n\nDone.']);
    expect(rig.server.callsTo(SAY)).toHaveLength(1);
  });

  it('refused by Discord all the same: again the words go alone', async () => {
    rig.server.fault(SAY, { kind: 'refuse', status: 413, code: 40005 });
    await rig.say(to, { text: 'Done.', files: [{ name: 'note.txt', text: 'words' }] });
    expect(texts()).toEqual(['The file is too large for this server; here is the text.\n\nDone.']);
  });

  it('larger ones go where the server allows them, once it has told', async () => {
    const guild = rig.server.guild();
    guild.maxFileBytes = 50 * 1024 * 1024;
    const channel = rig.server.channel('ops');
    rig.server.person(1).commands(channel.wire.id, 'help');
    await rig.until(() => rig.told.commands.length === 1);
    writeFileSync(path, 'x');
    truncateSync(path, 14 * 1024 * 1024);
    await rig.say(rig.address(channel.wire.id), { text: 'Done.', files: [{ name: 'build.zip', path }] });
    expect(rig.server.said(channel.wire.id)).toMatchObject([{ text: 'Done.', files: [{ name: 'build.zip' }] }]);
  });

  it('without words it says in its error what is wrong', async () => {
    writeFileSync(path, 'x');
    truncateSync(path, 14 * 1024 * 1024);
    const error = await rig
      .say(to, { text: '', files: [{ name: 'build.zip', path }] })
      .catch((reason: unknown) => reason);
    expect(String(error)).toContain(
      'build.zip is too large for this server (14 MB of 10 MB). It stays in the workspace.',
    );
  });

  it('gone or empty: size, with a sentence', async () => {
    expect(await failure(rig.say(to, { text: '', files: [{ name: 'gone.txt', path: join(folder, 'gone') }] }))).toEqual(
      { kind: 'size' },
    );
    expect(await failure(rig.say(to, { text: '', files: [{ name: 'empty.txt', text: '' }] }))).toEqual({
      kind: 'size',
    });
  });

  it('more than ten go in more than one message, names cleaned', async () => {
    const files = Array.from({ length: 12 }, (_, i) => ({ name: `../a${i}.txt`, text: 'x' }));
    await rig.say(to, { text: '', files });
    const names = rig.server.said(to.chat).map((message) => message.files.map(({ name }) => name));
    expect(names.map((list) => list.length)).toEqual([10, 2]);
    expect(names.flat()[0]).toBe('_a0.txt');
  });

  it('an answer too long for messages is one part and a file', async () => {
    const text = Array.from(
      { length: 400 },
      (_, i) => `Paragraph ${i} with some more words in it to fill a line.`,
    ).join('\n\n');
    await rig.say(to, { text });
    const said = rig.server.said(to.chat);
    expect(said.map(({ files }) => files.map(({ name }) => name))).toEqual([[], ['answer.md']]);
    expect(said[1]?.files[0]?.bytes.toString()).toBe(text);
  });
});

describe('places', () => {
  it('a person is written to in the direct chat, opened first and once', async () => {
    const bob = rig.server.person(3, 'Bob');
    const person = rig.address(`user:${bob.id}`);
    const [sent] = await rig.say(person, { text: 'job done' });
    await rig.say(person, { text: 'again' });
    expect(sent?.at).toEqual(rig.address(bob.dm.wire.id));
    expect(texts(bob.dm.wire.id)).toEqual(['job done', 'again']);
    expect(rig.server.callsTo(/^POST \/users\/@me\/channels$/)).toHaveLength(1);
    expect(await rig.adapter.directAddress?.({ platform: 'discord', id: bob.id, name: 'Bob' })).toEqual(
      rig.address(bob.dm.wire.id),
    );
  });

  it('nobody there, a bot, or somebody who blocked us: gone, or no direct chat', async () => {
    const bob = rig.server.person(3, 'Bob');
    bob.blocks();
    expect(await failure(rig.say(rig.address(`user:${bob.id}`), { text: 'hi' }))).toEqual({ kind: 'gone' });
    await expect(rig.adapter.directAddress?.({ platform: 'discord', id: '1', name: 'X' })).rejects.toThrow(
      'no direct chat',
    );
    await expect(
      rig.adapter.directAddress?.({ platform: 'discord', id: bob.id, name: 'X', bot: true }),
    ).rejects.toThrow('no direct chat');
  });

  it('an archived thread is opened by writing, a locked or deleted one is missing', async () => {
    const channel = rig.server.channel('ops');
    const thread = rig.server.thread(channel, 'old');
    const inside = rig.address(channel.wire.id, thread.wire.id);
    const meta = thread.wire.thread_metadata;
    if (meta) meta.archived = true;
    await rig.say(inside, { text: 'hello' });
    expect(meta?.archived).toBe(false);
    const sent = await rig.say(inside, { text: 'hello' });
    if (meta) meta.locked = true;
    const locked = { kind: 'missing', notice: 'the thread is locked' };
    expect(await failure(rig.say(inside, { text: 'hello' }))).toEqual(locked);
    expect(await failure(rig.adapter.edit?.(inside, sent[0]?.messageId ?? '', { text: 'bye' }))).toEqual(locked);
    thread.deleted = true;
    const gone = { kind: 'missing', notice: 'the thread is gone' };
    expect(await failure(rig.say(inside, { text: 'hello' }))).toEqual(gone);
    expect(await failure(rig.adapter.edit?.(inside, sent[0]?.messageId ?? '', { text: 'bye' }))).toEqual(gone);
  });

  it('a thread we may not write in is no word on the channel around it', async () => {
    const channel = rig.server.channel('ops');
    const thread = rig.server.thread(channel, 'private');
    const inside = rig.address(channel.wire.id, thread.wire.id);
    thread.denied.add('send');
    expect(await failure(rig.say(inside, { text: 'hello' }))).toMatchObject({ kind: 'missing' });
    thread.denied.add('view');
    expect(await failure(rig.say(inside, { text: 'hello' }))).toMatchObject({ kind: 'missing' });
    await rig.say(rig.address(channel.wire.id), { text: 'hello' });
    expect(texts(channel.wire.id)).toEqual(['hello']);
  });

  const postsOf = (forum: FakeChannel) =>
    [...rig.server.world.channels.values()].filter(({ wire }) => wire.parent_id === forum.wire.id);

  it('a forum gets a post with a title, all parts in it, those of the next process, too', async () => {
    const forum = rig.server.channel('ideas', { type: CHANNEL.forum });
    const message = { text: `# Weekly report\n\n${'words '.repeat(900)}` };
    const to = rig.address(forum.wire.id);
    const [first, second, third] = rig.adapter.parts(message) as OutboundMessage[];
    const sent = [await rig.sendPart(to, first!, 'final:t'), await rig.sendPart(to, second!, 'final:t#1')];
    sent.push(await (await rig.next()).sendPart(to, third!, 'final:t#2'));
    const [post, ...more] = postsOf(forum);
    expect([post?.wire.name, more]).toEqual(['Weekly report', []]);
    expect(texts(post?.wire.id)).toHaveLength(3);
    expect(sent.every(({ at }) => at.thread === post?.wire.id)).toBe(true);
    await rig.adapter.edit?.(sent[0]?.at as Address, sent[0]?.messageId ?? '', { text: 'Edited' });
    expect(texts(post?.wire.id)[0]).toBe('Edited');
  });

  it('a post that is gone before its last part: the rest opens another', async () => {
    const forum = rig.server.channel('ideas', { type: CHANNEL.forum });
    const [first, second] = rig.adapter.parts({ text: 'words '.repeat(600) });
    await rig.sendPart(rig.address(forum.wire.id), first as OutboundMessage, 'row');
    const [post] = postsOf(forum);
    if (post) post.deleted = true;
    await rig.sendPart(rig.address(forum.wire.id), second as OutboundMessage, 'row#1');
    expect(postsOf(forum).map(({ messages }) => messages.length)).toEqual([1, 1]);
  });

  it('a forum takes files, with the words or alone; too large ones leave the words', async () => {
    const forum = rig.server.channel('ideas', { type: CHANNEL.forum });
    const to = rig.address(forum.wire.id);
    await rig.say(to, { text: 'Here', files: [{ name: 'note.txt', text: 'words' }] });
    await rig.say(to, { text: '', files: [{ name: 'alone.txt', text: 'words' }] });
    await rig.say(to, { text: 'Large', files: [{ name: 'large.txt', text: 'x'.repeat(11 * 1024 * 1024) }] });
    const said = postsOf(forum).flatMap(({ wire }) => rig.server.said(wire.id));
    expect(said.map(({ files }) => files.map(({ name }) => name))).toEqual([['note.txt'], ['alone.txt'], []]);
    expect(postsOf(forum).map(({ wire }) => wire.name)).toEqual(['Here', 'alone.txt', 'Large']);
    expect(said[2]?.text).toMatch(/too large[\s\S]*Large$/);
  });

  it.each([
    ['the same process', false],
    ['the next one', true],
  ])(
    'a post whose answer was lost is looked up by %s, not made twice; an older one of its name is another',
    async (_, restarted) => {
      const forum = rig.server.channel('ideas', { type: CHANNEL.forum });
      const address = rig.address(forum.wire.id);
      const [part] = rig.adapter.parts({ text: 'Weekly report' });
      await rig.sendPart(address, part as OutboundMessage, 'before');
      await clock.skip(60_000);
      rig.server.fault(/\/threads$/, { kind: 'reset-before' });
      rig.server.fault(/\/threads$/, { kind: 'reset-after' });
      for (let i = 0; i < 2; i++)
        expect(await failure(rig.sendPart(address, part as OutboundMessage, 'row'))).toEqual({ kind: 'ambiguous' });
      const sender = restarted ? await rig.next() : rig;
      await sender.sendPart(address, part as OutboundMessage, 'row');
      await clock.skip(200_000);
      await sender.sendPart(
        address,
        { ...part, text: `(may be a repeat)\n\n${part?.text}` } as OutboundMessage,
        'row',
        true,
      );
      expect(postsOf(forum)).toHaveLength(2);
    },
  );

  it('auto_thread: a call is answered in a thread of its own, made once, also when the answer to that was lost', async () => {
    await started({ config: { autoThread: true } });
    const channel = rig.server.channel('ops');
    const ada = rig.server.person(1, 'Ada');
    const call = ada.calls(channel.wire.id, 'look at the build');
    await rig.until(() => rig.told.messages.length === 1);
    const inside = rig.address(channel.wire.id, call.id);
    expect(rig.told.messages[0]?.address).toEqual(inside);
    rig.server.fault(/\/threads$/, { kind: 'reset-after' });
    await rig.adapter.typing?.(inside);
    await rig.say(inside, { text: 'looking' });
    expect(rig.server.world.channels.get(call.id)?.wire).toMatchObject({
      name: 'look at the build',
      parent_id: channel.wire.id,
    });
    expect(texts(call.id)).toEqual(['looking']);
    ada.says(call.id, 'and the tests');
    await rig.until(() => rig.told.messages.length === 2);
    expect(rig.told.messages[1]).toMatchObject({ address: inside, mentionsBot: true });
  });
});
