import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { AttemptReport, ModelEvent, ModelProvider, ModelRequest, StepEvent } from '../../src/contract/model.ts';
import { createAnthropic } from '../../src/providers/anthropic.ts';
import { ModelChain } from '../../src/providers/model-chain.ts';
import { createOpenAiCompatible } from '../../src/providers/openai-compatible.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { anthropicError } from '../fakes/model-anthropic-form.ts';
import { SELF_SIGNED } from '../fakes/model-certificate.ts';
import { openAiError } from '../fakes/model-openai-form.ts';
import type { Reply } from '../fakes/model-replies.ts';
import { collect, doneOf, request, textOf, user } from '../fakes/model-requests.ts';
import { ModelServer, type ModelServerOptions } from '../fakes/model-server.ts';

const KEY = 'sk-test-0123456789';
const PROMPT = 'my confidential words about the harbour';
const FORMS = ['openai', 'anthropic'] as const;
type Form = (typeof FORMS)[number];

const servers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serve(
  options: Partial<ModelServerOptions> & { readonly replies: ModelServerOptions['replies'] },
): Promise<ModelServer> {
  const server = await ModelServer.start(options);
  servers.push(server);
  return server;
}

function provider(form: Form, baseUrl: string, apiKey = KEY): ModelProvider {
  const options = { name: form, baseUrl, apiKey, clock: new FakeClock() };
  return form === 'openai' ? createOpenAiCompatible(options) : createAnthropic(options);
}

function ask(
  form: Form,
  baseUrl: string,
  signal = new AbortController().signal,
  apiKey?: string,
): Promise<ModelEvent[]> {
  return collect(provider(form, baseUrl, apiKey).stream(asked(), signal));
}

function asked(): ModelRequest {
  return request([user(PROMPT)], { model: 'claude-sonnet-4-5' });
}

type Row = readonly [what: string, kind: string, replies: Readonly<Record<Form, Reply>>];

const both = (reply: Reply): Row[2] => ({ openai: reply, anthropic: reply });
const refused = (status: number, message: string, type: string, code: string | null = null): Row[2] => ({
  openai: openAiError(status, message, type, code),
  anthropic: anthropicError(status, type, message),
});

const ROWS: readonly Row[] = [
  ['quota', 'quota', refused(402, 'Your credit balance is too low', 'billing_error')],
  ['rate', 'rate', refused(429, 'Slow down', 'rate_limit_error', 'rate_limit_exceeded')],
  ['overloaded', 'overloaded', refused(529, 'Overloaded', 'overloaded_error')],
  ['server', 'server', refused(500, 'Internal server error', 'api_error')],
  ['a gateway page', 'server', both({ status: 502, body: '<html>Bad gateway</html>' })],
  ['overflow', 'overflow', refused(400, 'prompt is too long: 9000 tokens > 8000 maximum', 'invalid_request_error')],
  ['overflow as a finish', 'overflow', both({ say: 'a', finish: 'model_context_window_exceeded' })],
  ['no tools', 'no_tools', refused(400, 'This model does not support tools', 'invalid_request_error')],
  ['no images', 'no_images', refused(400, 'This model does not support image input', 'invalid_request_error')],
  ['another 400', 'request', refused(400, 'temperature is not an integer', 'invalid_request_error')],
  [
    'a refusal',
    'filtered',
    { openai: { say: 'I', finish: 'content_filter' }, anthropic: { say: 'I', finish: 'refusal' } },
  ],
  [
    'an error event',
    'overloaded',
    both({ say: 'a', fault: { error: { type: 'overloaded_error', message: 'Overloaded' } } }),
  ],
  [
    'an error event at once',
    'overloaded',
    both({ fault: { error: { type: 'overloaded_error', message: 'Overloaded' } } }),
  ],
  ['a cut in the stream', 'cut', both({ say: ['Half a ', 'sentence'], fault: 'cut' })],
  ['a cut in a call', 'cut', both({ calls: [{ name: 'shell', arguments: { command: 'rm -r build' } }], fault: 'cut' })],
  ['no finish', 'cut', both({ say: 'a', fault: 'no_finish' })],
  ['nothing at all', 'empty', both({ finish: undefined as never })],
  ['reset before headers', 'unreachable', both({ silent: 'reset' })],
  ['a redirect', 'bad_answer', both({ status: 301, body: '', headers: { location: 'https://example.org/' } })],
  ['an empty 204', 'bad_answer', both({ status: 204, body: '' })],
  ['a web page', 'bad_answer', both({ status: 200, body: `<html><body>${'welcome '.repeat(600)}</body></html>` })],
];

