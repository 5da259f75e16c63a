import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChatMessage, ModelEvent, ModelRequest } from '../../src/contract/model.ts';
import { createAnthropic } from '../../src/providers/anthropic.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { called, collect, doneOf, request, said, TOOLS, textOf, user } from '../fakes/model-requests.ts';
import { ModelServer, type ModelServerOptions } from '../fakes/model-server.ts';

let server: ModelServer;
afterEach(() => server.stop());

async function ask(
  replies: ModelServerOptions['replies'],
  asked: ModelRequest = request([user('hello')]),
): Promise<ModelEvent[]> {
  server = await ModelServer.start({ replies, key: 'k-1' });
  const provider = createAnthropic({ name: 'test', baseUrl: server.url, apiKey: 'k-1', clock: new FakeClock() });
  return collect(provider.stream({ ...asked, model: 'claude-sonnet-4-5' }, new AbortController().signal));
}

/** Places of cache marks in a body, as paths. */
function marks(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'cache_control' && inner ? [path] : marks(inner, path === '' ? key : `${path}.${key}`),
  );
}

describe('an answer', () => {
  it('streams text, calls and usage with both caches', async () => {
    const events = await ask([
      {
        say: ['Hel', 'lo'],
        calls: [
          { name: 'shell', arguments: { command: 'ls' } },
          { name: 'shell', arguments: '{"command": "ls' },
          { name: 'list', arguments: '' },
        ],
        usage: { input: 100, output: 7, cached: 60, written: 30 },
      },
    ]);
    expect(textOf(events)).toBe('Hello');
    expect(events.filter((e) => e.type === 'call')).toEqual([
      { type: 'call', id: 'toolu_1', name: 'shell', raw: '{"command":"ls"}' },
      { type: 'call', id: 'toolu_2', name: 'shell', raw: '{"command": "ls' },
      { type: 'call', id: 'toolu_3', name: 'list', raw: '' },
    ]);
    expect(doneOf(events)).toEqual({
      type: 'done',
      reason: 'calls',
      usage: { input: 100, output: 7, cacheRead: 60, cacheWrite: 30 },
    });
  });

  it('keeps thinking with its signature, and sends it back in its place', async () => {
    const events = await ask([
      { think: ['h', 'm'], say: 'I look.', calls: [{ name: 'shell', arguments: { command: 'ls' } }] },
    ]);
    expect(events.flatMap((e) => (e.type === 'reasoning' ? [e.delta] : []))).toEqual(['h', 'm']);
    const { keep } = doneOf(events);
    await server.stop();

    const stored: unknown = JSON.parse(JSON.stringify(keep));
    const [answer, result] = called('shell', { command: 'ls' }, 'a.txt');
    const kept = { ...answer, content: 'I look.', keep: stored } as ChatMessage;
    const next = request([user('go'), kept, result as ChatMessage], { reasoning: 'low' });
    expect(textOf(await ask([{ say: 'ok' }], next))).toBe('ok');
    expect(server.complaints).toEqual([]);
    const { content } = server.requests[0]?.body.messages[1] ?? {};
    expect(content.map((block: { type: string }) => block.type)).toEqual(['thinking', 'text', 'tool_use']);
    expect(server.requests[0]?.body.thinking.type).toBe('enabled');
  });

  it('makes nothing of kept data it cannot read', async () => {
    const [answer, result] = called('shell', { command: 'ls' }, 'a');
    const next = request([user('go'), { ...answer, keep: { old: 1 } } as ChatMessage, result as ChatMessage]);
    expect(textOf(await ask([{ say: 'ok' }], next))).toBe('ok');
  });
});

describe('a request', () => {
  it('marks last tool, stable prompt and our last two messages', async () => {
    const history = [user('go'), ...called('shell', { command: 'a' }, '1'), ...called('shell', { command: 'bb' }, '2')];
    await ask([{ say: 'ok' }], request(history, { system: { stable: 'S', varying: 'V' } }));
    const { body } = server.requests[0] ?? {};
    expect(marks(body).sort()).toEqual(['messages.2.content.0', 'messages.4.content.0', 'system.0', 'tools.4']);
    expect(body.system.map((part: { text: string }) => part.text)).toEqual(['S', 'V']);
    expect(body.tools.map((t: { name: string }) => t.name)).toEqual(TOOLS.map((t) => t.name));
    expect(body.max_tokens).toBe(100);
  });

  it('takes a conversation with every kind of disorder', async () => {
    const [lonely] = called('shell', { command: 'x' }, '');
    const history = [
      said('left over from before'),
      user('a \udc00'),
      user('b'),
      lonely as ChatMessage,
      user('meanwhile'),
      ...called('read_file', { path: 'x' }, 'no such file', true),
      said('  '),
      user(''),
    ];
    expect(textOf(await ask([{ say: 'ok' }], request(history)))).toBe('ok');
    expect(server.complaints).toEqual([]);
    const { messages } = server.requests[0]?.body ?? {};
    expect(messages[2].content[0].text).toBe('a \ufffd\n\nb');
    expect(messages[4].content[0]).toMatchObject({
      type: 'tool_result',
      is_error: true,
      content: 'There is no result of this call.',
    });
    expect(messages.at(-1).content[0]).toMatchObject({ is_error: true, content: 'no such file' });
  });

  it('prints no warning of the SDK', async () => {
    const seen: unknown[] = [];
    const note = (warning: unknown) => seen.push(warning);
    const print = vi.spyOn(console, 'warn').mockImplementation(note);
    process.on('warning', note);
    await ask([{ say: 'a' }], request([user('go')], { maxOutputTokens: 900_000 }));
    await settle();
    process.off('warning', note);
    print.mockRestore();
    expect(server.requests[0]?.body.max_tokens).toBeLessThan(900_000);
    expect(seen).toEqual([]);
  });

  it('keeps the tools when they are off', async () => {
    await ask([{ say: 'a' }], request([user('go')], { toolChoice: 'none' }));
    expect(server.requests[0]?.body).toMatchObject({ tool_choice: { type: 'none' }, tools: expect.any(Array) });
  });

  it('changes no byte it has sent, marks aside', async () => {
    const turn = [user('go')];
    const bodies: string[] = [];
    for (let step = 0; step < 4; step++) {
      await ask([{ say: 'a' }], request(turn));
      const { system, messages } = server.requests[0]?.body ?? {};
      const plain = JSON.stringify([system, messages], (key, value) => (key === 'cache_control' ? undefined : value));
      bodies.push(plain.slice(0, -2));
      turn.push(...called('shell', { command: `echo ${step}`.repeat(step + 1) }, `${step}`));
      if (step < 3) await server.stop();
    }
    for (const [i, body] of bodies.slice(1).entries()) expect(body.startsWith(bodies[i] ?? '?')).toBe(true);
  });
});
