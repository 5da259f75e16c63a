import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SendError } from '../../../src/contract/errors.ts';
import { createWeb } from '../../../src/platforms/web/adapter.ts';
import { MAX_FILE_BYTES, WEB_LIMITS } from '../../../src/platforms/web/limits.ts';
import type { WebEvent } from '../../../src/platforms/web/surface.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { FakeClock, settle } from '../../fakes/fake-clock.ts';
import { SmallCore, silent } from '../../http/site.ts';

const main = { platform: 'web', bot: 'page', chat: 'main' };
const never = new AbortController().signal;

async function startWeb(store: Store = openStore(':memory:'), clock = new FakeClock()) {
  const core = new SmallCore();
  const { adapter, surface } = createWeb({ messages: store.webMessages, clock, log: silent });
  await adapter.start(core, never);
  const events: WebEvent[] = [];
  surface.subscribe((event) => events.push(event));
  const send = (text: string, key: string) => adapter.send(main, { text }, { key, signal: never });
  return { store, clock, core, adapter, surface, events, send };
}

async function failureOf(work: Promise<unknown> | undefined): Promise<string> {
  const error = await work?.then(() => undefined).catch((thrown: unknown) => thrown);
  return error instanceof SendError ? error.failure.kind : String(error);
}

describe('what the person says', () => {
  it('reaches core as the operator, in a direct chat of its own', async () => {
    const { core, surface } = await startWeb();
    const { message, taken } = await surface.say('main', 'hello', 'client-1');
    expect(taken).toBe(true);
    expect(core.messages).toEqual([
      expect.objectContaining({
        eventId: `m:${message.id}`,
        messageId: message.id,
        by: { platform: 'web', id: 'operator', name: 'you' },
        address: main,
        direct: true,
        text: 'hello',
        mentionsBot: true,
      }),
    ]);
  });

  it('is said once, however often it is posted', async () => {
    const { core, surface, events } = await startWeb();
    const said = await Promise.all([1, 2, 3].map(() => surface.say('main', 'hello', 'client-1')));
    expect(new Set(said.map(({ message }) => message.id)).size).toBe(1);
    expect([core.messages.length, events.length]).toEqual([1, 1]);
  });

  it.each([
    ['/stop', { name: 'stop', args: '' }],
    ['/Approve k7f2 once', { name: 'approve', args: 'k7f2 once' }],
    ['/queue first\nsecond', { name: 'queue', args: 'first\nsecond' }],
    ['/etc/hosts is broken', undefined],
    ['/ stop', undefined],
    ['see /stop', undefined],
  ])('%s is the command %j', async (text, command) => {
    const { core, surface } = await startWeb();
    await surface.say('main', text, 'client-1');
    expect(core.messages[0]?.command).toEqual(command);
  });

  it('is kept and offered again, in order, when core cannot store it', async () => {
    const { core, surface, clock } = await startWeb();
    let broken = true;
    core.onMessage = () => (broken ? Promise.reject(new Error('disk full')) : undefined);
    expect((await surface.say('main', 'one', 'client-1')).taken).toBe(false);
    expect((await surface.say('main', 'two', 'client-2')).taken).toBe(false);
    broken = false;
    await clock.skip(5_000);
    expect(core.messages.map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('survives a process that died before core had it, with the same event id', async () => {
    const store = openStore(':memory:');
    const first = await startWeb(store);
    first.core.onMessage = () => Promise.reject(new Error('killed'));
    const { message } = await first.surface.say('main', 'hello', 'client-1');
    await first.adapter.stop();
    const second = await startWeb(store);
    await settle();
    expect(second.core.messages.map(({ eventId }) => eventId)).toEqual([`m:${message.id}`]);
  });

  it('in one conversation never waits for another', async () => {
    const { core, surface } = await startWeb();
    core.onMessage = ({ address }) => (address.chat === 'slow' ? new Promise(() => {}) : undefined);
    void surface.say('slow', 'a', 'client-1');
    await surface.say('main', 'b', 'client-2');
    expect(core.messages.map(({ text }) => text)).toEqual(['b']);
    expect(
      await surface.press({ conversation: 'main', messageId: '1', data: 'h1:x', clientId: 'press-1' }),
    ).toBeDefined();
  });
});

describe('sending', () => {
  it('is a committed row, told to who looks, and one row a key', async () => {
    const { send, events, store } = await startWeb();
    const sent = await send('hi', 'final:1');
    expect(store.webMessages.get(sent.messageId)).toMatchObject({ text: 'hi', side: 'hermod', conversation: 'main' });
    expect(await send('hi again', 'final:1')).toEqual(sent);
    expect(events).toEqual([expect.objectContaining({ type: 'message' })]);
  });

  it('edits text and buttons of its own messages; a card stays a card', async () => {
    const { adapter, surface, send, events } = await startWeb();
    const { messageId } = await send('Run this?', 'card:1');
    await adapter.edit?.(main, messageId, { text: 'Run this?', buttons: [[{ label: 'Once', data: 'h1:ap:x:y:o' }]] });
    expect(surface.message(messageId)).toMatchObject({ card: true, buttons: [[{ label: 'Once' }]] });
    await adapter.edit?.(main, messageId, { text: 'Allowed once by you.' });
    expect(surface.message(messageId)).toMatchObject({ card: true, buttons: [], text: 'Allowed once by you.' });
    expect(events.map(({ type }) => type)).toEqual(['message', 'changed', 'changed']);
  });

  it('calls an edit of what is not there, not hermod\'s or elsewhere "missing"', async () => {
    const { adapter, surface, send } = await startWeb();
    const { message } = await surface.say('main', 'mine', 'client-1');
    const { messageId } = await send('hi', 'final:1');
    expect(await failureOf(adapter.edit?.(main, '999', { text: 'x' }))).toBe('missing');
    expect(await failureOf(adapter.edit?.(main, 'no id', { text: 'x' }))).toBe('missing');
    expect(await failureOf(adapter.edit?.(main, message.id, { text: 'x' }))).toBe('missing');
    expect(await failureOf(adapter.edit?.({ ...main, chat: 'other' }, messageId, { text: 'x' }))).toBe('missing');
  });

  it('refuses button data over the limit and conversations nobody could open', async () => {
    const { adapter } = await startWeb();
    const button = (length: number) => ({ text: 'x', buttons: [[{ label: 'b', data: 'x'.repeat(length) }]] });
    await adapter.send(main, button(WEB_LIMITS.maxButtonData), { key: 'a', signal: never });
    expect(await failureOf(adapter.send(main, button(WEB_LIMITS.maxButtonData + 1), { key: 'b', signal: never }))).toBe(
      'format',
    );
    expect(await failureOf(adapter.send({ ...main, chat: '../x' }, { text: 'x' }, { key: 'c', signal: never }))).toBe(
      'gone',
    );
  });

  it('says "unreached" when the row could not be written, so that it is sent again', async () => {
    const { send, store } = await startWeb();
    store.close();
    expect(await failureOf(send('hi', 'final:1'))).toBe('unreached');
  });

  it('keeps files as they were when they were sent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermod-web-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'report.txt');
    writeFileSync(path, 'before');
    const { adapter, surface } = await startWeb();
    const files = [
      { name: 'report.txt', path },
      { name: '../command.txt', text: 'rm -rf build' },
    ];
    const { messageId } = await adapter.send(main, { text: 'see', files }, { key: 'a', signal: never });
    writeFileSync(path, 'after');
    expect(surface.message(messageId)?.files).toEqual([
      { name: 'report.txt', size: 6 },
      { name: 'command.txt', size: 12 },
    ]);
    expect(Buffer.from(surface.file(messageId, 0)?.bytes ?? []).toString()).toBe('before');
    expect(surface.file(messageId, 2)).toBeUndefined();
  });

  it('calls files that are too large or gone "size"', async () => {
    const { adapter } = await startWeb();
    const send = (files: readonly ({ name: string } & ({ text: string } | { path: string }))[]) =>
      adapter.send(main, { text: 'x', files }, { key: String(files.length), signal: never });
    expect(await failureOf(send([{ name: 'a', text: 'x'.repeat(MAX_FILE_BYTES + 1) }]))).toBe('size');
    expect(await failureOf(send([{ name: 'a', path: '/nowhere/at/all' }]))).toBe('size');
    await send([
      { name: 'a', text: 'x'.repeat(MAX_FILE_BYTES) },
      { name: 'b', text: '' },
    ]);
  });
});

describe('pressing', () => {
  it('names presser, address and message, and carries the words of a form', async () => {
    const { core, surface, send } = await startWeb();
    const { messageId } = await send('card', 'card:1');
    const press = { conversation: 'main', messageId, data: 'h1:ap:x:y:o', clientId: 'press-1' };
    expect(await surface.press(press)).toEqual({ text: 'Allowed once.' });
    await surface.press({ ...press, clientId: 'press-2', data: 'h1:ap:x:y:r', text: 'not today' });
    expect(core.presses).toEqual([
      expect.objectContaining({
        eventId: 'p:press-1',
        by: expect.objectContaining({ id: 'operator' }),
        address: main,
        messageId,
      }),
      expect.objectContaining({ eventId: 'p:press-2', data: 'h1:ap:x:y:r', text: 'not today' }),
    ]);
  });

  it('of a message of another conversation changes nothing', async () => {
    const { core, surface, send } = await startWeb();
    const { messageId } = await send('card', 'card:1');
    const told = await surface.press({ conversation: 'other', messageId, data: 'h1:ap:x:y:o', clientId: 'press-1' });
    expect([told?.text, core.presses]).toEqual(['This message is not here any more; nothing changed.', []]);
  });
});

describe('life', () => {
  it('starts once, stops twice, and tells nothing after a stop', async () => {
    const { adapter, core, surface } = await startWeb();
    await adapter.start(core, never);
    await surface.say('main', 'one', 'client-1');
    expect(core.messages).toHaveLength(1);
    await adapter.stop();
    await adapter.stop();
    const { taken } = await surface.say('main', 'two', 'client-2');
    expect([taken, core.messages.length]).toEqual([false, 1]);
    await expect(
      surface.press({ conversation: 'main', messageId: '1', data: 'h1:x', clientId: 'press-1' }),
    ).rejects.toThrow('stopping');
  });

  it('proves every 30 s that its rows can be read', async () => {
    const { core, clock, store, adapter } = await startWeb();
    const states: string[] = [];
    core.health = (health?: { state: string }) => void states.push(health?.state ?? '');
    await clock.skip(60_000);
    store.close();
    await clock.skip(30_000);
    expect(states).toEqual(['connected', 'connected', 'degraded']);
    await adapter.stop();
    expect(clock.armed).toBe(0);
  });

  it('knows one person', async () => {
    const { adapter } = await startWeb();
    expect(await adapter.directAddress?.({ platform: 'web', id: 'operator', name: '' })).toEqual(main);
    expect(await failureOf(adapter.directAddress?.({ platform: 'telegram', id: '1', name: '' }))).toBe('gone');
  });
});

describe('history', () => {
  it('pages backwards by fifty and lists conversations by their last message', async () => {
    const { surface, send, clock } = await startWeb();
    for (let i = 1; i <= 120; i++) await send(`n${i}`, `k${i}`);
    const last = surface.history('main');
    expect([last.messages.length, last.messages[0]?.text, last.messages.at(-1)?.text, last.more]).toEqual([
      50,
      'n71',
      'n120',
      true,
    ]);
    const before = surface.history('main', last.messages[0]?.id);
    expect([before.messages[0]?.text, before.messages.at(-1)?.text]).toEqual(['n21', 'n70']);
    expect(surface.history('main', before.messages[0]?.id)).toMatchObject({ more: false });
    clock.jump(1);
    await surface.say('second', 'What about this?', 'client-1');
    expect(surface.conversations().map(({ conversation, title }) => [conversation, title])).toEqual([
      ['second', 'What about this?'],
      ['main', ''],
    ]);
  });
});
