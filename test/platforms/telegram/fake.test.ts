import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { passes } from '../../fakes/passing.ts';
import { TelegramServer } from '../../fakes/telegram-server.ts';

const ADA = 11;
const GROUP = -100_7;

let clock: FakeClock;
let server: TelegramServer;

beforeEach(async () => {
  clock = new FakeClock();
  server = new TelegramServer({ clock });
  await server.listen();
  server.person(ADA, 'Ada').says('dm', 'hi');
});

afterEach(() => server.close());

interface Answer {
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
}

async function call(method: string, payload: object = {}, token = server.token): Promise<Answer> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(payload) };
  return (await (await fetch(`${server.url}/bot${token}/${method}`, init)).json()) as Answer;
}

const send = (fields: object) => call('sendMessage', { chat_id: ADA, text: 'x', ...fields });

describe('the fake refuses as Telegram does', () => {
  it.each([
    ['an unknown chat', { chat_id: 5 }, 'chat not found'],
    ['no text', { text: ' \n ' }, 'message text is empty'],
    ['too much text', { text: 'x'.repeat(4097) }, 'message is too long'],
    ['half a pair', { text: 'a\ud83d' }, 'text must be encoded in UTF-8'],
    [
      'an entity past the end',
      { entities: [{ type: 'bold', offset: 0, length: 2 }] },
      'ends after the end of the text',
    ],
    [
      'an entity that begins in a pair',
      { text: '😀x', entities: [{ type: 'bold', offset: 1, length: 2 }] },
      'begins in a middle of a UTF-16 symbol',
    ],
    [
      'an entity that ends in a pair',
      { text: 'x😀', entities: [{ type: 'bold', offset: 0, length: 2 }] },
      'ends in a middle of a UTF-16 symbol',
    ],
    ['an empty entity', { entities: [{ type: 'bold', offset: 0, length: 0 }] }, 'incorrect length'],
    [
      'a link to nowhere',
      { entities: [{ type: 'text_link', offset: 0, length: 1, url: 'http://localhost' }] },
      'Wrong HTTP URL',
    ],
    ['a parse mode', { parse_mode: 'HTML' }, 'parse_mode'],
    [
      '65 bytes of data',
      { reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'ü'.repeat(33) }]] } },
      'BUTTON_DATA_INVALID',
    ],
    [
      'an unknown style',
      { reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'a', style: 'pink' }]] } },
      'BUTTON_STYLE_INVALID',
    ],
    ['an unknown topic', { message_thread_id: 3 }, 'message thread not found'],
    ['a reply to nothing', { reply_parameters: { message_id: 99 } }, 'message to be replied not found'],
  ])('%s', async (_, fields, reason) => {
    const answer = await send(fields);
    expect(answer).toMatchObject({ ok: false, error_code: 400 });
    expect(answer.description).toContain(reason);
    expect(server.said(ADA)).toEqual([]);
  });

  it('a wrong token, an unknown method', async () => {
    expect(await call('getMe', {}, '700000001:wrong')).toMatchObject({ error_code: 401 });
    expect(await call('dance')).toMatchObject({ error_code: 404 });
  });

  it('edits of what is not there, not its own or the same', async () => {
    const edit = (message_id: number, text = 'x') => call('editMessageText', { chat_id: ADA, message_id, text });
    await send({});
    expect((await edit(9)).description).toContain('message to edit not found');
    expect((await edit(1)).description).toContain("message can't be edited");
    expect((await edit(2, ' x ')).description).toContain('message is not modified');
    expect((await edit(2, 'y')).ok).toBe(true);
  });

  it('what goes to people and groups that are gone', async () => {
    server.group(GROUP, { title: 'Builders' });
    server.membership(GROUP, 'kicked');
    server.person(ADA).blocks();
    expect(await send({})).toMatchObject({ error_code: 403, description: 'Forbidden: bot was blocked by the user' });
    expect((await send({ chat_id: GROUP })).description).toBe('Forbidden: bot was kicked from the supergroup chat');
  });

  it('closed and deleted topics, General by its id', async () => {
    server.group(GROUP, { forum: true });
    const topic = server.topic(GROUP, 'Builds');
    const say = (message_thread_id?: number) =>
      send({ chat_id: GROUP, ...(message_thread_id ? { message_thread_id } : {}) });
    expect((await say(topic)).ok).toBe(true);
    expect((await say(1)).description).toContain('thread not found');
    server.closeTopic(GROUP, topic);
    expect((await say(topic)).description).toContain('TOPIC_CLOSED');
    server.deleteTopic(GROUP, topic);
    expect((await say(topic)).description).toContain('TOPIC_DELETED');
    server.closeTopic(GROUP, 1);
    expect((await say()).description).toContain('TOPIC_CLOSED');
  });

  it('too many calls, longer with every call inside the penalty', async () => {
    const answers: Answer[] = [];
    for (let i = 0; i < 8; i++) answers.push(await send({ text: `${i}` }));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true, true, true, false, false]);
    expect(answers.slice(6).map(({ parameters }) => parameters?.retry_after)).toEqual([3, 8]);
    await clock.skip(8_000);
    expect((await send({})).ok).toBe(true);
  });

  it('a second answer to a press, and a late one', async () => {
    await send({ reply_markup: { inline_keyboard: [[{ text: 'Once', callback_data: 'o' }]] } });
    const message = { chat: ADA, id: 2 };
    const [first, late] = [server.person(ADA).presses(message, 'Once'), server.person(ADA).presses(message, 'Once')];
    const answer = (id: string) => call('answerCallbackQuery', { callback_query_id: id, text: 'ok' });
    expect((await answer(first.id)).ok).toBe(true);
    expect((await answer(first.id)).description).toContain('query is too old');
    await clock.skip(15_001);
    expect((await answer(late.id)).description).toContain('query is too old');
    expect([first.answer, late.answer]).toEqual(['ok', undefined]);
  });
});