describe.each(FORMS)('%s over real HTTP', (form) => {
  it.each(ROWS)('%s fails as %s', async (_, kind, replies) => {
    const server = await serve({ replies: [replies[form]] });
    const events = await ask(form, server.url);
    expect(server.complaints).toEqual([]);
    expect(doneOf(events).failure?.kind).toBe(kind);
    expect(events.filter((event) => event.type === 'call')).toEqual([]);
  });

  it('auth: a wrong key, which appears nowhere', async () => {
    const server = await serve({ replies: [], key: 'another' });
    const { failure } = doneOf(await ask(form, server.url));
    expect(failure).toMatchObject({ kind: 'auth', status: 401, requestId: 'req_1' });
    expect(JSON.stringify(failure)).not.toContain('0123456789');
  });

  it('model: an unknown one', async () => {
    const server = await serve({ replies: [], models: ['other'] });
    expect(doneOf(await ask(form, server.url)).failure).toMatchObject({ kind: 'model', status: 404 });
  });

  it('tells Retry-After', async () => {
    const refusal = {
      ...refused(429, 'Slow down', 'rate_limit_error')[form],
      headers: { 'retry-after': '7' },
    } as Reply;
    const server = await serve({ replies: [refusal] });
    expect(doneOf(await ask(form, server.url)).failure).toMatchObject({
      kind: 'rate',
      retryAfterMs: 7000,
      status: 429,
    });
  });

  it('quotes neither prompt nor key', async () => {
    const echo = refused(400, `cannot parse "${PROMPT}" nor ${PROMPT} with ${KEY}`, 'invalid_request_error')[form];
    const server = await serve({ replies: [echo] });
    const { failure } = doneOf(await ask(form, server.url));
    expect(failure?.kind).toBe('request');
    expect(failure?.detail).toContain('cannot parse');
    expect(failure?.detail).not.toMatch(/harbour|confidential|0123456789/);
  });

  it('unreachable: nobody listens', async () => {
    const server = await ModelServer.start({ replies: [] });
    const { url } = server;
    await server.stop();
    expect(doneOf(await ask(form, url)).failure).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' });
  });

  it.each([
    ['before headers', { silent: 'headers' } as const],
    ['after headers', { fault: 'hang' } as const],
    ['in the middle of text', { say: 'a', fault: 'hang' } as const],
    ['in the middle of a call', { calls: [{ name: 'shell', arguments: { command: 'ls' } }], fault: 'hang' } as const],
  ])('abort %s: one done, and the connection is closed', async (_, reply) => {
    const server = await serve({ replies: [reply] });
    const abort = new AbortController();
    const all = ask(form, server.url, abort.signal);
    await until(() => server.requests.length === 1);
    await settle();
    abort.abort();
    expect(doneOf(await all)).toMatchObject({ reason: 'aborted', failure: { kind: 'aborted' } });
    await server.requests[0]?.closed;
  });

  it('a signal that aborted before is not asked with', async () => {
    const server = await serve({ replies: [] });
    expect(doneOf(await ask(form, server.url, AbortSignal.abort())).reason).toBe('aborted');
    expect(server.requests).toHaveLength(0);
  });
});

