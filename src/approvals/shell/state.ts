import { isDeepStrictEqual } from 'node:util';
import type { Attribute } from './attributes.ts';
import { changed, referenceTo } from './attributes.ts';
import type { Field } from './field.ts';
import { Ledger, type Page } from './ledger.ts';
import { isKnown, UNKNOWN } from './marks.ts';
import type { FunctionNode } from './parse.ts';
import type { Source } from './source.ts';

/** One possible value of a variable; `text` may hold marks. */
export interface Piece {
  readonly text: string;
  readonly taint: number;
  /** The name of a file that this text has just made: see fresh-names.ts. */
  readonly fresh?: true;
}

export interface ShellFunction {
  readonly node: FunctionNode;
  readonly locate: Locate;
}

/** From offsets in the text being walked to a span of the judged text. */
export type Locate = (pos: number, end: number) => readonly [number, number];

/** What a number above 2 was opened for: what reading it brings, where writing to it goes. */
export interface Descriptor {
  readonly source?: Source;
  readonly target?: Field;
}

/** Of more values than this the rest counts as any text. */
const MAX_VALUES = 16;
const ANYTHING: Piece = { text: UNKNOWN, taint: 0 };
const MAX_DESCRIPTORS = 32;
const MAX_READ = 40_000;
const NO_DESCRIPTORS: ReadonlyMap<number, Descriptor> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_ATTRIBUTES: ReadonlyMap<string, Attribute> = new Map();
/** References of references are followed this far. */
const MAX_REFERENCES = 4;

/** How many characters of files of this text may still be read, by all copies of the shell together. */
interface Reading {
  left: number;
}

/** What rules may ask of the shell that a call was made in, as it was at that moment. */
export interface Standing {
  /** Folders it may be in; null: unknown; below an unknown one they begin with its mark. */
  readonly cwds: readonly (string | null)[];
  /** The folder, where there is only one it can be. */
  readonly cwd: string | null;
  /** By number: those above 2, and 0 once `exec` gave the shell itself another input. */
  readonly descriptors: ReadonlyMap<number, Descriptor>;
  /** What this text wrote, by absolute path. */
  readonly files: Page<Source>;
  /** Folders that this text filled from a network. */
  readonly fetchedTrees: Page<true>;
  /** Those of them that came as an archive. */
  readonly unpackedTrees: Page<true>;
  /** Variables that hold the name of a file nobody had before (fresh-names.ts). */
  readonly fresh: ReadonlySet<string>;
  /** What its traps say is judged once more at the end. */
  readonly keepsTraps: boolean;
  readonly reading: Reading;
}

/** What is known of a shell at one point of the text. Files are shared by all its copies, everything else is its own. */
export class ShellState implements Standing {
  #vars: Map<string, readonly Piece[]>;
  #functions: Map<string, ShellFunction>;
  #aliases: Map<string, string>;
  #attributes: ReadonlyMap<string, Attribute>;
  /** Its maps are also another copy's: the first change makes its own. */
  #shared: boolean;
  cwds: readonly (string | null)[];
  oldCwds: readonly (string | null)[];
  /** Folders left behind by pushd. */
  stack: readonly (readonly (string | null)[])[];
  /** Positional parameters, or null where they are unknown. */
  args: readonly Piece[] | null;
  descriptors: ReadonlyMap<number, Descriptor>;
  readonly files: Ledger<Source>;
  /** The last parts of those paths. */
  readonly fileNames: Set<string>;
  /** Files this text made executable. */
  readonly executable: Set<string>;
  readonly fetchedTrees: Ledger<true>;
  readonly unpackedTrees: Ledger<true>;
  fresh: ReadonlySet<string>;
  readonly reading: Reading;
  /** What the shell itself runs when it ends, to be judged with what it knows by then; subshells are not followed. */
  readonly traps: ((state: ShellState) => void)[] | null;
  #standing: Standing | undefined;

