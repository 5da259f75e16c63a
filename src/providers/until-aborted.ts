/**
 * Passes events on until `signal` aborts, then gives `last` at once, whatever the source does. The source is told to end, but
 * not waited for.
 */
export async function* untilAborted<E>(events: AsyncIterable<E>, signal: AbortSignal, last: E): AsyncGenerator<E> {
  if (signal.aborted) return yield last;
  const source = events[Symbol.asyncIterator]();
  let stop: () => void = ignore;
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort, { once: true });
  // One promise a step: a race with one that waits for the abort would keep what was raced, for as long as the stream lasts.
  const step = () =>
    new Promise<IteratorResult<E> | 'aborted'>((resolve, reject) => {
      stop = () => resolve('aborted');
      source.next().then(resolve, reject);
      if (signal.aborted) stop();
    });
  try {
    while (true) {
      const result = await step();
      if (result === 'aborted') return yield last;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    source.return?.().catch(ignore);
  }
}

function ignore(): void {}
