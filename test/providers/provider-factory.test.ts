import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { ModelEvent, ModelProvider, ModelRequest, StreamWatch } from '../../src/contract/model.ts';
import { PRESETS } from '../../src/providers/presets.ts';
import { createProvider, type ProviderSpec, providerFacts } from '../../src/providers/provider-factory.ts';
import { queued } from '../../src/providers/request-queue.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { collect, doneOf, KeptLog, request, textOf, user } from '../fakes/model-requests.ts';
import { ModelServer } from '../fakes/model-server.ts';

const deps = () => ({ clock: new FakeClock(), log: new KeptLog() });

describe('createProvider', () => {
  it('knows practice by its name', () => {
    expect(createProvider({ name: 'practice' }, deps()).name).toBe('practice');
  });

  it('serves both wire forms and takes the address as people write it', async () => {
    const server = await ModelServer.start({ replies: () => ({ say: 'a' }), key: 'k' });
    const specs: ProviderSpec[] = [
      { name: 'anthropic', baseUrl: `${server.url}/`, apiKey: 'k' },
      { name: 'llamacpp', baseUrl: `${server.url}//`, apiKey: 'k' },
      { name: 'mine', kind: 'openai_compatible', baseUrl: server.url, headers: { authorization: 'Bearer k' } },
    ];
    for (const spec of specs) {
      const events = await collect(
        createProvider(spec, deps()).stream(request([user('x')]), new AbortController().signal),
      );
      expect(textOf(events)).toBe('a');
    }
    await server.stop();
    expect(server.requests.map((received) => received.form)).toEqual(['anthropic', 'openai', 'openai']);
  });

  it('knows addresses, keys and dialects by name', () => {
    expect(PRESETS['openai']).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      keyName: 'OPENAI_API_KEY',
      dialect: 'openai',
    });
    expect(PRESETS['openrouter']).toMatchObject({ baseUrl: 'https://openrouter.ai/api/v1', dialect: 'openrouter' });
    const ports = ['ollama', 'lmstudio', 'vllm', 'llamacpp'].map((name) => PRESETS[name]?.baseUrl);
    expect(ports).toEqual([11434, 1234, 8000, 8080].map((port) => `http://127.0.0.1:${port}/v1`));
    expect(providerFacts({ name: 'openai' })).toEqual({
      name: 'openai',
      kind: 'openai_compatible',
      baseUrl: 'https://api.openai.com/v1',
      keyName: 'OPENAI_API_KEY',
    });
    expect(providerFacts({ name: 'mine', kind: 'anthropic', baseUrl: 'http://x/v1', keyName: 'MINE' })).toMatchObject({
      keyName: 'MINE',
      kind: 'anthropic',
    });
  });

  it('asks a local server one thing at a time, as config may change', async () => {
    const server = await ModelServer.start({ replies: () => ({ fault: 'hang' }) });
    const abort = new AbortController();
    const start = (spec: ProviderSpec) => {
      const provider = createProvider({ kind: 'openai_compatible', baseUrl: server.url, ...spec }, deps());
      return [1, 2, 3].map(() => collect(provider.stream(request([user('x')]), abort.signal)));
    };
    const one = start({ name: 'one' });
    while (server.requests.length < 1) await settle();
    const two = start({ name: 'two', maxParallel: 2 });
    while (server.requests.length < 3) await settle();
    await settle(20);
    expect(server.requests).toHaveLength(3);
    abort.abort();
    for (const events of await Promise.all([...one, ...two])) expect(doneOf(events).reason).toBe('aborted');
    await server.stop();
  });

  it.each([
    [{ name: 'mine', kind: 'openai_compatible' as const }, 'Set providers.mine.base_url'],
    [{ name: 'ollama', baseUrl: 'not a url' }, 'Set providers.ollama.base_url'],
    [{ name: 'mine' }, 'The provider "mine" has no kind. Set providers.mine.kind'],
    [{ name: 'mine', kind: 'scripted' as const }, 'Set providers.mine.script'],
  ])('refuses %j', (spec, words) => {
    expect(() => createProvider(spec, deps())).toThrow(words);
  });
});

/** A provider whose requests end when they are told to. */
function stoppable() {
  const open: (() => void)[] = [];
  const provider: ModelProvider = {
    name: 'p',
    async *stream(): AsyncGenerator<ModelEvent> {
      await new Promise<void>((resolve) => open.push(resolve));
      yield { type: 'done', reason: 'stop', usage: null };
    },
  };
  return { provider, open };
}

