import type { InnerCode, Token } from './tokens.ts';
import { readQuoted, Unreadable } from './tokens.ts';

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

export interface Operator {
  readonly kind: 'string' | 'command' | 'regex' | 'words';
  /** A second part follows: `s/a/b/`. */
  readonly two?: boolean;
  readonly interpolates: boolean;
}

/** `q{..}`, `qx(..)`, `s{..}{..}e`, `%w[..]`: a string between delimiters of the writer's choice. */
export function readOperator(
  source: string,
  start: number,
  delimiterAt: number,
  operator: Operator,
  hash: boolean,
): Token | null {
  let at = delimiterAt;
  while (source[at] === ' ' || source[at] === '\t') at++;
  const open = source[at];
  if (
    open === undefined ||
    /[\w\s]/.test(open) ||
    open === ',' ||
    open === ';' ||
    open === ')' ||
    (open === '=' && source[at + 1] === '>') ||
    (open === '=' && /\s/.test(source[at + 1] ?? ''))
  )
    return null;
  const close = PAIRS[open] ?? open;
  const style = {
    escapes: operator.kind === 'string' && operator.interpolates,
    raw: operator.kind === 'regex',
    sigils: operator.interpolates && !hash && operator.kind !== 'regex',
    interpolation: operator.interpolates && hash ? { open: '#{', close: '}' } : undefined,
    ...(close === open ? {} : { nests: open }),
  };
  const first =
    operator.kind === 'regex' ? rawBody(source, at + 1, open, close) : readQuoted(source, at + 1, close, style);
  if (!operator.two) return finish(source, start, first, operator);
  let second = first.end;
  if (close !== open) {
    while (/\s/.test(source[second] ?? '')) second++;
    const body = rawBody(
      source,
      second + 1,
      source[second] as string,
      PAIRS[source[second] as string] ?? (source[second] as string),
    );
    return replacement(source, start, first.text, body);
  }
  return replacement(source, start, first.text, rawBody(source, second, open, close));
}

interface RawBody {
  readonly text: string;
  readonly end: number;
  readonly inner: readonly InnerCode[];
}

function rawBody(source: string, from: number, open: string, close: string): RawBody {
  let depth = 0;
  for (let i = from; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (source[i] === close && depth === 0) return { text: source.slice(from, i), end: i + 1, inner: [] };
    else if (open !== close && source[i] === open) depth++;
    else if (open !== close && source[i] === close) depth--;
  }
  throw new Unreadable();
}

function finish(source: string, start: number, body: RawBody, operator: Operator): Token {
  let end = body.end;
  while (operator.kind === 'regex' && /[a-z]/i.test(source[end] ?? '')) end++;
  const kind = operator.kind === 'words' ? 'string' : operator.kind;
  return {
    kind,
    text: body.text,
    pos: start,
    end,
    flags: source.slice(body.end, end),
    ...(body.inner.length > 0 ? { inner: body.inner } : {}),
  };
}

/** With the flag `e` the replacement is code. */
function replacement(source: string, start: number, pattern: string, body: RawBody): Token {
  let end = body.end;
  while (/[a-z]/i.test(source[end] ?? '')) end++;
  const flags = source.slice(body.end, end);
  const run = /ee/.test(flags) ? [`eval(${body.text})`] : flags.includes('e') ? [body.text] : [];
  const code = run.map((text) => ({ code: text, at: -1 }));
  return { kind: 'regex', text: pattern, pos: start, end, flags, ...(code.length > 0 ? { inner: code } : {}) };
}