describe('the fake remembers as Telegram does', () => {
  it('unconfirmed updates for a day, confirmed ones no longer', async () => {
    const ada = server.person(ADA);
    ada.says('dm', 'two');
    const ids = async (payload: object) =>
      ((await call('getUpdates', payload)).result as { update_id: number }[]).map(({ update_id }) => update_id);
    expect(await ids({})).toEqual([100_001, 100_002]);
    expect(await ids({})).toEqual([100_001, 100_002]);
    expect(await ids({ offset: 100_002 })).toEqual([100_002]);
    expect(await ids({ limit: 1 })).toEqual([100_002]);
    await clock.skip(24 * 60 * 60 * 1000 + 1);
    expect(await ids({})).toEqual([]);
  });

  it('the list of kinds from the last poll that gave one', async () => {
    await call('getUpdates', { allowed_updates: ['message'] });
    server.person(ADA).edits({ chat: ADA, id: 1 }, 'changed');
    await call('getUpdates', {});
    expect(server.world.waiting.map((update) => Object.keys(update)[1])).toEqual(['message']);
  });

  it('one poll: a second one ends the first, a webhook forbids both', async () => {
    const first = call('getUpdates', { offset: 100_002, timeout: 25 });
    await server.until(() => server.polls.polling);
    const second = call('getUpdates', { offset: 100_002, timeout: 25 });
    expect(await first).toMatchObject({ error_code: 409, description: expect.stringContaining('other getUpdates') });
    await clock.skip(25_000);
    expect(await second).toEqual({ ok: true, result: [] });
    server.setWebhook('https://old.example.org/');
    expect(await call('getUpdates')).toMatchObject({
      error_code: 409,
      description: expect.stringContaining('webhook is active'),
    });
  });

  it('drafts for thirty seconds, or until a message', async () => {
    const draft = () => call('sendMessageDraft', { chat_id: ADA, draft_id: 7, text: 'so far', can_stop: true });
    await draft();
    expect(server.draft(ADA)).toBe('so far');
    server.person(ADA).stopsDraft();
    expect(server.world.waiting.at(-1)).toMatchObject({ stopped_message_generation: { draft_id: 7 } });
    await clock.skip(30_000);
    expect(server.draft(ADA)).toBeUndefined();
    await draft();
    await send({});
    expect(server.draft(ADA)).toBeUndefined();
  });
});

describe('the webhook of the fake', () => {
  let target: Server;
  const seen: { readonly secret: string | undefined; readonly id: number }[] = [];
  let status = 200;

  beforeEach(async () => {
    seen.length = 0;
    target = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        seen.push({
          secret: request.headers['x-telegram-bot-api-secret-token'] as string | undefined,
          id: JSON.parse(body).update_id,
        });
        response.writeHead(status).end();
        server.world.changed();
      });
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => target.close());

  it('pushes one after another, with the secret, again after a failure', async () => {
    status = 500;
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
    await call('setWebhook', { url, secret_token: 'shh' });
    await server.until(() => seen.length === 1);
    status = 200;
    server.person(ADA).says('dm', 'two');
    await passes(clock, () => seen.length >= 3);
    expect(seen).toEqual([
      { secret: 'shh', id: 100_001 },
      { secret: 'shh', id: 100_001 },
      { secret: 'shh', id: 100_002 },
    ]);
    await server.until(() => server.world.waiting.length === 0);
    expect((await call('getWebhookInfo')).result).toMatchObject({
      url,
      last_error_message: 'Wrong response from the webhook: 500',
    });
  });
});
