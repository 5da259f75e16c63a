import { Worker } from 'node:worker_threads';
import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { BootId } from '../contract/ids.ts';
import { lastExitPath } from './last-exit.ts';
import { CELL, TICK_MS } from './stall.mjs';

/** Ends a process whose event loop is frozen, or whose stop does not come to an end. */
export interface Watchdog {
  /** The process is gone `ms` from now, whatever becomes of its event loop. Once; there is no way back. */
  armStop(ms: number): void;
  /** Its thread runs. */
  alive(): boolean;
  /** The longest time the event loop was late in the last minute, ms. */
  lagMs(): number;
  /** Nothing is watched any more. Twice: harmless. */
  close(): void;
}

export interface WatchdogDeps {
  readonly home: string;
  readonly boot: BootId;
  readonly pid: number;
  readonly clock: Clock;
  /** `health.loop_stall_s`, ms. */
  readonly stallMs: number;
  /** Told in a sentence when the thread itself is in trouble. */
  readonly tell: (sentence: string) => void;
}

/** What the thread is given. */
export interface WatchdogStart {
  readonly cells: Int32Array;
  /** UTC ms of the main thread's last tick. */
  readonly lastSign: Float64Array;
  /** Path of `run/last-exit.json`. */
  readonly record: string;
  readonly stallMs: number;
  /** What the record says of whom. */
  readonly exit: { readonly boot: BootId; readonly pid: number };
}

const ENTRY = new URL('./watchdog-thread.mjs', import.meta.url);
const HEAP_MB = 8;
/** Main ticks without one of the thread after which it is replaced. */
const DEAF_TICKS = 20;
const AGAIN_MS = 1_000;
const LAGS = 60_000 / TICK_MS;

export function startWatchdog(deps: WatchdogDeps): Watchdog {
  return outsideRun(() => new ThreadWatchdog(deps));
}

class ThreadWatchdog implements Watchdog {
  readonly #deps: WatchdogDeps;
  readonly #start: WatchdogStart;
  #thread: Worker | undefined;
  #threadTicks = 0;
  #deaf = 0;
  #lags: number[] = [];
  #closed = false;
  #cancelTick: () => void = () => {};
  #cancelAgain: () => void = () => {};

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
    this.#start = {
      cells: new Int32Array(new SharedArrayBuffer(16)),
      lastSign: new Float64Array(new SharedArrayBuffer(8)),
      record: lastExitPath(deps.home),
      stallMs: deps.stallMs,
      exit: { boot: deps.boot, pid: deps.pid },
    };
    this.#start.cells[CELL.stopLeft] = -1;
    this.#tick(deps.clock.now());
    this.#watch();
  }

  armStop(ms: number): void {
    // The first tick may come at once.
    Atomics.compareExchange(this.#start.cells, CELL.stopLeft, -1, Math.ceil(ms / TICK_MS) + 1);
  }

  alive(): boolean {
    return this.#thread !== undefined && this.#deaf < DEAF_TICKS / 2;
  }

  lagMs(): number {
    return Math.max(0, ...this.#lags);
  }

  close(): void {
    this.#closed = true;
    this.#cancelTick();
    this.#cancelAgain();
    Atomics.store(this.#start.cells, CELL.closed, 1);
    Atomics.notify(this.#start.cells, CELL.closed);
    void this.#thread?.terminate();
  }

  #tick(due: number): void {
    const { clock } = this.#deps;
    const now = clock.now();
    Atomics.add(this.#start.cells, CELL.main, 1);
    this.#start.lastSign[0] = now;
    this.#lags = [...this.#lags, now - due].slice(-LAGS);
    this.#listen();
    this.#cancelTick = clock.after(TICK_MS, () => this.#tick(now + TICK_MS));
  }

  /** A thread that does not tick is no watchdog. */
  #listen(): void {
    const ticks = Atomics.load(this.#start.cells, CELL.thread);
    this.#deaf = ticks === this.#threadTicks ? this.#deaf + 1 : 0;
    this.#threadTicks = ticks;
    if (this.#deaf < DEAF_TICKS || this.#thread === undefined) return;
    this.#deaf = 0;
    void this.#thread.terminate();
  }

  #watch(): void {
    const limits = { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 2, codeRangeSizeMb: 4, stackSizeMb: 1 };
    const options = { workerData: this.#start, env: {}, argv: [], execArgv: [], resourceLimits: limits };
    const thread = new Worker(ENTRY, options);
    thread.unref();
    thread.on('error', (error) =>
      this.#deps.tell(`The watchdog's thread broke (${error.message}); a new one is started.`),
    );
    thread.on('exit', () => this.#again());
    this.#thread = thread;
  }

  #again(): void {
    this.#thread = undefined;
    if (!this.#closed) this.#cancelAgain = this.#deps.clock.after(AGAIN_MS, () => this.#watch());
  }
}
