import { UNKNOWN } from '../shell/marks.ts';

/** One token of a script. `text` is the value of a string (with marks where something is put in), else the source text. */
export interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'op' | 'regex' | 'command' | 'newline';
  readonly text: string;
  readonly pos: number;
  readonly end: number;
  /** Code that stands inside a string or a replacement. */
  readonly inner?: readonly InnerCode[];
  /** A regular expression's or quote operator's flags. */
  readonly flags?: string;
}

/** Code, and where in the token's text its mark stands; -1 where its value is not put in as it is. */
export interface InnerCode {
  readonly code: string;
  readonly at: number;
}

/** How a language writes comments and strings. */
export interface Lexicon {
  readonly line: readonly string[];
  readonly block?: readonly (readonly [open: string, close: string])[];
  /** Quote characters; backtick means a command in `command` languages, a template elsewhere. */
  readonly quotes: string;
  /** Backticks run a command. */
  readonly backtickRuns?: boolean;
  readonly triple?: boolean;
  /** Opening of code inside a double-quoted string or template, with its closing. */
  readonly interpolation?: { readonly open: string; readonly close: string; readonly in: string };
  /** `"$x"`: names with a sigil inside double quotes. */
  readonly sigilInterpolation?: boolean;
  /** Characters that may begin and continue a name beside letters. */
  readonly nameStart: RegExp;
  readonly namePart: RegExp;
  /** A backslash before an ordinary letter stays. */
  readonly keepsBackslash?: boolean;
  /** Line ends end statements. */
  readonly newlines?: boolean;
  readonly regex?: boolean;
  /** Where a here-document may begin: its second group is the closing word, its first the quote. */
  readonly heredoc?: RegExp;
  /** `q{}`, `%w[]` and kin, tried before names; returns a token or null. */
  readonly special?: (source: string, at: number, before: Token | undefined) => Token | null;
}

export class Unreadable extends Error {}

const MAX_TOKENS = 40_000;

/** Splits a script into tokens; throws `Unreadable` where a string or comment never ends. */
export function tokenize(source: string, lexicon: Lexicon): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  let skip: Skip | undefined;
  while (at < source.length) {
    if (tokens.length > MAX_TOKENS) throw new Unreadable();
    const char = source[at] as string;
    if (char === '\n') {
      if (skip?.from === at) {
        at = skip.to;
        skip = undefined;
      }
      if (lexicon.newlines && depth <= 0 && tokens.at(-1)?.kind !== 'newline')
        tokens.push({ kind: 'newline', text: '\n', pos: at, end: at + 1 });
      at++;
      continue;
    }
    if (/\s/.test(char) || (char === '\\' && source[at + 1] === '\n')) {
      at += char === '\\' ? 2 : 1;
      continue;
    }
    const here = lexicon.heredoc ? readHeredoc(source, at, lexicon, skip?.to) : null;
    if (here) {
      tokens.push(here.token);
      at = here.token.end;
      skip = here.skip;
      continue;
    }
    const skipped = skipComment(source, at, lexicon);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const token = next(source, at, lexicon, tokens.at(-1));
    if (token.kind === 'op') depth += nesting(token.text, lexicon);
    tokens.push(token);
    at = Math.max(token.end, at + 1);
  }
  return tokens;
}

/** The lines of a here-document, which the line it begins on goes before. */
interface Skip {
  /** The end of that line. */
  readonly from: number;
  readonly to: number;
}

/** `<<EOT` as a string token, and the lines that are its body. A further one on the same line begins where the last ended. */
function readHeredoc(
  source: string,
  at: number,
  lexicon: Lexicon,
  after: number | undefined,
): { readonly token: Token; readonly skip: Skip } | null {
  const match = source.startsWith('<<', at) ? lexicon.heredoc?.exec(source.slice(at, at + 80)) : null;
  const line = source.indexOf('\n', at);
  if (!match || line < 0) return null;
  const begin = after ?? line;
  const closing = new RegExp(`\\n[ \\t]*${match[2]}(?!\\w)`).exec(source.slice(begin));
  if (!closing) throw new Unreadable();
  const body = source.slice(begin + 1, begin + closing.index + 1);
  const raw = match[1] === "'";
  const style = { escapes: true, interpolation: lexicon.interpolation, sigils: lexicon.sigilInterpolation === true };
  const read = raw ? { text: body, inner: [] } : readQuoted(`${body}\0`, 0, '\0', style);
  const token = { kind: 'string' as const, text: read.text, pos: at, end: at + match[0].length };
  const skip = { from: line, to: begin + closing.index + closing[0].length };
  return { token: read.inner.length > 0 ? { ...token, inner: read.inner } : token, skip };
}