describe('addresses', () => {
  it('tls: a certificate nobody signed', async () => {
    const tls = createTlsServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.cert });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    const { port } = tls.address() as { port: number };
    servers.push({ stop: () => new Promise((resolve) => tls.close(() => resolve())) });
    const { failure } = doneOf(await ask('openai', `https://127.0.0.1:${port}/v1`));
    expect(failure).toMatchObject({ kind: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('unreachable: no TLS there, no URL', async () => {
    const plain = createServer((socket) => socket.end('220 mail ready\r\n', () => socket.destroy()));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { port: number };
    servers.push({ stop: () => new Promise((resolve) => plain.close(() => resolve())) });
    for (const url of [`https://127.0.0.1:${port}/v1`, 'nonsense']) {
      expect(doneOf(await ask('openai', url)).failure?.kind).toBe('unreachable');
    }
  });
});

/** A chain over one real server, its clock in the hand of the test. */
async function chainOn(replies: ModelServerOptions['replies'], attempts = 3) {
  const server = await serve({ replies });
  const clock = new FakeClock();
  const openai = createOpenAiCompatible({ name: 'a', baseUrl: server.url, clock });
  const chain = new ModelChain({
    targets: [{ choice: { provider: 'a', model: 'm' }, provider: openai, facts: { name: 'a' } }],
    limits: { firstOutputS: 90, idleS: 60, stepDeadlineS: 300, attempts },
    fallbackOnFilter: false,
    clock,
    random: () => 0.5,
  });
  const turn = chain.turn();
  const events: StepEvent[] = [];
  const reports: AttemptReport[] = [];
  const ended = (async () => {
    for await (const event of turn.step(asked, new AbortController().signal, (report) => reports.push(report)))
      events.push(event);
  })();
  return { server, clock, turn, events, reports, ended };
}

/** Waits for something real: a request that arrives, a report that comes. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await settle(1);
}

describe('a step over real HTTP', () => {
  it('500 twice, then fine: the text comes once', async () => {
    const bad = openAiError(500, 'oops', 'server_error', null);
    const { clock, reports, events, ended, server } = await chainOn([bad, bad, { say: 'fine' }]);
    await until(() => reports.length === 1);
    await clock.skip(1000);
    await until(() => reports.length === 2);
    await clock.skip(4000);
    await ended;
    expect(textOf(events)).toBe('fine');
    expect(server.requests).toHaveLength(3);
  });

  it('cut after half a sentence, then fine', async () => {
    const { clock, reports, events, ended } = await chainOn([{ say: 'Half a', fault: 'cut' }, { say: 'Whole.' }]);
    await until(() => reports.length === 1);
    await clock.skip(1000);
    await ended;
    expect(textOf(events.slice(events.findIndex((event) => event.type === 'restart')))).toBe('Whole.');
    expect(reports[0]).toMatchObject({ reason: 'failed', failure: { kind: 'cut' }, outputChars: 6 });
  });

  it.each([
    ['2', 2000],
    [undefined, 1000],
  ])('429 with Retry-After %s waits %s ms', async (after, ms) => {
    const refusal = {
      ...openAiError(429, 'Slow', 'requests', 'rate_limit_exceeded'),
      headers: after ? { 'retry-after': after } : {},
    };
    const { clock, reports, events, ended, server } = await chainOn([refusal, { say: 'fine' }]);
    await until(() => reports.length === 1);
    await clock.skip(ms - 1);
    expect(server.requests).toHaveLength(1);
    await clock.skip(1);
    await ended;
    expect(textOf(events)).toBe('fine');
  });

  it('429 with Retry-After 90 fails at once and says when', async () => {
    const refusal = {
      ...openAiError(429, 'Slow', 'requests', 'rate_limit_exceeded'),
      headers: { 'retry-after': '90' },
    };
    const { turn, events, ended } = await chainOn([refusal]);
    await ended;
    const { failure } = doneOf(events);
    expect(failure && turn.say(failure)).toBe('The model provider limits requests. Try again in 2 min.');
  });

  it.each([
    ['silent before headers', { silent: 'headers' } as const, 90],
    ['silent after headers', { fault: 'hang' } as const, 90],
    ['silent after some text', { say: 'a', fault: 'hang' } as const, 60],
  ])('%s ends at its own timer', async (_, reply, limitS) => {
    const { clock, reports, events, ended, server } = await chainOn([reply], 1);
    await until(() => server.requests.length === 1);
    if ('say' in reply) await until(() => textOf(events) !== '');
    await settle();
    await clock.skip(limitS * 1000 - 1);
    expect(reports).toEqual([]);
    await clock.skip(1);
    await ended;
    expect(reports[0]?.failure).toMatchObject({ kind: 'timeout', limitS });
    await server.requests[0]?.closed;
  });

  it('keep-alive is no output', async () => {
    const { clock, reports, ended, server } = await chainOn([{ fault: 'hang' }], 1);
    await until(() => server.open.length === 1);
    for (let s = 0; s < 80; s += 20) {
      await server.open[0]?.keepAlive();
      await settle();
      await clock.skip(20_000);
    }
    await server.open[0]?.keepAlive();
    await clock.skip(10_000);
    await ended;
    expect(reports[0]?.failure).toMatchObject({ kind: 'timeout', limitS: 90 });
  });

  it('one word every 50 s ends at the deadline of the step', async () => {
    const { clock, reports, events, ended, server } = await chainOn([{ fault: 'hang' }], 1);
    await until(() => server.open.length === 1);
    for (let word = 1; word <= 6; word++) {
      await server.open[0]?.say(`w${word} `);
      await until(() => textOf(events).includes(`w${word}`));
      await clock.skip(50_000);
    }
    await ended;
    expect(reports[0]?.failure).toMatchObject({ kind: 'timeout', limitS: 300 });
    expect(reports[0]).toMatchObject({ totalMs: 300_000, firstOutputMs: 0 });
  });
});
