import type { Facts, KnownWord, Wrapper } from '../analysis.ts';
import type { Field, Span } from './field.ts';
import { knownText } from './field.ts';
import type { Options, ParseStyle } from './options.ts';
import { parseOptions } from './options.ts';
import type { Path } from './paths.ts';
import { isWithin, resolvePath, splitPath } from './paths.ts';
import type { Source } from './source.ts';
import type { Locate, ShellState, Standing } from './state.ts';

/** A file opened by a redirection. */
export interface FileUse {
  readonly use: 'read' | 'write' | 'append';
  readonly target: Field;
  readonly fd: number | null;
}

/** A container a command runs in. */
export interface Container {
  /** Whether a mount maps a protected root of the host. */
  readonly mapped: boolean;
  readonly mounts: readonly Mount[];
}

/** A folder of the host and where a container sees it. */
export interface Mount {
  readonly host: string;
  readonly inside: string;
}

/** Where a command stands: inside which wrappers, on which machine. */
export interface Frame {
  readonly wrappers: readonly Wrapper[];
  /** Null: on the host. */
  readonly container: Container | null;
  readonly remote: boolean;
  /** find or fd runs it on what they find. */
  readonly found: boolean;
  /** What it prints is used: by a pipe, a substitution, a file. */
  readonly captured: boolean;
  /** Code of another language starts it. */
  readonly scripted: boolean;
  /** Words of a list are appended when it runs (xargs, parallel). */
  readonly appended: boolean;
  readonly depth: number;
  /** Functions being walked, against recursion. */
  readonly calls: readonly string[];
  /** Spans of everything inside, where the text is not part of the judged one. */
  readonly locate: Locate;
}

/** One simple command with its words expanded, as rules see it. */
export interface Call {
  /** Canonical name: basename without version and platform prefix. */
  readonly program: string;
  readonly argv0: Field;
  readonly args: readonly Field[];
  readonly assignments: readonly (readonly [name: string, value: KnownWord])[];
  readonly files: readonly FileUse[];
  readonly stdin: Source;
  /** Its output goes to another command. */
  readonly piped: boolean;
  readonly state: Standing;
  readonly frame: Frame;
  readonly facts: Facts;
  readonly span: Span;
  /** What follows from its words alone. */
  readonly memo: Memo;
  /** What follows from its words and its shell. */
  readonly found: Memo;
}

/** A call as the walk meets it, whose shell goes on and changes. */
export interface LiveCall extends Call {
  readonly state: ShellState;
}

/**
 * What was worked out about a call, as several rules ask the same. It holds for the words and files it was made for: a copy of
 * the call with other words must not be answered from it.
 */
export class Memo {
  readonly args: readonly Field[];
  readonly files: readonly FileUse[];
  /** Most calls are asked a few things: keys, each with its answer behind it, are found sooner one by one. The rest is in the map. */
  #few: unknown[] | undefined;
  #more: Map<unknown, unknown> | undefined;

  constructor(args: readonly Field[], files: readonly FileUse[]) {
    this.args = args;
    this.files = files;
  }

  get(key: unknown): unknown {
    const few = this.#few;
    if (!few) return undefined;
    for (let i = 0; i < few.length; i += 2) if (few[i] === key) return few[i + 1];
    return this.#more?.get(key);
  }

