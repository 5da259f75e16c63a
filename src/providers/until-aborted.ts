/**
 * Passes events on until `signal` aborts, then gives `last` at once, whatever the source does. The source is told to end, but
 * not waited for.
 */
export async function* untilAborted<E>(events: AsyncIterable<E>, signal: AbortSignal, last: E): AsyncGenerator<E> {
  if (signal.aborted) return yield last;
  const source = events[Symbol.asyncIterator]();
  const abort = Promise.withResolvers<'aborted'>();
  const onAbort = () => abort.resolve('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (true) {
      const next = source.next();
      next.catch(ignore);
      const result = await Promise.race([next, abort.promise]);
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
