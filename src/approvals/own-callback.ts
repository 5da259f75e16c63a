import type { Clock } from '../contract/clock.ts';

const PATIENCE_MS = 30_000;

/**
 * What a surface says about one call in 30 s; undefined: nothing, or it threw, or the run ended. Never rejects; the surface's
 * signal aborts when nobody listens any more.
 */
export async function answerInTime(
  clock: Clock,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<unknown>,
  ms = PATIENCE_MS,
): Promise<unknown> {
  const own = new AbortController();
  const stop = () => own.abort();
  const silence = new Promise<undefined>((resolve) => own.signal.addEventListener('abort', () => resolve(undefined)));
  const cancel = clock.after(ms, stop);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([silence, ask(own.signal)]);
  } catch {
    return undefined;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}
