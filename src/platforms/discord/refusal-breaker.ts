import type { Clock } from '../../contract/clock.ts';

const MOST = 50;
const WITHIN_MS = 60_000;
const CLOSED_MS = 60_000;
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

/** Discord bans an address for 10,000 refusals in ten minutes; long before that we stop asking for a while. */
export class RefusalBreaker {
  readonly #clock: Clock;
  readonly #tripped: (until: number) => void;
  #recent: number[] = [];
  #until = 0;

  constructor(clock: Clock, tripped: (until: number) => void) {
    this.#clock = clock;
    this.#tripped = tripped;
  }

  /** Milliseconds until calls are allowed again; 0: now. */
  get left(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  count(status: number): void {
    if (!REFUSALS.has(status)) return;
    const now = this.#clock.now();
    this.#recent = [...this.#recent.filter((at) => now - at < WITHIN_MS), now];
    if (this.#recent.length < MOST) return;
    this.#recent = [];
    this.#until = now + CLOSED_MS;
    this.#tripped(this.#until);
  }
}