  set(key: unknown, answer: unknown): void {
    if (!this.#few) this.#few = [key, answer];
    else if (this.#few.length < FEW) this.#few.push(key, answer);
    else {
      this.#more ??= new Map();
      this.#more.set(key, answer);
    }
  }
}

const FEW = 24;

/** All of a call but its words. */
export type CallBase = Omit<LiveCall, 'program' | 'argv0' | 'args' | 'memo' | 'found'>;

/** Every call has the same shape, which is what makes reading its parts quick. */
export function newCall(base: CallBase, program: string, argv0: Field, args: readonly Field[]): LiveCall {
  const { assignments, files, stdin, piped, state, frame, facts, span } = base;
  const memo = new Memo(args, files);
  const found = new Memo(args, files);
  return { program, argv0, args, assignments, files, stdin, piped, state, frame, facts, span, memo, found };
}

/** The call for good as it is now, for those who look at it later. */
export function atThisMoment(call: LiveCall): Call {
  const { program, argv0, args, assignments, files, stdin, piped, frame, facts, span, memo } = call;
  const state = call.state.standing();
  const found = new Memo(args, files);
  return { program, argv0, args, assignments, files, stdin, piped, state, frame, facts, span, memo, found };
}

/** The answer kept under `key`, or the one just worked out. */
export function remember<T>(call: Call, key: unknown, work: () => T): T {
  const { found } = call;
  if (found.args !== call.args || found.files !== call.files) return work();
  const before = found.get(key);
  if (before !== undefined) return before as T;
  const answer = work();
  found.set(key, answer);
  return answer;
}

/** The call's options, read by a grammar (options.ts). */
export function optionsOf(call: Call, grammar: string, style?: ParseStyle): Options {
  const { memo, args } = call;
  if (memo.args !== args) return parseOptions(args, grammar, style);
  const key = style ? styledKey(grammar, style) : grammar;
  const before = memo.get(key);
  if (before !== undefined) return before as Options;
  const found = parseOptions(args, grammar, style);
  memo.set(key, found);
  return found;
}

/** One object for each grammar and style, as a text of both would be put together at every look. */
function styledKey(grammar: string, style: ParseStyle): object {
  const keys = STYLED[(style.stop ? 1 : 0) + (style.singleDash ? 2 : 0)] as Map<string, object>;
  const before = keys.get(grammar);
  if (before) return before;
  const key = {};
  keys.set(grammar, key);
  return key;
}

const STYLED: readonly Map<string, object>[] = [new Map(), new Map(), new Map(), new Map()];

/** Every place a word could name, one for each folder the command could run in. */
export function pathsOf(call: Call, field: Field): readonly Path[] {
  const { cwds } = call.state;
  const before = call.memo.get(field) as Places | undefined;
  if (before?.cwds === cwds) return before.paths;
  const paths = placesOf(call, field);
  if (!before) call.memo.set(field, { cwds, paths });
  return paths;
}

interface Places {
  readonly cwds: readonly (string | null)[];
  readonly paths: readonly Path[];
}

function placesOf(call: Call, field: Field): readonly Path[] {
  const { cwds } = call.state;
  const paths = isAnywhere(field.text)
    ? [resolvePath(field.text, null)]
    : cwds.map((cwd) => resolvePath(field.text, cwd));
  const mounts = call.frame.container?.mounts ?? [];
  return mounts.length === 0 ? paths : [...paths, ...paths.flatMap((path) => throughMounts(path, mounts))];
}

/** Names the same place whatever folder the command runs in; `/proc/self/cwd` does not. */
function isAnywhere(text: string): boolean {
  return text.startsWith('/') && !text.startsWith('/proc/');
}

/** What a path in a container is on the host. */
function throughMounts(path: Path, mounts: readonly Mount[]): readonly Path[] {
  return mounts.flatMap(({ host, inside }) => {
    const depth = splitPath(inside).length;
    if (!isWithin(path, inside)) return [];
    return [resolvePath([host, ...path.parts.slice(depth)].join('/'), null)];
  });
}

/** Known argument texts; unknown ones are left out. */
export function knownArgs(call: Call): readonly string[] {
  const out: string[] = [];
  for (const arg of call.args) {
    const text = knownText(arg);
    if (text !== null) out.push(text);
  }
  return out;
}

/** Whether one of the exact texts is among the arguments, before any `--`. */
export function hasArg(call: Call, ...texts: readonly string[]): boolean {
  for (const arg of call.args) {
    if (arg.text === '--') return false;
    if (texts.includes(arg.text)) return true;
  }
  return false;
}
