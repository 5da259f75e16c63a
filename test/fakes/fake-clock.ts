import type { Clock } from '../../src/contract/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/** A clock that moves only when told, by whole milliseconds. Timers fire in order of their time; promises settle between them. */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: number | string = '2026-11-30T12:00:00Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, Math.ceil(ms)), order: this.#order++, fn };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers armed and not yet fired or cancelled. */
  get armed(): number {
    return this.#timers.size;
  }

  /** Moves time without firing anything: a clock that was set, or a machine that slept. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Moves time forward by `ms`, firing what falls due and letting promises run in between. */
  async skip(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let due = this.#next(end); due; due = this.#next(end)) {
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.fn();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.at <= end);
    return due.sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Lets everything that is ready run: microtasks and a few rounds of the event loop. */
export async function settle(rounds = 5): Promise<void> {
  for (let i = 0; i < rounds; i++) await new Promise((resolve) => setImmediate(resolve));
}
