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
}

const EVERY_MS = 15_000;
const MB = 1024 * 1024;

/** Looks at the memory in use: above the limit caches are emptied, and new turns run one at a time. */
export class MemoryGuard {
  readonly #deps: MemoryGuardDeps;
  #high = false;
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
  }
}