/** Inside brackets a line end means nothing; where braces hold statements it does there. */
function nesting(text: string, lexicon: Lexicon): number {
  if (text === '(' || text === '[' || (text === '{' && lexicon.triple)) return 1;
  return text === ')' || text === ']' || (text === '}' && lexicon.triple) ? -1 : 0;
}

function skipComment(source: string, at: number, lexicon: Lexicon): number {
  for (const [open, close] of lexicon.block ?? []) {
    if (!source.startsWith(open, at)) continue;
    const end = source.indexOf(close, at + open.length);
    if (end < 0) throw new Unreadable();
    return end + close.length;
  }
  for (const start of lexicon.line) {
    if (!source.startsWith(start, at)) continue;
    const end = source.indexOf('\n', at);
    return end < 0 ? source.length : end;
  }
  return at;
}

function next(source: string, at: number, lexicon: Lexicon, before: Token | undefined): Token {
  const special = lexicon.special?.(source, at, before);
  if (special) return special;
  const char = source[at] as string;
  if (lexicon.quotes.includes(char)) return quoted(source, at, lexicon, '');
  if (lexicon.nameStart.test(char)) return name(source, at, lexicon);
  if (/\d/.test(char)) return number(source, at);
  if (char === '/' && lexicon.regex && startsRegex(before)) return regex(source, at);
  for (const long of OPERATORS)
    if (source.startsWith(long, at)) return { kind: 'op', text: long, pos: at, end: at + long.length };
  return { kind: 'op', text: char, pos: at, end: at + 1 };
}

const OPERATORS = [
  '===',
  '!==',
  '**=',
  '...',
  '<<=',
  '>>=',
  '=>',
  '->',
  '::',
  '?.',
  '==',
  '!=',
  '<=',
  '>=',
  '+=',
  '-=',
  '*=',
  '/=',
  '.=',
  '..',
  '||',
  '&&',
  '??',
  '++',
  '--',
  '<<',
  '>>',
  '|&',
  ':=',
  '=~',
  '!~',
];

function name(source: string, at: number, lexicon: Lexicon): Token {
  let end = at + 1;
  while (end < source.length && lexicon.namePart.test(source[end] as string)) end++;
  const text = source.slice(at, end);
  const quote = source[end];
  if (quote !== undefined && lexicon.triple && /^[rbuf]{1,2}$/i.test(text) && (quote === '"' || quote === "'")) {
    const string = quoted(source, end, lexicon, text.toLowerCase());
    return { ...string, pos: at };
  }
  return { kind: 'name', text, pos: at, end };
}

function number(source: string, at: number): Token {
  let end = at + 1;
  while (
    end < source.length &&
    /[\w.]/.test(source[end] as string) &&
    !(source[end] === '.' && !/\d/.test(source[end + 1] ?? ''))
  )
    end++;
  return { kind: 'number', text: source.slice(at, end), pos: at, end };
}

/** A slash begins a regular expression where no value came before it. */
function startsRegex(before: Token | undefined): boolean {
  if (!before || before.kind === 'newline') return true;
  if (before.kind === 'name')
    return /^(?:return|typeof|case|in|of|delete|void|and|or|not|if|unless|while|until|when|then|do|else|split|grep|map|join|match)$/.test(
      before.text,
    );
  return before.kind === 'op' && !/^[)\]}]$/.test(before.text);
}

function regex(source: string, at: number): Token {
  let inClass = false;
  for (let i = at + 1; i < source.length; i++) {
    const char = source[i];
    if (char === '\n') break;
    if (char === '\\') i++;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) {
      let end = i + 1;
      while (/[a-z]/i.test(source[end] ?? '')) end++;
      return { kind: 'regex', text: source.slice(at + 1, i), pos: at, end, flags: source.slice(i + 1, end) };
    }
  }
  return { kind: 'op', text: '/', pos: at, end: at + 1 };
}

function quoted(source: string, at: number, lexicon: Lexicon, prefix: string): Token {
  const quote = source[at] as string;
  const triple = lexicon.triple && source.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
  const body = readQuoted(source, at + triple.length, triple, {
    raw: prefix.includes('r'),
    escapes: quote !== "'" || lexicon.triple === true || lexicon.regex === true,
    interpolation: interpolationOf(lexicon, quote, prefix),
    sigils: lexicon.sigilInterpolation === true && quote !== "'",
    keep: lexicon.keepsBackslash === true,
  });
  const kind = quote === '`' && lexicon.backtickRuns ? 'command' : 'string';
  return { kind, text: body.text, pos: at, end: body.end, ...(body.inner.length > 0 ? { inner: body.inner } : {}) };
}

