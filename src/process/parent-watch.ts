import type { Clock } from '../contract/clock.ts';

const EVERY_MS = 2_000;

/** Tells once when this process has another parent than it was started by: whoever launched it is gone. Returns a cancel. */
export function watchParent(clock: Clock, parent: () => number, gone: () => void): () => void {
  const first = parent();
  let cancel: () => void = () => {};
  const look = () => {
    if (parent() !== first) return gone();
    cancel = clock.after(EVERY_MS, look);
  };
  cancel = clock.after(EVERY_MS, look);
  return () => cancel();
}
