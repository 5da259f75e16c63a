import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { RunId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';

const storage = new AsyncLocalStorage<RunContext>();
const live = new WeakSet<RunContext>();

/** The run this code executes in, if any. */
export function currentRun(): RunContext | undefined {
  return storage.getStore();
}

/** Whether the function that `withRun` opened for this run has not settled yet. An ended run has no authority left. */
export function isLive(run: RunContext): boolean {
  return live.has(run);
}

/**
 * Opens a run for `fn` and everything awaited in it; what was there before is back on return, on throw and after every await.
 * The run is live until `fn` settles.
 */
export async function withRun<T>(run: RunContext, fn: () => T | Promise<T>): Promise<T> {
  const frozen = freeze(run);
  live.add(frozen);
  try {
    return await storage.run(frozen, fn);
  } finally {
    live.delete(frozen);
  }
}

/** Runs `fn` in no run: for building clients, servers, pools, timers, and for every entry from outside. */
export function outsideRun<T>(fn: () => T): T {
  return storage.exit(fn);
}

/** Binds a callback that foreign code calls during this run to it. */
export function keepRun<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
  return AsyncResource.bind(fn);
}

/** A worker's run: same kind, session and people, one deeper. */
export function childRun(parent: RunContext, runId: RunId): RunContext {
  return freeze({ ...parent, runId, depth: parent.depth + 1 });
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
  return value;
}
