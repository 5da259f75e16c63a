/** What following the values of one script may cost. */
const MOST = 12_000;

/** Counts what following values costs; once it is spent, the script counts as one that was not read to its end. */
export class Budget {
  #left = MOST;
  #over = false;

  /** False where there is not enough left. */
  take(cost: number): boolean {
    if (cost > this.#left) this.exceed();
    else this.#left -= cost;
    return !this.#over;
  }

  /** Something was left out. */
  exceed(): void {
    this.#over = true;
  }

  get left(): number {
    return this.#over ? 0 : this.#left;
  }

  get spent(): number {
    return MOST - this.#left;
  }

  get over(): boolean {
    return this.#over;
  }
}
