/** The only source of time and timers. Callbacks never inherit the run of whoever armed them. */
export interface Clock {
  /** UTC milliseconds. */
  now(): number;
  /** Calls `fn` once after `ms`; the returned function cancels it and may be called late or twice. */
  after(ms: number, fn: () => void): () => void;
}

/** Resolves after `ms`, or at once when `signal` aborts. Never rejects: look at the signal afterwards. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
