import waits from 'node:timers/promises';
import { type Clock, pause } from '../../src/contract/clock.ts';

type Wait = (ms?: number, value?: unknown, how?: { readonly signal?: AbortSignal }) => Promise<unknown>;

/**
 * discord.js waits half a second between two sockets on a timer of Node's own, which nobody can hand it. From here on, for the
 * rest of a test file, such waits are those of `clock`: they can be skipped, and a test that sees no dial has seen them end.
 */
export function libraryWaitsOn(clock: Clock): void {
  const wait: Wait = async (ms = 0, value, { signal } = {}) => {
    await pause(clock, ms, signal);
    signal?.throwIfAborted();
    return value;
  };
  Object.assign(waits, { setTimeout: wait });
}
