/** What is known under each name, in the order in which the names came up. */
export interface Page<T> extends Iterable<readonly [name: string, value: T]> {
  readonly size: number;
  get(name: string): T | undefined;
  has(name: string): boolean;
  keys(): Iterable<string>;
}

interface Note<T> {
  readonly value: T;
  /** How many notes there were with this one. */
  readonly at: number;
}

/** Notes by name, to which notes are only added; a page of it shows for good what stood there when it was taken. */
export class Ledger<T> implements Page<T> {
  /** All that was noted under a name, in order. */
  readonly #notes = new Map<string, Note<T>[]>();
  #count = 0;
  #page: Page<T> | undefined;

  /** Begins with what another one knows now. */
  constructor(from: Page<T> | undefined) {
    for (const [name, value] of from ?? []) this.set(name, value);
  }

  set(name: string, value: T): void {
    this.#count++;
    const note = { value, at: this.#count };
    const notes = this.#notes.get(name);
    if (notes) notes.push(note);
    else this.#notes.set(name, [note]);
    this.#page = undefined;
  }

  get size(): number {
    return this.#notes.size;
  }

  get(name: string): T | undefined {
    return this.#notes.get(name)?.at(-1)?.value;
  }

  has(name: string): boolean {
    return this.#notes.has(name);
  }

  keys(): Iterable<string> {
    return this.#notes.keys();
  }

  [Symbol.iterator](): Iterator<readonly [string, T]> {
    return this.page()[Symbol.iterator]();
  }

  /** The same one until something is noted. */
  page(): Page<T> {
    this.#page ??= pageOf(this.#notes, this.#count);
    return this.#page;
  }
}

function pageOf<T>(all: ReadonlyMap<string, readonly Note<T>[]>, until: number): Page<T> {
  const { size } = all;
  const noteOf = (name: string) => lastUntil(all.get(name) ?? [], until);
  /** Names keep the place of their first note: those of this moment are the first ones. */
  function* keys(): Generator<string> {
    let left = size;
    for (const name of all.keys())
      if (left-- > 0) yield name;
      else return;
  }
  return {
    size,
    get: (name) => noteOf(name)?.value,
    has: (name) => noteOf(name) !== undefined,
    keys,
    *[Symbol.iterator]() {
      for (const name of keys()) yield [name, (noteOf(name) as Note<T>).value] as const;
    },
  };
}

/** The last note up to then: one name may have thousands. */
function lastUntil<T>(notes: readonly Note<T>[], until: number): Note<T> | undefined {
  let from = 0;
  let to = notes.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((notes[middle] as Note<T>).at <= until) from = middle + 1;
    else to = middle;
  }
  return notes[from - 1];
}