  constructor(cwd: string | null, from?: ShellState, apart = false) {
    this.cwds = from?.cwds ?? [cwd];
    this.oldCwds = from?.oldCwds ?? [null];
    this.stack = from?.stack ?? [];
    this.args = from ? from.args : [];
    this.descriptors = from?.descriptors ?? NO_DESCRIPTORS;
    this.files = (!apart && from?.files) || new Ledger(from?.files);
    this.fileNames = (!apart && from?.fileNames) || new Set(from?.fileNames);
    this.executable = (!apart && from?.executable) || new Set(from?.executable);
    this.fetchedTrees = (!apart && from?.fetchedTrees) || new Ledger(from?.fetchedTrees);
    this.unpackedTrees = (!apart && from?.unpackedTrees) || new Ledger(from?.unpackedTrees);
    this.fresh = from?.fresh ?? NO_NAMES;
    this.reading = from?.reading ?? { left: MAX_READ };
    this.traps = from ? (apart && from.traps ? [...from.traps] : null) : [];
    this.#vars = from ? from.#vars : new Map();
    this.#functions = from ? from.#functions : new Map();
    this.#aliases = from ? from.#aliases : new Map();
    this.#attributes = from ? from.#attributes : NO_ATTRIBUTES;
    this.#shared = from !== undefined;
    if (from) from.#shared = true;
  }

  /** A subshell: changes in it stay in it. */
  fork(): ShellState {
    return new ShellState(null, this);
  }

  /** The same shell once more, with files of its own. */
  copy(): ShellState {
    return new ShellState(null, this, true);
  }

