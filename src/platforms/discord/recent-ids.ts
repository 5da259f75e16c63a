/** The newest ids of some kind; older ones are forgotten. */
export class RecentIds {
  readonly #most: number;
  readonly #ids = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False: it was there already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const oldest = this.#ids.values().next().value;
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}
