// Plain JavaScript, as watchdog-thread.mjs is: a thread that strips types holds 10 MB more for the rest of its life.

/** Places in the memory both threads share: counters of the main thread and of the watchdog's thread; the thread's ticks until a stop must be over (negative: none is under way); not 0: the thread ends. */
export const CELL = { main: 0, thread: 1, stopLeft: 2, closed: 3 };

/** Both threads count in this step. */
export const TICK_MS = 500;
/** Without a tick of the main thread for so long, somebody is told. */
export const TOLD_MS = 5_000;

/**
 * What the thread has seen: the main thread's counter, and its own ticks since that last changed. Clocks play no part: a
 * suspended process ages in neither. Pure.
 *
 * @param {{ readonly main: number, readonly quiet: number }} watch
 * @param {number} main
 */
export function watched(watch, main) {
  return { main, quiet: main === watch.main ? watch.quiet + 1 : 0 };
}

/**
 * `tell`: the loop stands still. `watchdog`, `overrun`: the process must go, because its loop is frozen or its stop has not come
 * to an end. `left`: ticks until a stop must be over. Pure.
 *
 * @param {{ readonly quiet: number }} watch
 * @param {number} left
 * @param {number} stallMs
 * @returns {'fine' | 'tell' | 'watchdog' | 'overrun'}
 */
export function verdict(watch, left, stallMs) {
  if (left === 0) return 'overrun';
  if (watch.quiet * TICK_MS >= stallMs) return 'watchdog';
  return watch.quiet * TICK_MS === TOLD_MS ? 'tell' : 'fine';
}