  /** Whether nothing tells the two apart; of functions and aliases only those count that both were given before they parted. */
  equals(other: ShellState): boolean {
    if (this.#functions !== other.#functions && this.#functions.size + other.#functions.size > 0) return false;
    return isDeepStrictEqual(this.#known(), other.#known());
  }

  #known(): readonly unknown[] {
    const { cwds, oldCwds, stack, args, descriptors, files, executable, fetchedTrees, unpackedTrees, traps } = this;
    const own = [this.#vars, this.#aliases, this.#attributes, cwds, oldCwds, stack, args, descriptors, traps];
    return [
      ...own,
      executable,
      ...[files, fetchedTrees, unpackedTrees].map((ledger) => new Map<string, unknown>(ledger)),
    ];
  }

  /** Another process: it keeps folder and exported values, not functions and aliases. */
  spawn(): ShellState {
    const copy = this.fork();
    copy.#functions = new Map();
    copy.#aliases = new Map();
    copy.#attributes = NO_ATTRIBUTES;
    return copy;
  }

  /** After branches of which any may have run: values and folders of all of them. */
  merge(branches: readonly ShellState[]): void {
    for (const branch of branches) {
      this.cwds = union(this.cwds, branch.cwds, null);
      if (branch.descriptors !== this.descriptors)
        this.descriptors = new Map([...this.descriptors, ...branch.descriptors]);
      if (branch.fresh !== this.fresh) this.fresh = new Set([...this.fresh].filter((name) => branch.fresh.has(name)));
      if (branch.#attributes !== this.#attributes)
        this.#attributes = new Map([...this.#attributes, ...branch.#attributes]);
      if (branch.#vars !== this.#vars) {
        for (const [name, values] of branch.#vars) {
          const mine = this.#vars.get(name);
          if (mine !== values) this.setVar(name, mine ? unionPieces(mine, values) : values);
        }
      }
      for (const [name, fn] of branch.#functions) if (!this.#functions.has(name)) this.setFunction(name, fn);
      for (const [name, text] of branch.#aliases) if (!this.#aliases.has(name)) this.setAlias(name, text);
    }
  }

  variable(name: string): readonly Piece[] | undefined {
    return this.#vars.get(this.#attributes.size === 0 ? name : this.#meant(name));
  }

  setVar(name: string, values: readonly Piece[]): void {
    this.#own();
    const few = values.length > MAX_VALUES ? [...values.slice(0, MAX_VALUES - 1), ANYTHING] : values;
    if (this.#attributes.size === 0) this.#put(name, few);
    else this.#setMeant(this.#meant(name), few);
  }

  #put(name: string, values: readonly Piece[]): void {
    this.#vars.set(name, values);
    this.#setFresh(name, values.length === 1 && values[0]?.fresh === true);
  }

  #setFresh(name: string, fresh: boolean): void {
    if (fresh === this.fresh.has(name)) return;
    this.fresh = new Set(fresh ? [...this.fresh, name] : [...this.fresh].filter((one) => one !== name));
  }

  /** Attributes hold for what is assigned from here on; undefined takes them away. */
  setAttribute(name: string, attribute: Attribute | undefined): void {
    const all = new Map(this.#attributes);
    if (attribute) all.set(name, attribute);
    else all.delete(name);
    this.#attributes = all;
    if (attribute?.kind === 'ref') this.#setFresh(name, false);
  }

  /** The name itself, or the one it is a reference to. */
  #meant(name: string): string {
    let meant = name;
    for (let i = 0; i < MAX_REFERENCES; i++) {
      const attribute = this.#attributes.get(meant);
      if (attribute?.kind !== 'ref' || attribute.to === undefined) return meant;
      meant = attribute.to;
    }
    return meant;
  }

  #setMeant(name: string, values: readonly Piece[]): void {
    const attribute = this.#attributes.get(name);
    if (attribute?.kind === 'ref') this.setAttribute(name, referenceTo(values[0]?.text ?? ''));
    this.#put(name, attribute ? values.map(({ text, taint }) => ({ text: changed(text, attribute), taint })) : values);
  }

  unsetVar(name: string): void {
    this.setVar(name, [{ text: '', taint: 0 }]);
  }

  get functions(): ReadonlyMap<string, ShellFunction> {
    return this.#functions;
  }

  setFunction(name: string, fn: ShellFunction): void {
    this.#own();
    this.#functions.set(name, fn);
  }

  get hasAliases(): boolean {
    return this.#aliases.size > 0;
  }

  alias(name: string): string | undefined {
    return this.#aliases.get(name);
  }

  setAlias(name: string, text: string): void {
    this.#own();
    this.#aliases.set(name, text);
  }

  /** For good as it is now. */
  standing(): Standing {
    const { cwds, cwd, descriptors, fresh, keepsTraps, reading } = this;
    const files = this.files.page();
    const fetchedTrees = this.fetchedTrees.page();
    const unpackedTrees = this.unpackedTrees.page();
    const last = this.#standing;
    const same =
      last?.cwds === cwds && last.descriptors === descriptors && last.files === files && last.fresh === fresh;
    if (same && last.fetchedTrees === fetchedTrees && last.unpackedTrees === unpackedTrees) return last;
    this.#standing = { cwds, cwd, descriptors, files, fetchedTrees, unpackedTrees, fresh, keepsTraps, reading };
    return this.#standing;
  }

  get keepsTraps(): boolean {
    return this.traps !== null;
  }

  get cwd(): string | null {
    const [only] = this.cwds;
    return this.cwds.length === 1 && only && isKnown(only) ? only : null;
  }

  /** Past the limit it is one of which nothing is known. */
  open(fd: number, as: Descriptor): void {
    if (this.descriptors.size < MAX_DESCRIPTORS || this.descriptors.has(fd))
      this.descriptors = new Map(this.descriptors).set(fd, as);
  }

  setFile(path: string, source: Source): void {
    this.files.set(path, source);
    this.fileNames.add(path.slice(path.lastIndexOf('/') + 1));
  }

  /** It may as well be in one of these folders. */
  mayBeIn(cwds: readonly (string | null)[]): void {
    this.cwds = union(this.cwds, cwds, null);
  }

  changeDir(to: readonly (string | null)[]): void {
    this.oldCwds = this.cwds;
    this.cwds = to;
  }

  #own(): void {
    if (!this.#shared) return;
    this.#vars = new Map(this.#vars);
    this.#functions = new Map(this.#functions);
    this.#aliases = new Map(this.#aliases);
    this.#shared = false;
  }
}

const MAX_FOLDERS = 4;

function union<T>(a: readonly T[], b: readonly T[], unknown: T): readonly T[] {
  if (a === b || b.every((value) => a.includes(value))) return a;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_FOLDERS ? [...all.slice(0, MAX_FOLDERS - 1), unknown] : all;
}

function unionPieces(a: readonly Piece[], b: readonly Piece[]): readonly Piece[] {
  const all = [...a];
  for (const piece of b) if (!all.some((one) => isSame(one, piece))) all.push(piece);
  return all;
}

function isSame(a: Piece, b: Piece): boolean {
  return a.text === b.text && a.taint === b.taint && a.fresh === b.fresh;
}
