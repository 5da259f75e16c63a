import type { Reading } from './language.ts';
import { judgeHanded } from './modules.ts';
import type { Value } from './values.ts';
import { ANYTHING, member } from './values.ts';

/** A name and the members that lead to what it holds, `{ a: { b: name } }`. */
interface Bound {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** What stands in the place of one name: `name`, `{ a, b: c }`, `[a, b]`. */
export interface Pattern {
  readonly bound: readonly Bound[];
  /** Tokens up to its end, from the one that is read next. */
  readonly end: number;
}

/** A member that is only known when it runs. */
const PICKED = '';
const MAX_TOKENS = 2_000;
const MAX_DEPTH = 8;

/** The pattern that begins so many tokens ahead; null where there is none. */
export function patternAt(scan: Reading, ahead: number, depth = 0): Pattern | null {
  const token = scan.peek(ahead);
  if (token?.kind === 'name') return { bound: [{ path: [], name: token.text }], end: ahead + 1 };
  if (depth > MAX_DEPTH || !(scan.is('{', ahead) || scan.is('[', ahead))) return null;
  const isRecord = scan.is('{', ahead);
  const close = isRecord ? '}' : ']';
  const bound: Bound[] = [];
  let at = ahead + 1;
  for (let place = 0; at < ahead + MAX_TOKENS && scan.peek(at); ) {
    if (scan.is(close, at)) return { bound, end: at + 1 };
    if (scan.is(',', at)) place++;
    if (/^(?:,|\.{1,3}|\n)$/.test(scan.peek(at)?.text ?? '') || scan.peek(at)?.kind === 'newline') {
      at++;
      continue;
    }
    const entry = entryAt(scan, at, isRecord, place, depth);
    if (!entry) return null;
    for (const { path, name } of entry.pattern.bound) bound.push({ path: [entry.key, ...path], name });
    at = afterDefault(scan, entry.pattern.end, close);
  }
  if (at >= ahead + MAX_TOKENS) scan.sink.budget.exceed();
  return null;
}

interface Entry {
  readonly key: string | number;
  readonly pattern: Pattern;
}

/** One entry: `a`, `a: b`, `'a': b`, `['a']: b`, `...rest`. */
function entryAt(scan: Reading, at: number, isRecord: boolean, place: number, depth: number): Entry | null {
  if (!isRecord) {
    const pattern = patternAt(scan, at, depth + 1);
    return pattern && { key: place, pattern };
  }
  if (scan.is('[', at)) return computedAt(scan, at, depth);
  const key = scan.peek(at);
  if (key?.kind !== 'name' && key?.kind !== 'string') return null;
  if (!scan.is(':', at + 1)) return { key: key.text, pattern: { bound: [{ path: [], name: key.text }], end: at + 1 } };
  const pattern = patternAt(scan, at + 2, depth + 1);
  return pattern && { key: key.text, pattern };
}

/** `['a']: b`; what is no plain string in the brackets is picked when it runs. */
function computedAt(scan: Reading, at: number, depth: number): Entry | null {
  const key = scan.peek(at + 1);
  const isPlain = key?.kind === 'string' && !key.inner && scan.is(']', at + 2);
  let end = at + 1;
  while (end < at + MAX_TOKENS && scan.peek(end) && !(scan.is(']', end) && scan.is(':', end + 1))) end++;
  const pattern = patternAt(scan, end + 2, depth + 1);
  return pattern && { key: isPlain ? key.text : PICKED, pattern };
}

/** Past a default, up to what ends the entry. */
function afterDefault(scan: Reading, from: number, close: string): number {
  let at = from;
  if (!scan.is('=', at)) return at;
  for (let depth = 0; at < from + MAX_TOKENS && scan.peek(at); at++) {
    if (depth === 0 && (scan.is(',', at) || scan.is(close, at))) return at;
    if (scan.is('(', at) || scan.is('[', at) || scan.is('{', at)) depth++;
    else if (scan.is(')', at) || scan.is(']', at) || scan.is('}', at)) depth--;
  }
  return at;
}

/** Gives the names of a pattern what they stand for, as far as that is a module, a function or an object. */
export function bindPattern(scan: Reading, { bound }: Pattern, value: Value): void {
  if (bound.some(({ path }) => path.includes(PICKED))) judgeHanded(scan, [value], scan.at - 1);
  const cost = value.kind === 'any' ? value.items.length * bound.length : bound.length;
  const known = scan.sink.budget.take(Math.ceil(cost / 10)) ? value : ANYTHING;
  for (const { path, name } of bound) scan.names.set(name, path.reduce(inside, known));
}

function inside(value: Value, key: string | number): Value {
  if (value.kind === 'list' && typeof key === 'number') return value.items[key] ?? ANYTHING;
  if (typeof key === 'number') return ANYTHING;
  if (value.kind === 'any') return { kind: 'any', items: value.items.map((item) => inside(item, key)) };
  return value.kind === 'ref' || value.kind === 'record' ? member(value, key) : ANYTHING;
}
