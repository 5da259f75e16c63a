import { type Clock, pause } from '../../contract/clock.ts';

/** Discord takes one IDENTIFY in this time. */
const APART_MS = 5_000;
/** Below this Discord is close to resetting the token: the rest of the day is for people who restart us. */
const RESERVE = 50;

export interface SessionLimit {
  readonly remaining: number;
  /** Until it is full again. */
  readonly reset_after: number;
}

/**
 * How often we may still say who we are today, and how soon after the last time. It outlives the library's clients, each of
 * which would begin to count anew, and it is what they wait for before every IDENTIFY.
 */
export class IdentifyBudget {
  readonly #clock: Clock;
  #remaining = Number.POSITIVE_INFINITY;
  #fullAt = 0;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  learn({ remaining, reset_after }: SessionLimit): void {
    this.#remaining = remaining;
    this.#fullAt = this.#clock.now() + reset_after;
  }

  get remaining(): number {
    return this.#remaining;
  }

  /** UTC ms from which on one may be spent again; undefined: now. */
  get spentUntil(): number | undefined {
    if (this.#clock.now() >= this.#fullAt) this.#remaining = Number.POSITIVE_INFINITY;
    return this.#remaining < RESERVE ? this.#fullAt : undefined;
  }

  /** The library asks before each IDENTIFY. Rejects when `signal` aborts. */
  async waitForIdentify(_shard: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#waitMs() > 0) await pause(this.#clock, this.#waitMs(), signal);
    signal.throwIfAborted();
    this.#lastAt = this.#clock.now();
    this.#remaining--;
  }

  #waitMs(): number {
    const now = this.#clock.now();
    return Math.max(this.#lastAt + APART_MS - now, (this.spentUntil ?? now) - now);
  }
}
