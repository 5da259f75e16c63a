/** What a person reads in place of a secret. */
export const MASK = '[secret]';

type Span = readonly [start: number, end: number];

export interface Redactor {
  /** The text with every secret replaced. Linear in its length. */
  text(text: string): string;
  /** Where secrets stand, in order, apart from each other. UTF-16 offsets, end exclusive. */
  spans(text: string): readonly Span[];
}

/**
 * One redactor for cards, logs, audit and errors. `patterns` are the operator's: `*` stands for a run without blanks or
 * quotes. `known` are secrets this process itself holds.
 */
export function createRedactor(patterns: readonly string[] = [], known: readonly string[] = []): Redactor {
  const custom = patterns.filter((pattern) => /[^*\s]/.test(pattern)).map(globScanner);
  const literal = known.filter((secret) => secret.length >= 8);
  const scanners: readonly Scanner[] = [...BUILT_IN, ...custom, ...literal.map(literalScanner)];
  const spans = (text: string) => merged(scanners.flatMap((scan) => [...scan(text)]));
  return {
    spans,
    text: (text) => masked(text, spans(text), 0, text.length),
  };
}

/** The piece of a text between two offsets, with what is secret in it masked, even where the cut runs through it. */
export function masked(text: string, spans: readonly Span[], from: number, to: number): string {
  let out = '';
  let at = from;
  for (const [start, end] of spans) {
    if (end <= at || start >= to) continue;
    out += text.slice(at, Math.max(at, start)) + MASK;
    at = Math.min(end, to);
  }
  return out + text.slice(at, Math.max(at, to));
}

type Scanner = (text: string) => Iterable<Span>;

function merged(spans: readonly Span[]): readonly Span[] {
  const out: [number, number][] = [];
  for (const [start, end] of spans.filter(([from, to]) => to > from).sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}

// Every expression below starts at the beginning of its run of characters or is bounded, so none can backtrack far.
const KEY_PREFIXES = [
  'sk-',
  'sk_(?:live|test)_',
  'rk_(?:live|test)_',
  'pk_(?:live|test)_',
  'whsec_',
  'gh[pousr]_',
  'github_pat_',
  'gl(?:pat|dt|rt|cbt|ptt|ft|soat)-',
  'xox[abeoprs]-',
  'xapp-',
  'AIza',
  'ya29\\.',
  'hf_',
  'npm_',
  'pypi-',
  'gsk_',
  'xai-',
  'r8_',
  'pplx-',
  'tvly-',
  'BSA',
  'SG\\.',
  'shp(?:at|ca|pa|ss)_',
  'sq0(?:atp|csp)-',
  'dop_v1_',
  'dckr_pat_',
  'lin_api_',
  'ntn_',
  'figd_',
  'glc_',
  'glsa_',
  'hvs\\.',
  'sbp_',
  'key-',
  'AGE-SECRET-KEY-',
];

const SHAPES: readonly RegExp[] = [
  new RegExp(`(?<![A-Za-z0-9])(?:${KEY_PREFIXES.join('|')})[A-Za-z0-9_.-]{16,}`, 'g'),
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  // Telegram and Discord bot tokens.
  /(?<![0-9])[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
  /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,45}/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g,
];

function* shapes(text: string): Iterable<Span> {
  for (const shape of SHAPES) {
    for (const match of text.matchAll(shape)) yield [match.index, match.index + match[0].length];
  }
}

/** A word of a sentence and no credential. */
const PROSE = /^[A-Za-z]?[a-z]{1,19}(?:[-/][a-z]{1,19})?\.?$/;

/** `Bearer x`, `Basic x`, wherever they stand. */
function* schemes(text: string): Iterable<Span> {
  for (const match of text.matchAll(/(?<![A-Za-z])(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,})/gi)) {
    if (PROSE.test(match[1] as string)) continue;
    const end = match.index + match[0].length;
    yield [end - (match[1] as string).length, end];
  }
}

/** The secret part of `scheme://user:password@host`; a lone user is taken for a token. */
function* userinfo(text: string): Iterable<Span> {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const start = at + 3;
    const end = lastAt(text, start);
    if (end <= start) continue;
    const colon = text.indexOf(':', start);
    yield [colon >= start && colon < end ? colon + 1 : start, end];
  }
}

/** Where the last `@` of an authority stands, or -1. */
function lastAt(text: string, start: number): number {
  let last = -1;
  for (let at = start; at < text.length && !/[\s/?#"'`<>\\]/.test(text[at] as string); at++)
    if (text[at] === '@') last = at;
  return last;
}

/** PEM blocks of private keys; one without an end runs to the end of the text. */
function* keyBlocks(text: string): Iterable<Span> {
  for (let at = text.indexOf('-----BEGIN '); at >= 0; ) {
    const secret = text.slice(at, at + 80).includes('PRIVATE KEY');
    const end = secret ? endOfBlock(text, at + 11) : at + 11;
    if (secret) yield [at, end];
    at = text.indexOf('-----BEGIN ', end);
  }
}

function endOfBlock(text: string, from: number): number {
  const close = text.indexOf('-----END ', from);
  const dashes = close < 0 ? -1 : text.indexOf('-----', close + 9);
  return dashes < 0 ? text.length : dashes + 5;
}

const WORDS = new Set(
  'password passwd passphrase pass pwd secret secrets token apikey authtoken credential credentials authorization cookie auth bearer jwt'.split(
    ' ',
  ),
);
const BEFORE_KEY = new Set(
  'api access secret private signing encryption master auth service account deploy'.split(' '),
);
const ENDINGS = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'secretkey',
  'privatekey',
];
const QUERY_KEYS = new Set(
  'key sig signature code auth access_token id_token x-amz-signature x-amz-credential x-goog-signature'.split(' '),
);
const WHOLE_LINE = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie']);

/** A name that ends in one of these tells where a secret lies or how it is treated. */
const ABOUT = new Set(
  'env file path name uri url type kind length len count ttl expires expiry expiration timeout min max size limit policy manager store provider helper endpoint stdin jar format prefix header required enabled'.split(
    ' ',
  ),
);

/** Whether a name says that its value is secret. */
function secretName(name: string): boolean {
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_.-]+/);
  if (parts.length > 1 && ABOUT.has(parts.at(-1) ?? '')) return false;
  if (parts.some((part, i) => WORDS.has(part) || (part === 'key' && BEFORE_KEY.has(parts[i - 1] ?? '')))) return true;
  return ENDINGS.some((ending) => parts.at(-1)?.endsWith(ending));
}

