/** What is known under each name, in the order in which the names came up. */
export interface Page<T> extends Iterable<readonly [name: string, value: T]> {
  readonly size: number;
  get(name: string): T | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
}

interface Entry<T> {
  readonly value: T;
  /** The number of the note. */
  readonly at: number;
  readonly before: Entry<T> | undefined;
}

/** Notes by name, to which notes are only added; a page of it shows for good what stood there when it was taken. */
export class Ledger<T> implements Page<T> {
  readonly #entries = new Map<string, Entry<T>>();
  #notes = 0;
  #page: Page<T> | undefined;

  /** Begins with what another one knows now. */
  constructor(from: Page<T> | undefined) {
    for (const [name, value] of from ?? []) this.set(name, value);
  }

  set(name: string, value: T): void {
    this.#notes++;
    this.#entries.set(name, { value, at: this.#notes, before: this.#entries.get(name) });
    this.#page = undefined;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.value;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  *[Symbol.iterator](): Iterator<readonly [string, T]> {
    for (const [name, { value }] of this.#entries) yield [name, value];
  }

  /** The same one until something is noted. */
  page(): Page<T> {
    this.#page ??= pageOf(this.#entries, this.#notes);
    return this.#page;
  }
}

function pageOf<T>(entries: ReadonlyMap<string, Entry<T>>, until: number): Page<T> {
  const { size } = entries;
  const entryOf = (name: string) => {
    let entry = entries.get(name);
    while (entry && entry.at > until) entry = entry.before;
    return entry;
  };
  /** Names keep the place of their first note: those of this moment are the first ones. */
  function* keys(): Generator<string> {
    let left = size;
    for (const name of entries.keys())
      if (left-- > 0) yield name;
      else return;
  }
  return {
    size,
    get: (name) => entryOf(name)?.value,
    has: (name) => entryOf(name) !== undefined,
    keys,
    *[Symbol.iterator]() {
      for (const name of keys()) yield [name, (entryOf(name) as Entry<T>).value] as const;
    },
  };
}