describe('a limit of requests at once', () => {
  it('lets the others wait in order and go on when one ends', async () => {
    const { provider, open } = stoppable();
    const limited = queued(provider, 2);
    const seen: string[] = [];
    const start = (name: string) => {
      const watch: StreamWatch = {
        waiting: () => seen.push(`${name} waits`),
        sent: () => seen.push(`${name} sent`),
        output: () => {},
      };
      return collect(limited.stream(request([user('x')]), new AbortController().signal, watch));
    };
    const all = ['a', 'b', 'c', 'd'].map(start);
    await settle();
    expect(open).toHaveLength(2);
    expect(seen).toEqual(['c waits', 'd waits']);
    open[1]?.();
    await settle();
    expect(seen.slice(2)).toEqual(['c sent']);
    open[0]?.();
    await settle();
    expect(seen.slice(3)).toEqual(['d sent']);
    for (const end of open) end();
    expect((await Promise.all(all)).map((events) => doneOf(events).reason)).toEqual(['stop', 'stop', 'stop', 'stop']);
  });

  it('lets people go before what nobody waits for, each in their order', async () => {
    const { provider, open } = stoppable();
    const limited = queued(provider, 1);
    const sent: string[] = [];
    const start = (name: string, more: Partial<ModelRequest> = {}) => {
      const watch: StreamWatch = { waiting: () => {}, sent: () => sent.push(name), output: () => {} };
      return collect(limited.stream({ ...request([user('x')]), ...more }, new AbortController().signal, watch));
    };
    const all = [
      start('first'),
      ...['job 1', 'job 2'].map((name) => start(name, { patient: true })),
      ...['Anna', 'Ben'].map((name) => start(name)),
    ];
    for (let i = 0; i < all.length; i++) {
      await settle();
      open[i]?.();
    }
    await Promise.all(all);
    expect(sent).toEqual(['Anna', 'Ben', 'job 1', 'job 2']);
  });

  it('lets an aborted one leave the queue', async () => {
    const { provider, open } = stoppable();
    const limited = queued(provider, 1);
    const abort = new AbortController();
    const first = collect(limited.stream(request([]), new AbortController().signal));
    const gone = collect(limited.stream(request([]), abort.signal));
    const last = collect(limited.stream(request([]), new AbortController().signal));
    await settle();
    abort.abort();
    expect(doneOf(await gone).failure?.kind).toBe('aborted');
    open[0]?.();
    await first;
    await settle();
    open[1]?.();
    expect(doneOf(await last).reason).toBe('stop');
    expect(open).toHaveLength(2);
  });

  it('keeps the others in the queue when one that left it is aborted', async () => {
    const { provider, open } = stoppable();
    const limited = queued(provider, 1);
    const abort = new AbortController();
    const ask = (signal: AbortSignal) => collect(limited.stream(request([]), signal));
    const all = [ask(new AbortController().signal), ask(abort.signal), ask(new AbortController().signal)];
    await settle();
    open[0]?.();
    await settle();
    abort.abort();
    open[1]?.();
    await settle();
    open[2]?.();
    expect((await Promise.all(all)).map((events) => doneOf(events).reason)).toEqual(['stop', 'stop', 'stop']);
  });

  it('frees the place of a reader that went away', async () => {
    const chatty: ModelProvider = {
      name: 'p',
      async *stream() {
        yield { type: 'text', delta: 'a' };
        yield { type: 'done', reason: 'stop', usage: null };
      },
    };
    const limited = queued(chatty, 1);
    for await (const _ of limited.stream(request([]), new AbortController().signal)) break;
    expect(await collect(limited.stream(request([]), new AbortController().signal))).toHaveLength(2);
  });

  it('goes on in the run of the one that waited', async () => {
    const run = new AsyncLocalStorage<string>();
    const { provider, open } = stoppable();
    const seen: (string | undefined)[] = [];
    const watched: ModelProvider = {
      name: 'p',
      stream: (r, s) => {
        seen.push(run.getStore());
        return provider.stream(r, s);
      },
    };
    const limited = queued(watched, 1);
    const ask = () => collect(limited.stream(request([]), new AbortController().signal));
    const all = ['a', 'b'].map((name) => run.run(name, ask));
    await settle();
    open[0]?.();
    await settle();
    open[1]?.();
    await Promise.all(all);
    expect(seen).toEqual(['a', 'b']);
  });
});
