import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';

export interface MemoryGuardDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes in use; undefined: nobody knows. */
  readonly used: () => number | undefined;
  readonly limit: number;
  /** Empties what can be made again. */
  readonly empty: () => void;
  /** Turns and firings at work. */
  readonly busy: () => number;
  /** Gives back what nobody holds any more; the process stands still for it, some tenths of a second at most. */
  readonly collect: () => void;
}

const EVERY_MS = 15_000;
const MB = 1024 * 1024;
/** Quiet looks after which memory that has grown is collected, and after which caches have let go of what was idle. */
const QUIET = 4;
const CACHES_GONE = 48;
const WORTH_BYTES = 32 * MB;

/**
 * Looks at the memory in use: above the limit caches are emptied, and new turns run one at a time. When nothing runs, what the
 * work has left behind is given back: a process that waits for people would keep it for ever.
 */
export class MemoryGuard {
  readonly #deps: MemoryGuardDeps;
  #high = false;
  /** Looks since something ran. */
  #quiet = 0;
  /** The least that was in use since the last collection; the system takes back its pages a moment after it. */
  #least = 0;
  #cancel: (() => void) | undefined;

  constructor(deps: MemoryGuardDeps) {
    this.#deps = deps;
  }

  get high(): boolean {
    return this.#high;
  }

  /** Called at boot, outside any run. */
  start(): void {
    this.#look();
    this.#cancel = this.#deps.clock.after(EVERY_MS, () => this.start());
  }

  stop(): void {
    this.#cancel?.();
  }

  #look(): void {
    const { used, limit, empty, log } = this.#deps;
    const bytes = used();
    if (bytes === undefined) return;
    const before = this.#high;
    this.#high = bytes > limit;
    if (this.#high) empty();
    const facts = { usedMb: Math.round(bytes / MB), limitMb: Math.round(limit / MB) };
    if (this.#high && !before)
      log.warn(facts, 'memory is above process.memory_soft_mb: caches are emptied, turns run one at a time');
    if (!this.#high && before) log.info(facts, 'memory is below process.memory_soft_mb again');
    this.#rest(bytes);
  }

  #rest(bytes: number): void {
    const { busy, collect, log } = this.#deps;
    this.#quiet = busy() > 0 ? 0 : this.#quiet + 1;
    this.#least = Math.min(this.#least, bytes);
    const grown = this.#quiet > 0 && this.#quiet % QUIET === 0 && bytes - this.#least >= WORTH_BYTES;
    if (!grown && this.#quiet !== CACHES_GONE) return;
    if (grown) this.#quiet = QUIET;
    log.debug({ usedMb: Math.round(bytes / MB) }, 'nothing runs: what work has left behind is given back');
    collect();
    this.#least = Number.POSITIVE_INFINITY;
  }
}