function interpolationOf(lexicon: Lexicon, quote: string, prefix: string) {
  const found = lexicon.interpolation;
  if (!found) return undefined;
  return found.in.includes(quote) && (!lexicon.triple || prefix.includes('f')) ? found : undefined;
}

export interface QuoteStyle {
  readonly raw?: boolean;
  readonly escapes?: boolean;
  readonly interpolation?: { readonly open: string; readonly close: string } | undefined;
  readonly sigils?: boolean;
  readonly keep?: boolean;
  /** The opening delimiter, where pairs nest: `q{a{b}c}`. */
  readonly nests?: string;
}

export interface Body {
  readonly text: string;
  readonly end: number;
  readonly inner: readonly InnerCode[];
}

/** The value of a string that begins behind its opening and ends at `close`. */
export function readQuoted(source: string, from: number, close: string, style: QuoteStyle): Body {
  let text = '';
  let depth = 0;
  const inner: InnerCode[] = [];
  for (let i = from; i < source.length; i++) {
    const char = source[i] as string;
    if (char === '\\' && !style.raw) {
      const [value, length] = style.escapes
        ? readEscape(source, i, style.keep === true)
        : plainEscape(source, i, close);
      text += value;
      i += length - 1;
    } else if (depth === 0 && source.startsWith(close, i)) return { text, end: i + close.length, inner };
    else if (style.interpolation && source.startsWith(style.interpolation.open, i)) {
      if (style.interpolation.open === '{' && source[i + 1] === '{') {
        text += '{';
        i++;
        continue;
      }
      const end = matching(source, i + style.interpolation.open.length, style.interpolation.close);
      // In PHP's `{$x}` the sigil is part of the code.
      const from = i + style.interpolation.open.length - (style.interpolation.open.endsWith('$') ? 1 : 0);
      inner.push({ code: source.slice(from, end), at: text.length });
      text += UNKNOWN;
      i = end;
    } else if (
      style.sigils &&
      (char === '$' || char === '@') &&
      /[\w{(]/.test(source[i + 1] ?? '') &&
      !(char === '@' && !/[A-Za-z_{]/.test(source[i + 1] ?? ''))
    ) {
      const [end, code] = sigil(source, i);
      if (code !== '') inner.push({ code, at: /^(?:[[{]|->|::)/.test(source.slice(end, end + 2)) ? -1 : text.length });
      text += UNKNOWN;
      i = end - 1;
    } else {
      if (style.nests === char) depth++;
      else if (style.nests !== undefined && char === close) depth--;
      text += char;
    }
  }
  throw new Unreadable();
}

/** `$name`, `${ code }`, `@{[ code ]}`, with what follows in brackets. */
function sigil(source: string, at: number): readonly [end: number, code: string] {
  if (source[at + 1] === '{') {
    const end = matching(source, at + 2, '}');
    const code = source.slice(at + 2, end);
    return [end + 1, /^\w+$/.test(code) ? `${source[at]}${code}` : code];
  }
  let end = at + 1;
  while (/\w/.test(source[end] ?? '')) end++;
  return [end, source.slice(at, end)];
}

function matching(source: string, from: number, close: string): number {
  const open = close === '}' ? '{' : '(';
  let depth = 0;
  for (let i = from; i < source.length; i++) {
    const char = source[i];
    if (char === '\\') i++;
    else if (char === open) depth++;
    else if (char === close && depth-- === 0) return i;
  }
  throw new Unreadable();
}

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  a: '\x07',
  e: '\x1b',
  '\n': '',
};

function readEscape(source: string, at: number, keep: boolean): readonly [value: string, length: number] {
  const char = source[at + 1] ?? '';
  const code =
    /^(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{1,2})|u\{([0-9A-Fa-f]+)\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{2,3}))/.exec(
      source.slice(at + 1, at + 14),
    );
  if (code) {
    const radix = code[6] === undefined ? 16 : 8;
    const point = Number.parseInt((code[1] ?? code[2] ?? code[3] ?? code[4] ?? code[5] ?? code[6]) as string, radix);
    return [point <= 0x10ffff ? String.fromCodePoint(point) : '\uFFFD', code[0].length + 1];
  }
  const simple = SIMPLE[char];
  return [simple ?? (keep && /[^'"\\$`]/.test(char) ? `\\${char}` : char), 2];
}

function plainEscape(source: string, at: number, close: string): readonly [value: string, length: number] {
  const char = source[at + 1] ?? '';
  return char === '\\' || close.startsWith(char) ? [char, 2] : [`\\${char}`, 2];
}
