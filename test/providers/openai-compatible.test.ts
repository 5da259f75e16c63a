import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ModelEvent, ModelRequest } from '../../src/contract/model.ts';
import { createOpenAiCompatible, type OpenAiCompatibleOptions } from '../../src/providers/openai-compatible.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import type { Reply } from '../fakes/model-replies.ts';
import { called, collect, doneOf, request, said, TOOLS, textOf, tool, user } from '../fakes/model-requests.ts';
import { ModelServer, type ModelServerOptions } from '../fakes/model-server.ts';

let server: ModelServer;
afterEach(() => server.stop());

async function ask(
  replies: ModelServerOptions['replies'],
  asked: ModelRequest = request([user('hello')]),
  options: Partial<OpenAiCompatibleOptions> = {},
): Promise<ModelEvent[]> {
  server = await ModelServer.start({ replies });
  const provider = createOpenAiCompatible({ name: 'test', baseUrl: server.url, clock: new FakeClock(), ...options });
  return collect(provider.stream(asked, new AbortController().signal));
}

async function answersTo(replies: readonly Reply[]): Promise<readonly ModelEvent[][]> {
  server = await ModelServer.start({ replies });
  const provider = createOpenAiCompatible({ name: 'test', baseUrl: server.url, clock: new FakeClock() });
  const all: ModelEvent[][] = [];
  for (const _ of replies)
    all.push(await collect(provider.stream(request([user('hello')]), new AbortController().signal)));
  return all;
}

describe('an answer', () => {
  it('streams text and usage', async () => {
    const events = await ask([
      { say: ['Hel', 'lo'], usage: { input: 9, output: 2, cached: 4, reasoning: 1, cost: 0.002 } },
    ]);
    expect(events).toEqual([
      { type: 'text', delta: 'Hel' },
      { type: 'text', delta: 'lo' },
      {
        type: 'done',
        reason: 'stop',
        usage: { input: 9, output: 2, cacheRead: 4, reasoning: 1, cost: 0.002 },
      },
    ]);
  });

  it('reports no usage where the server reports none', async () => {
    expect(doneOf(await ask([{ say: 'a', usage: null }])).usage).toBeNull();
  });

  it('tells reasoning from text, as its own field and as a leading block over chunks', async () => {
    const own = await ask([{ think: ['h', 'm'], say: 'a' }]);
    expect(own.slice(0, 3)).toEqual([
      { type: 'reasoning', delta: 'h' },
      { type: 'reasoning', delta: 'm' },
      { type: 'text', delta: 'a' },
    ]);
    await server.stop();
    const block = await ask([{ say: ['<th', 'ink>hm</', 'think>', '\n\n', 'a <think>'] }]);
    expect(textOf(block)).toBe('a <think>');
    expect(block.filter((e) => e.type === 'reasoning')).toEqual([{ type: 'reasoning', delta: 'hm' }]);
    expect(doneOf(own).keep).toBeUndefined();
  });

  it('passes call arguments on as received', async () => {
    const events = await ask([
      {
        say: 'ok',
        calls: [
          { name: 'shell', arguments: { command: 'ls -la "a b"' } },
          { name: 'shell', arguments: '{"command": "ls",}' },
          { name: 'nonsense', arguments: '' },
        ],
      },
    ]);
    expect(events.filter((e) => e.type === 'call')).toEqual([
      { type: 'call', id: 'call_1', name: 'shell', raw: '{"command":"ls -la \\"a b\\""}' },
      { type: 'call', id: 'call_2', name: 'shell', raw: '{"command": "ls",}' },
      { type: 'call', id: 'call_3', name: 'nonsense', raw: '' },
    ]);
    expect(doneOf(events).reason).toBe('calls');
  });

  it('tells of every piece of a call before the call is whole', async () => {
    server = await ModelServer.start({ replies: [{ calls: [{ name: 'shell', arguments: { command: 'ls -la' } }] }] });
    const provider = createOpenAiCompatible({ name: 'test', baseUrl: server.url, clock: new FakeClock() });
    const seen: string[] = [];
    const watch = { waiting: () => {}, sent: () => {}, output: () => seen.push('piece') };
    for await (const { type } of provider.stream(request([user('x')]), new AbortController().signal, watch))
      seen.push(type);
    const pieces = Math.ceil('{"command":"ls -la"}'.length / 7);
    expect(seen).toEqual([...Array(pieces + 1).fill('piece'), 'call', 'done']);
  });

  it('takes calls without ids, with the same id, and after the reason "stop"', async () => {
    const calls = [null, 'x', 'x'].map((id, i) => ({ id, name: 'shell', arguments: { command: `echo ${i}` } }));
    const events = await ask([{ calls, finish: 'stop' }]);
    expect(events.filter((e) => e.type === 'call').map((e) => e.raw)).toEqual(
      calls.map((call) => JSON.stringify(call.arguments)),
    );
    expect(doneOf(events).reason).toBe('calls');
  });

  it('says length when the output limit cut it, also in the middle of a call', async () => {
    expect(doneOf(await ask([{ say: 'a', finish: 'length' }])).reason).toBe('length');
    await server.stop();
    const events = await ask([{ calls: [{ name: 'shell', arguments: '{"command": "l' }], finish: 'length' }]);
    expect(events[0]).toMatchObject({ type: 'call', raw: '{"command": "l' });
    expect(doneOf(events).reason).toBe('length');
  });

  it('is read under another content type too', async () => {
    expect(textOf(await ask([{ say: ['a', 'b'], contentType: 'text/plain' }]))).toBe('ab');
  });
});

