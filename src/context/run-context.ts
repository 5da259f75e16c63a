import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { RunId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';

const storage = new AsyncLocalStorage<RunContext>();
/** How many openings of a run have not settled. */
const open = new WeakMap<RunContext, number>();
const ended = new WeakSet<RunContext>();
const parents = new WeakMap<RunContext, RunContext>();

/** The run this code executes in, if any. */
export function currentRun(): RunContext | undefined {
  return storage.getStore();
}

/**
 * Whether what opened this run has not settled yet. An ended run has no authority left, nor have its workers, and opening
 * it again does not bring it back.
 */
export function isLive(run: RunContext): boolean {
  return open.has(run) && !hasEnded(run);
}

/**
 * Opens a run for `fn` and everything awaited in it; what was there before is back on return, on throw and after every await.
 * The run is live until `fn` settles. Opening a live run again inside itself is fine; the outermost opening ends it.
 */
export async function withRun<T>(run: RunContext, fn: () => T | Promise<T>): Promise<T> {
  enter(run);
  try {
    return await storage.run(run, fn);
  } finally {
    leave(run);
  }
}

/** A run for code that cannot be wrapped in one function. It touches no ambient state: only what goes through `run` is in it. */
export interface RunHandle {
  run<T>(fn: () => T): T;
}

const handles = new WeakMap<RunHandle, RunContext>();

/** Makes a run live until `endRun`. */
export function beginRun(run: RunContext): RunHandle {
  enter(run);
  const handle: RunHandle = { run: (fn) => storage.run(run, fn) };
  handles.set(handle, run);
  return handle;
}

/** Ends the run of a handle. Nothing, null, something foreign or an ended handle: does nothing. Never throws. */
export function endRun(handle?: unknown): void {
  if (typeof handle !== 'object' || handle === null) return;
  const run = handles.get(handle as RunHandle);
  if (run && handles.delete(handle as RunHandle)) leave(run);
}

/** Runs `fn` in no run: for building clients, servers, pools, timers, and for every entry from outside. */
export function outsideRun<T>(fn: () => T): T {
  return storage.exit(fn);
}

/** Binds a callback that foreign code calls during this run to it. */
export function keepRun<A extends unknown[], R>(fn: (...args: A) => R): (...args: A) => R {
  return AsyncResource.bind(fn);
}

/** A worker's run: same kind, session and people, one deeper. `signal` ends the worker before its parent ends. */
export function childRun(parent: RunContext, runId: RunId, signal: AbortSignal = parent.signal): RunContext {
  const child = freeze({ ...parent, runId, depth: parent.depth + 1, signal: either(parent.signal, signal) });
  parents.set(child, parent);
  return child;
}

function either(parent: AbortSignal, own: AbortSignal): AbortSignal {
  return parent === own ? parent : AbortSignal.any([parent, own]);
}

function enter(run: RunContext): void {
  freeze(run);
  open.set(run, (open.get(run) ?? 0) + 1);
}

function leave(run: RunContext): void {
  const left = (open.get(run) ?? 1) - 1;
  open.set(run, left);
  if (left === 0) ended.add(run);
}

function hasEnded(run: RunContext): boolean {
  const parent = parents.get(run);
  return ended.has(run) || (parent !== undefined && hasEnded(parent));
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return value;
  for (const inner of Object.values(Object.freeze(value))) freeze(inner);
  return value;
}
