import type { Effect, Place, Sink } from './effects.ts';
import type { Lexicon, Token } from './tokens.ts';
import type { Value } from './values.ts';

/** What a scan knows of a language. */
export interface Language {
  readonly name: string;
  readonly lexicon: Lexicon;
  /** Functions by full name (`os.system`) and methods on anything (`*.unlink`). */
  readonly effects: Readonly<Record<string, Effect>>;
  /** Modules by the name they are imported under, and names that stand for other names. */
  readonly modules: Readonly<Record<string, string>>;
  /** Import statements and other forms of its own; returns whether it took the statement. */
  readonly statement?: (scan: Reading) => boolean;
  /** Operators that join texts. */
  readonly joins: readonly string[];
  /** Words that are skipped where an expression may begin. */
  readonly skipped: RegExp;
  /** Calls without parentheses. */
  readonly bareCalls?: boolean;
  /** `'%s' % x` puts x into the text. */
  readonly percentFills?: boolean;
  /** `[f(x) for x in list]`. */
  readonly comprehends?: boolean;
  /** `a, b = x, y` gives each name its own value: which, is not followed. */
  readonly givesSeveral?: boolean;
  /** Functions that list files, as far as comprehensions know them beforehand. */
  readonly listings?: RegExp;
  /** Two strings side by side are one. */
  readonly adjacent?: boolean;
  /** Names whose members may not be computed: `fs[x]()`. */
  readonly sensitive: RegExp;
  /** A text is called as the function of that name; functions whose results are texts. */
  readonly callsTexts?: RegExp;
  /** Tables of names of which even a constant one is judged: `f.__globals__['x']`. */
  readonly tables?: RegExp;
  /** The name a thing is known by, where it is reached through another module: `shutil.os` is `os`. */
  readonly sameAs?: (name: string, imported: ReadonlySet<string>) => string;
  /** Modules that delete or start programs. */
  readonly power?: Power;
  /** Tables whose fields stand in braces: `$ENV{HOME}`. */
  readonly braced?: string;
  /** Loops without end, against forks in them. */
  readonly endless: RegExp;
}

/** Modules that nobody may hand on to where they are not followed. */
export interface Power {
  readonly modules: RegExp;
  /** A name counts only once it was imported: there are variables of that name as well. */
  readonly byImport: boolean;
  /** Functions that only look at what they are given. */
  readonly lookers: RegExp;
  /** Words behind which a value alone is given on, `return os`. */
  readonly givers: RegExp;
  /** `a, b = x, y`. */
  readonly tuples: boolean;
}

/** A script as far as it was read: what a language's own forms and the parts of a scan read it by. */
export interface Reading {
  readonly language: Language;
  readonly sink: Sink;
  /** What names stand for. */
  readonly names: Map<string, Value>;
  /** Modules all of whose names were imported. */
  readonly starred: Set<string>;
  /** Modules that were imported, by their own names. */
  readonly imported: Set<string>;
  /** The value of the statement before. */
  readonly last: Value;
  /** The place of the token that is read next. */
  readonly at: number;
  readonly ended: boolean;
  peek(ahead?: number): Token | undefined;
  take(): Token | undefined;
  is(text: string, ahead?: number): boolean;
  skip(tokens: number): void;
  accept(text: string): boolean;
  skipLines(): void;
  /** Whether that token stands right behind the one that was read last. */
  touches(token: Token): boolean;
  opensWith(token: Token, char: string): boolean;
  /** From a token to the one that was read last. */
  placeFrom(from: number): Place;
  /** Reads an expression; a risky function that is only named, not called, counts as a use of it. */
  expression(judgeNames: boolean): Value;
  /** Items up to a closing bracket: one is itself, several are a list. */
  items(close: string): Value;
  /** The value of a string that was taken. */
  string(token: Token): Value;
  /** Names of comprehensions that begin here are known before they are read. */
  foresee(): void;
  noteFork(at: Place): void;
}
