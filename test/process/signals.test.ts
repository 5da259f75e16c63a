import { describe, expect, it } from 'vitest';
import type { SignalName } from '../../src/host.ts';
import { type Ending, judgeSignal } from '../../src/process/signals.ts';

const UP = { ready: true, terminal: false, executing: false, stopping: undefined };
const stop = (by: SignalName, code: Ending['code'] = 0): Ending => ({ how: 'signal', code, by });

describe('what a signal means', () => {
  it.each<[SignalName, Partial<Parameters<typeof judgeSignal>[2]>, Ending | undefined]>([
    ['SIGTERM', {}, stop('SIGTERM')],
    ['SIGINT', {}, stop('SIGINT')],
    ['SIGTERM', { executing: true }, stop('SIGTERM')],
    ['SIGHUP', { terminal: true }, stop('SIGHUP')],
    ['SIGHUP', {}, undefined],
    ['SIGHUP', { ready: false }, undefined],
    ['SIGUSR2', {}, { how: 'restarted', code: 75, by: 'SIGUSR2' }],
    // A tool may have sent it: nobody planned that.
    ['SIGUSR2', { executing: true }, stop('SIGUSR2', 75)],
    ['SIGTERM', { ready: false }, stop('SIGTERM', 1)],
    ['SIGUSR2', { ready: false }, stop('SIGUSR2', 1)],
  ])('%s with %o', (name, facts, ending) => {
    expect(judgeSignal(name, 1_000, { ...UP, ...facts })).toEqual(ending);
  });

  const forced = (by: SignalName): Ending => ({ how: 'forced', code: 1, by });
  it.each<[string, SignalName, number, Ending | undefined]>([
    ['the same within 300 ms is the same signal, doubled', 'SIGINT', 1, undefined],
    ['up to the last millisecond', 'SIGINT', 299, undefined],
    ['after that it is a second one', 'SIGINT', 300, forced('SIGINT')],
    ['another one at once is a second one', 'SIGTERM', 1, forced('SIGTERM')],
    ['SIGUSR2 does not turn a stop into a restart', 'SIGUSR2', 5_000, forced('SIGUSR2')],
  ])('while stopping for SIGINT, ready or not: %s', (_, name, after, ending) => {
    for (const ready of [true, false])
      expect(judgeSignal(name, 1_000 + after, { ...UP, ready, stopping: { by: 'SIGINT', at: 1_000 } })).toEqual(ending);
  });
});
