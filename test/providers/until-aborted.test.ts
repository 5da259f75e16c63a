import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../src/providers/until-aborted.ts';
import { settle } from '../fakes/fake-clock.ts';
import { collect } from '../fakes/model-requests.ts';

/** A source that hangs after its first item and tells whether it was told to end. */
function hanging() {
  const state = { returned: false };
  const iterator = {
    given: false,
    next() {
      if (this.given) return new Promise<IteratorResult<string>>(() => {});
      this.given = true;
      return Promise.resolve({ done: false as const, value: 'one' });
    },
    return() {
      state.returned = true;
      return new Promise<IteratorResult<string>>(() => {});
    },
  };
  return { state, events: { [Symbol.asyncIterator]: () => iterator } };
}

async function* numbers(): AsyncGenerator<string> {
  yield 'one';
  yield 'two';
}

describe('untilAborted', () => {
  it('passes everything on', async () => {
    expect(await collect(untilAborted(numbers(), new AbortController().signal, 'end'))).toEqual(['one', 'two']);
  });

  it('ends at once, tells the source and waits for neither', async () => {
    const abort = new AbortController();
    const { events, state } = hanging();
    const all = collect(untilAborted(events, abort.signal, 'end'));
    await settle();
    abort.abort();
    expect(await all).toEqual(['one', 'end']);
    expect(state.returned).toBe(true);
  });

  it('asks nothing of a source when it is too late', async () => {
    const { events } = hanging();
    expect(await collect(untilAborted(events, AbortSignal.abort(), 'end'))).toEqual(['end']);
  });

  it('tells the source that its reader went away', async () => {
    const { events, state } = hanging();
    for await (const _ of untilAborted(events, new AbortController().signal, 'end')) break;
    expect(state.returned).toBe(true);
  });

  it('lets an error through, and none after the abort', async () => {
    const failing = async function* (): AsyncGenerator<string> {
      yield 'one';
      throw new Error('broken');
    };
    await expect(collect(untilAborted(failing(), new AbortController().signal, 'end'))).rejects.toThrow('broken');

    const abort = new AbortController();
    const late = Promise.withResolvers<IteratorResult<string>>();
    const all = collect(
      untilAborted({ [Symbol.asyncIterator]: () => ({ next: () => late.promise }) }, abort.signal, 'end'),
    );
    await settle();
    abort.abort();
    late.reject(new Error('too late'));
    expect(await all).toEqual(['end']);
  });
});
