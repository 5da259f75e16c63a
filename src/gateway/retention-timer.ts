import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { Store } from '../store/store.ts';

export interface RetentionTimerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** `sessions.retention_days`, ms. */
  readonly sessionMs: () => number;
  /** Removes old files; called whenever no old rows are left. Never throws, returns at once. */
  readonly files?: () => void;
}

const FIRST_MS = 60_000;
const BETWEEN_BATCHES_MS = 1_000;
const EVERY_MS = 3_600_000;

/** Lets go of old rows: a batch a second while there are some, then once an hour, and of old files with them. */
export class RetentionTimer {
  readonly #deps: RetentionTimerDeps;
  #cancel: (() => void) | undefined;

  constructor(deps: RetentionTimerDeps) {
    this.#deps = deps;
  }

  /** Called at boot, outside any run. Twice: the same timer. */
  start(): void {
    if (!this.#cancel) this.#later(FIRST_MS);
  }

  stop(): void {
    this.#cancel?.();
  }

  #later(ms: number): void {
    this.#cancel = this.#deps.clock.after(ms, () => {
      const more = this.#sweep() > 0;
      if (!more) this.#deps.files?.();
      this.#later(more ? BETWEEN_BATCHES_MS : EVERY_MS);
    });
  }

  #sweep(): number {
    const { store, clock, log, sessionMs } = this.#deps;
    try {
      return store.retention.sweep({ sessionMs: sessionMs() }, clock.now());
    } catch (error) {
      log.error({ error }, 'old rows could not be removed; it is tried again in an hour');
      return 0;
    }
  }
}
