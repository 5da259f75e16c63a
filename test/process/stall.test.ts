import { describe, expect, it } from 'vitest';
import { TICK_MS, TOLD_MS, verdict, watched } from '../../src/process/stall.mjs';

/** The watch after the main thread's counter was seen at these values, one look a tick. */
const watch = (...seen: number[]) => seen.reduce(watched, { main: 0, quiet: 0 });
const still = (ticks: number) => watch(...Array.from({ length: ticks }, () => 0));

describe('what the watchdog sees', () => {
  it.each([
    [0, [1, 2, 3, 4]],
    [1, [1, 1]],
    [0, [1, 1, 2]],
    [3, [5, 5, 5, 5]],
  ])('%i quiet ticks in %j', (quiet, seen) => {
    expect(watch(...seen).quiet).toBe(quiet);
  });

  it('a process that was stopped for an hour ages by one look, not by an hour', () => {
    expect(watch(7, 7, 8).quiet).toBe(0);
  });
});

describe('what follows', () => {
  const NO_STOP = -1;
  it.each<[string, number, number, string]>([
    ['fine', 0, NO_STOP, 'nothing is wrong'],
    ['fine', TOLD_MS / TICK_MS - 1, NO_STOP, 'not yet 5 s'],
    ['tell', TOLD_MS / TICK_MS, NO_STOP, '5 s'],
    ['fine', TOLD_MS / TICK_MS + 1, NO_STOP, 'told already'],
    ['fine', 119, NO_STOP, 'not yet a minute'],
    ['watchdog', 120, NO_STOP, 'a minute'],
    ['watchdog', 500, NO_STOP, 'it did not help'],
    ['fine', 0, 90, 'a stop is under way'],
    ['fine', 0, 1, 'it has one tick left'],
    ['overrun', 0, 0, 'its time is over, with a loop that turns'],
    ['overrun', 300, 0, 'or a frozen one'],
    ['watchdog', 120, 30, 'frozen long before its time is over'],
  ])('%s after %i quiet ticks with %i left: %s', (expected, quiet, left) => {
    expect(verdict({ quiet }, left, 60_000)).toBe(expected);
  });

  it('counts from the first still tick', () => {
    expect(verdict(still(9), NO_STOP, 60_000)).toBe('fine');
    expect(verdict(still(10), NO_STOP, 60_000)).toBe('tell');
  });
});
