// The watchdog's own thread. It sleeps in the kernel, not in an event loop, and needs nothing of the main thread to end the
// process. A thread has no Host: besides main.ts this is the only file that touches `process`.
import { writeFileSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { CELL, TICK_MS, TOLD_MS, verdict, watched } from './stall.mjs';

/** @type {import('./watchdog.ts').WatchdogStart} */
const { cells, lastSign, record, stallMs, exit } = workerData;

let watch = { main: Atomics.load(cells, CELL.main), quiet: 0 };
while (Atomics.wait(cells, CELL.closed, 0, TICK_MS) === 'timed-out') {
  Atomics.add(cells, CELL.thread, 1);
  watch = watched(watch, Atomics.load(cells, CELL.main));
  const left = Atomics.load(cells, CELL.stopLeft) - 1;
  if (left >= 0) Atomics.store(cells, CELL.stopLeft, left);
  const said = verdict(watch, left, stallMs);
  if (said === 'tell') writeSync(2, `hermod has not moved for ${TOLD_MS / 1000} s.\n`);
  if (said === 'watchdog' || said === 'overrun') end(said);
}

/**
 * The record first: nothing can be written after the signal. Its time is the main thread's last sign of life.
 *
 * @param {'watchdog' | 'overrun'} how
 */
function end(how) {
  try {
    writeFileSync(record, JSON.stringify({ ...exit, how, at: lastSign[0] }), { mode: 0o600 });
  } catch {
    // Without a record the next boot takes it for an end without a word, which counts the same.
  }
  // biome-ignore lint/style/noRestrictedGlobals: a worker cannot end the process in any other way
  process.kill(exit.pid, 'SIGKILL');
}
