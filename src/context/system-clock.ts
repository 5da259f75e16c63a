import type { Clock } from '../contract/clock.ts';
import { outsideRun } from './run-context.ts';

/** Node's own clock and timers; armed and fired outside any run, whoever asks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fn) =>
    outsideRun(() => {
      const timer = setTimeout(fn, ms);
      return () => clearTimeout(timer);
    }),
};
