/** Waits that double from `firstMs` up to `mostMs`; with jitter each is between half and the whole of its step. */
export class Backoff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  readonly #random: (() => number) | undefined;
  #step = 0;

  constructor(firstMs: number, mostMs: number, random?: () => number) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
    this.#random = random;
  }

  next(): number {
    const whole = Math.min(this.#mostMs, this.#firstMs * 2 ** this.#step++);
    return this.#random ? Math.round(whole * (0.5 + this.#random() / 2)) : whole;
  }

  reset(): void {
    this.#step = 0;
  }
}