/** Values of secret names: assignments, flags, headers, JSON fields, query keys. */
function* named(text: string): Iterable<Span> {
  let covered = 0;
  for (const match of text.matchAll(/[A-Za-z_][A-Za-z0-9_.-]*/g)) {
    const [name] = match;
    if (name.length > 80 || match.index < covered) continue;
    const before = text[match.index - 1];
    const query = (before === '?' || before === '&') && QUERY_KEYS.has(name.toLowerCase());
    if (!query && !secretName(name)) continue;
    const flag = before === '-';
    const start = valueStart(text, match.index + name.length, flag);
    if (start === undefined) continue;
    const end = valueEnd(text, start, WHOLE_LINE.has(name.replace(/[_.-]/g, '').toLowerCase()));
    covered = end;
    if (!isHarmless(name, text.slice(start, Math.min(end, start + 100)), text.slice(start, start + 100)))
      yield [start, end];
  }
}

/** Words that stand where a secret could: switches, blanks to be filled in, the folder of `PWD`. */
function isHarmless(name: string, value: string, ahead: string): boolean {
  return (
    REFERENCE.test(ahead) ||
    /^(?:true|false|yes|no|on|off|null|none|nil|undefined|include|omit|same-origin|inherit|required|optional|prompt|~|\*{3,}|x{3,}|\.{3,}|<[^>]*>?)$/i.test(
      value,
    ) ||
    (/^(?:OLD)?PWD$/i.test(name) && /^(?:[~.]?\/|[~.]$|[A-Za-z]:\\)/.test(value)) ||
    (/^pass$/i.test(name) && /^(?:\d{1,5}|-.*)$/.test(value))
  );
}

/** A variable that is only named here is no secret. */
const REFERENCE = /^\$(?:\w{1,80}|\{\w{1,80}\}|\{\{[^}]{0,80}\}\})(?=$|[\s"'`,;&|<>)}\]])/;

/** Where the value of a name begins; a flag may be followed by a blank instead of `=`. */
function valueStart(text: string, from: number, flag: boolean): number | undefined {
  let at = from;
  if (text[at] === '\\') at++;
  if (text[at] === '"' || text[at] === "'") at++;
  const blank = at;
  while (text[at] === ' ' || text[at] === '\t') at++;
  const sign = text[at] === '=' || text[at] === ':';
  if (!sign && !(flag && at > blank && text[at] !== '-')) return undefined;
  if (sign) at++;
  if (sign && text[at] === '>') at++;
  while (text[at] === ' ' || text[at] === '\t') at++;
  if (text[at] === '\\') at++;
  if (text[at] === '"' || text[at] === "'" || text[at] === '`') at++;
  return at < text.length && text[at] !== '\n' ? at : undefined;
}

function valueEnd(text: string, start: number, line: boolean): number {
  const quote = text[start - 1] ?? '';
  const stop = '"\'`'.includes(quote) && quote !== '' ? quote : line ? '\n\r"\'' : ' \t\n\r"\'`,;&|<>)}]';
  let at = start;
  while (at < text.length && !stop.includes(text[at] as string)) at++;
  return at > start && text[at - 1] === '\\' ? at - 1 : at;
}

/** `curl -u name:password`. */
function* logins(text: string): Iterable<Span> {
  for (const match of text.matchAll(/(?<![\w-])(?:-u|--user|--proxy-user)[ =]['"]?([^\s:'"]{1,100}):([^\s'"]+)/g)) {
    const end = match.index + match[0].length;
    yield [end - (match[2] as string).length, end];
  }
}

const BUILT_IN: readonly Scanner[] = [shapes, schemes, userinfo, keyBlocks, named, logins];

function literalScanner(secret: string): Scanner {
  return function* (text) {
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      yield [at, at + secret.length];
  };
}

/** Looks at every run without blanks and quotes once; a pattern may cover any part of a run. */
function globScanner(pattern: string): Scanner {
  const pieces = pattern.split('*').filter((piece) => piece !== '');
  const [open, close] = [pattern.startsWith('*'), pattern.endsWith('*')];
  return function* (text) {
    for (const run of text.matchAll(/[^\s"'`]+/g)) {
      let at = 0;
      let first = -1;
      const found = pieces.every((piece) => {
        const here = run[0].indexOf(piece, at);
        if (first < 0) first = here;
        at = here + piece.length;
        return here >= 0;
      });
      if (found) yield [run.index + (open ? 0 : first), run.index + (close ? run[0].length : at)];
    }
  };
}
