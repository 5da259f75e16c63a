import type { Clock } from './clock.ts';

/** Calls `over` after `ms` of time in which nobody held it. */
export class Deadline {
  readonly #clock: Clock;
  readonly #over: () => void;
  #leftMs: number;
  #since = 0;
  #holders = 0;
  #cancel: () => void = () => {};
  #done = false;

  constructor(clock: Clock, ms: number, over: () => void) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#over = over;
    this.#run();
  }

  /** Time stands while somebody is being waited for; each hold needs its release. */
  hold(): void {
    if (this.#holders++ > 0 || this.#done) return;
    this.#cancel();
    this.#leftMs -= this.#clock.now() - this.#since;
  }

  release(): void {
    if (--this.#holders === 0 && !this.#done) this.#run();
  }

  cancel(): void {
    this.#done = true;
    this.#cancel();
  }

  #run(): void {
    this.#since = this.#clock.now();
    this.#cancel = this.#clock.after(Math.max(0, this.#leftMs), () => {
      this.#done = true;
      this.#over();
    });
  }
}
