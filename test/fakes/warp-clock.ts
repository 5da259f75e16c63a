import type { Clock } from '../../src/contract/clock.ts';

interface Timer {
  at: number;
  readonly fn: () => void;
  real: NodeJS.Timeout;
}

/** Real time in whole milliseconds that can be skipped ahead: for scenarios over real sockets, where nobody may wait half an hour. */
export class WarpClock implements Clock {
  #ahead = 0;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  after(ms: number, fn: () => void): () => void {
    const timer: Timer = { at: this.now() + Math.ceil(ms), fn, real: setTimeout(() => this.#fire(timer), ms) };
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer.real);
      this.#timers.delete(timer);
    };
  }

  /** Everything that falls due within the next `ms` happens now, in order. */
  async skip(ms: number): Promise<void> {
    const end = this.now() + ms;
    for (let due = this.#next(end); due; due = this.#next(end)) {
      this.#ahead += Math.max(0, due.at - this.now());
      clearTimeout(due.real);
      this.#fire(due);
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    }
    this.#ahead += Math.max(0, end - this.now());
    for (const timer of this.#timers) this.#rearm(timer);
  }

  /** `ms` have gone by, and nothing that waits falls due until time is skipped again: a process that had no turn. */
  stall(ms: number): void {
    this.#ahead += ms;
    for (const timer of this.#timers) clearTimeout(timer.real);
  }

  /** The clock on the wall is put back; what is armed falls due after as long as before. */
  putBack(ms: number): void {
    this.#ahead -= ms;
    for (const timer of this.#timers) timer.at -= ms;
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.fn();
  }

  #rearm(timer: Timer): void {
    clearTimeout(timer.real);
    timer.real = setTimeout(() => this.#fire(timer), Math.max(0, timer.at - this.now()));
  }

  #next(end: number): Timer | undefined {
    return [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