describe('a request', () => {
  it('holds a conversation with calls in the form strict servers take', async () => {
    const history = [
      user('go \ud800'),
      ...called('shell', { command: 'ls' }, 'a.txt'),
      said('done'),
      user('one'),
      user('two'),
      ...called('read_file', { path: 'x' }, 'no such file', true),
      said(''),
    ];
    const events = await ask([{ say: 'ok' }], request(history, { system: { stable: 'S', varying: 'V' } }));
    expect(server.complaints).toEqual([]);
    expect(textOf(events)).toBe('ok');
    const { messages } = server.requests[0]?.body ?? {};
    expect(messages.map((m: { role: string }) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'tool',
    ]);
    expect(messages[0].content).toBe('S\n\nV');
    expect(messages[1].content).toBe('go \ufffd');
    expect(messages[5].content).toBe('one\n\ntwo');
    expect(messages[2].tool_calls[0].function).toEqual({ name: 'shell', arguments: '{"command":"ls"}' });
    expect(messages[7].content).toBe('no such file');
  });

  it('sends tools by name, one step, a limit of output, no key where there is none', async () => {
    await ask([{ say: 'ok' }], request([user('go')], { tools: TOOLS.toReversed() }));
    const [received] = server.requests;
    expect(received?.body.tools.map((t: { function: { name: string } }) => t.function.name)).toEqual(
      TOOLS.map((t) => t.name),
    );
    expect(received?.body.tools[3].function.parameters).toEqual({
      additionalProperties: false,
      properties: { command: { type: 'string' }, cwd: { type: 'string' }, timeout_s: { type: 'number' } },
      required: ['command'],
      type: 'object',
    });
    expect(received?.body).toMatchObject({ max_tokens: 100, stream: true, tool_choice: 'auto', model: 'm' });
    expect(received?.body).not.toHaveProperty('reasoning_effort');
    expect(received?.headers).not.toHaveProperty('authorization');
  });

  it('keeps the tools when they are off, and sends none where there are none', async () => {
    await ask([{ say: 'a' }], request([user('go')], { toolChoice: 'none', reasoning: 'low' }));
    expect(server.requests[0]?.body).toMatchObject({
      tool_choice: 'none',
      reasoning_effort: 'low',
      tools: expect.any(Array),
    });
    await server.stop();
    await ask([{ say: 'a' }], request([user('go')], { tools: [] }));
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('carries key and headers, and speaks the dialect', async () => {
    await ask([{ say: 'a' }], undefined, { apiKey: 'k-1', headers: { 'x-title': 'hermod' }, dialect: 'openrouter' });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer k-1', 'x-title': 'hermod' });
    expect(server.requests[0]?.body.usage).toEqual({ include: true });
    await server.stop();
    await ask([{ say: 'a' }], undefined, { dialect: 'openai' });
    expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 100 });
    expect(server.requests[0]?.body).not.toHaveProperty('max_tokens');
  });

  it('leaves out for llama.cpp what its grammar cannot take', async () => {
    const tools = [tool('mail', z.strictObject({ pattern: z.string().regex(/^a+$/), to: z.email() }))];
    await ask([{ say: 'a' }], request([user('go')], { tools }), { dialect: 'llamacpp' });
    const { properties } = server.requests[0]?.body.tools[0].function.parameters ?? {};
    expect(properties).toEqual({ pattern: { type: 'string' }, to: { type: 'string' } });
  });

  it('is a prefix of the next one', async () => {
    const turn = [user('go')];
    const bodies: string[] = [];
    for (let step = 0; step < 4; step++) {
      await ask([{ say: 'a' }], request(turn));
      bodies.push(JSON.stringify(server.requests[0]?.body.messages).slice(0, -1));
      turn.push(...called('shell', { command: `echo ${step}`.repeat(step + 1) }, `${step}`));
      if (step < 3) await server.stop();
    }
    for (const [i, body] of bodies.slice(1).entries()) expect(body.startsWith(bodies[i] ?? '?')).toBe(true);
  });

  it('prints nothing and leaves no rejection behind, whatever happens', async () => {
    const seen: unknown[] = [];
    const note = (reason: unknown) => seen.push(reason);
    const consoles = (['log', 'info', 'warn', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(note),
    );
    process.on('unhandledRejection', note).on('warning', note);
    const replies: Reply[] = [
      { say: 'a', fault: 'cut' },
      { status: 500, body: {} },
      { calls: [{ name: 'x', arguments: '{' }] },
    ];
    const events = await answersTo(replies);
    await settle();
    process.off('unhandledRejection', note).off('warning', note);
    for (const spy of consoles) spy.mockRestore();
    expect(events.map((all) => doneOf(all).reason)).toEqual(['failed', 'failed', 'calls']);
    expect(seen).toEqual([]);
  });
});
