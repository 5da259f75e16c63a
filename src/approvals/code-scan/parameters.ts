import { closingsOf, isOpening } from './brackets.ts';
import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, textValue } from './values.ts';

/** A script's own function, found at the token of its name. */
interface Own {
  readonly parameters: readonly string[];
  readonly at: number;
  readonly method: boolean;
}

/** What the parameters of a script's own functions may be, by the calls of them; one that other code binds is left out. */
export function parametersOf(
  tokens: readonly Token[],
  bindings: () => ReadonlyMap<string, number>,
): ReadonlyMap<string, Value> {
  const out = new Map<string, Value>();
  const closings = closingsOf(tokens);
  const functions = ownFunctions(tokens, closings);
  if (functions.size === 0) return out;
  const given = new Map<string, Value[][]>([...functions.keys()].map((name) => [name, []]));
  const open = new Set<string>();
  for (const [i, token] of tokens.entries()) {
    for (const { code } of token.inner ?? []) for (const name of code.match(/[\w$]+/g) ?? []) open.add(name);
    const own = token.kind === 'name' ? functions.get(token.text) : undefined;
    const isMember = /^(?:\.|->|::)$/.test(tokens[i - 1]?.text ?? '');
    if (!own || own.at === i || (isMember && !own.method)) continue;
    if (tokens[i + 1]?.text === '(') given.get(token.text)?.push(argumentsAt(tokens, i + 2, closings));
    else open.add(token.text);
  }
  for (const [name, { parameters }] of functions)
    for (const [i, parameter] of parameters.entries()) {
      const calls = given.get(name)?.map((args) => args[i] ?? ANYTHING) ?? [];
      const items = distinct(open.has(name) ? [...calls, ANYTHING] : calls);
      const isGiven = items.some(({ kind }) => kind !== 'unknown');
      if (isGiven && (bindings().get(parameter) ?? 0) <= 1) out.set(parameter, { kind: 'any', items });
    }
  return out;
}

function distinct(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** `def f(a, b)`, `function f(a)`, `f = (a) =>`, `f = a =>`, `f = function (a)`; the last of a name counts. */
function ownFunctions(tokens: readonly Token[], closings: Int32Array): ReadonlyMap<string, Own> {
  const out = new Map<string, Own>();
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'name' && token.text !== '=') continue;
    const open = tokens[i + 1]?.text === '(';
    const declared = open && token.kind === 'name' && /^(?:def|function)$/.test(tokens[i - 1]?.text ?? '') ? i : -1;
    const assigned = /^(?:=|async|function)$/.test(token.text) ? assignedName(tokens, i) : -1;
    const at = Math.max(declared, assigned);
    if (at < 0) continue;
    const { names, end } = open
      ? parameterNames(tokens, i + 2, closings)
      : { names: [tokens[i + 1]?.text ?? ''], end: i + 2 };
    if (at === assigned && token.text !== 'function' && tokens[end]?.text !== '=>') continue;
    const method = /^(?:self|cls)$/.test(names[0] ?? '');
    out.set((tokens[at] as Token).text, { parameters: names.slice(method ? 1 : 0), at, method });
  }
  return out;
}

function assignedName(tokens: readonly Token[], from: number): number {
  let at = from;
  while (/^(?:async|function)$/.test(tokens[at]?.text ?? '')) at--;
  return tokens[at]?.text === '=' && tokens[at - 1]?.kind === 'name' ? at - 1 : -1;
}

/** Names by place; what is no plain name leaves its place empty. */
function parameterNames(
  tokens: readonly Token[],
  from: number,
  closings: Int32Array,
): { readonly names: readonly string[]; readonly end: number } {
  const end = closings[from - 1] ?? -1;
  if (end < 0) return { names: [], end: from };
  const names = piecesOf(tokens, from, end, closings).map(([start]) => {
    const token = tokens[start] as Token;
    return token.kind === 'name' ? token.text : '';
  });
  return { names, end: end + 1 };
}

/** The values of a call's arguments: plain strings and lists of them. */
function argumentsAt(tokens: readonly Token[], from: number, closings: Int32Array): Value[] {
  const end = closings[from - 1] ?? -1;
  return end < 0 ? [] : piecesOf(tokens, from, end, closings).map(([start, stop]) => constantIn(tokens, start, stop));
}

type Piece = readonly [start: number, stop: number];

/** What stands between the commas, brackets skipped over. */
function piecesOf(tokens: readonly Token[], from: number, end: number, closings: Int32Array): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = from;
  for (let i = from; i <= end; i++) {
    const token = tokens[i] as Token;
    if (i === end || (token.kind === 'op' && token.text === ',')) {
      if (start < end) pieces.push([start, i]);
      start = i + 1;
    } else if (isOpening(token)) i = closings[i] as number;
  }
  return pieces;
}

function constantIn(tokens: readonly Token[], start: number, stop: number): Value {
  const first = tokens[start];
  if (stop - start === 1 && isPlain(first)) return textValue(first.text);
  if (first?.text !== '[' || tokens[stop - 1]?.text !== ']') return ANYTHING;
  const items: Value[] = [];
  for (let i = start + 1; i < stop - 1; i++) {
    const token = tokens[i];
    if (isPlain(token)) items.push(textValue(token.text));
    else if (token?.text !== ',') return ANYTHING;
  }
  return { kind: 'list', items };
}

function isPlain(token: Token | undefined): token is Token & { readonly kind: 'string' } {
  return token?.kind === 'string' && !token.inner;
}
