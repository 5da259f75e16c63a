import type { Clock } from '../../contract/clock.ts';

/** Aborted when `ms` are over or `signal` is; `clear` it once the work is done. */
export interface Deadline {
  readonly signal: AbortSignal;
  clear(): void;
}

export function deadline(clock: Clock, ms: number, signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const cancel = clock.after(ms, abort);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      cancel();
      signal?.removeEventListener('abort', abort);
    },
  };
}
