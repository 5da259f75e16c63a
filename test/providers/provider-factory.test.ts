import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { ModelEvent, ModelProvider, StreamWatch } from '../../src/contract/model.ts';
import { createProvider } from '../../src/providers/provider-factory.ts';
import { queued } from '../../src/providers/request-queue.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { collect, doneOf, KeptLog, request, user } from '../fakes/model-requests.ts';

const deps = () => ({ clock: new FakeClock(), log: new KeptLog() });

describe('createProvider', () => {
  it('knows practice by its name', () => {
    expect(createProvider({ name: 'practice' }, deps()).name).toBe('practice');
  });

  it.each([
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
