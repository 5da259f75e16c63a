import type { Clock } from '../contract/clock.ts';

export interface OutputLimits {
  /** Seconds from sending to the first output. */
  readonly firstOutputS: number;
  /** Seconds between outputs. */
  readonly idleS: number;
}

/**
 * Limits one attempt: the first output from the moment of sending, then every next one, and the deadline of the whole step. It
 * counts only while the answer is waited for, so a slow reader is not taken for a silent model.
 */
export class OutputWatchdog {
  readonly #clock: Clock;
  readonly #limits: OutputLimits;
  readonly #deadline: { readonly at: number; readonly seconds: number };
  readonly #bite: (limitS: number) => void;
  #phase: 'queued' | 'sent' | 'answering' = 'sent';
  #sentAt: number;
  #cancel: (() => void) | undefined;

  /** `bite` is called at most once, with the limit that ran out. */
  constructor(
    clock: Clock,
    limits: OutputLimits,
    deadline: { readonly at: number; readonly seconds: number },
    bite: (limitS: number) => void,
  ) {
    this.#clock = clock;
    this.#limits = limits;
    this.#deadline = deadline;
    this.#bite = bite;
    this.#sentAt = clock.now();
  }

  queued(): void {
    this.#phase = 'queued';
    this.#rearm();
  }

  sent(): void {
    this.#phase = 'sent';
    this.#sentAt = this.#clock.now();
    this.#rearm();
  }

  output(): void {
    this.#phase = 'answering';
    this.#rearm();
  }

  arm(): void {
    const { ms, limitS } = this.#next();
    this.#cancel = this.#clock.after(ms, () => {
      this.#cancel = undefined;
      this.#bite(limitS);
    });
  }

  disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #rearm(): void {
    if (!this.#cancel) return;
    this.disarm();
    this.arm();
  }

  /** Whichever limit runs out first. */
  #next(): { readonly ms: number; readonly limitS: number } {
    const now = this.#clock.now();
    const deadline = { ms: Math.max(0, this.#deadline.at - now), limitS: this.#deadline.seconds };
    if (this.#phase === 'queued') return deadline;
    const { firstOutputS, idleS } = this.#limits;
    const output =
      this.#phase === 'answering'
        ? { ms: idleS * 1000, limitS: idleS }
        : { ms: Math.max(0, this.#sentAt + firstOutputS * 1000 - now), limitS: firstOutputS };
    return output.ms < deadline.ms ? output : deadline;
  }
}
