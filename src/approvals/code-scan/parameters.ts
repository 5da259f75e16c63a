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
  const functions = ownFunctions(tokens);
  if (functions.size === 0) return out;
  const given = new Map<string, Value[][]>([...functions.keys()].map((name) => [name, []]));
  const open = new Set<string>();
  for (const [i, token] of tokens.entries()) {
    for (const { code } of token.inner ?? []) for (const name of code.match(/[\w$]+/g) ?? []) open.add(name);
    const own = token.kind === 'name' ? functions.get(token.text) : undefined;
    const isMember = /^(?:\.|->|::)$/.test(tokens[i - 1]?.text ?? '');
    if (!own || own.at === i || (isMember && !own.method)) continue;
    if (tokens[i + 1]?.text === '(') given.get(token.text)?.push(argumentsAt(tokens, i + 2));
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
function ownFunctions(tokens: readonly Token[]): ReadonlyMap<string, Own> {
  const out = new Map<string, Own>();
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'name' && token.text !== '=') continue;
    const open = tokens[i + 1]?.text === '(';
    const declared = open && token.kind === 'name' && /^(?:def|function)$/.test(tokens[i - 1]?.text ?? '') ? i : -1;
    const assigned = /^(?:=|async|function)$/.test(token.text) ? assignedName(tokens, i) : -1;
    const at = Math.max(declared, assigned);
    if (at < 0) continue;
    const { names, end } = open ? parameterNames(tokens, i + 2) : { names: [tokens[i + 1]?.text ?? ''], end: i + 2 };
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

const MAX_WORDS = 64;

/** Names by place; what is no plain name leaves its place empty. */
function parameterNames(
  tokens: readonly Token[],
  from: number,
): { readonly names: readonly string[]; readonly end: number } {
  const names: string[] = [];
  let depth = 0;
  for (let i = from; i < from + MAX_WORDS; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    if (depth === 0 && token.text === ')') return { names, end: i + 1 };
    if (depth === 0 && (i === from || tokens[i - 1]?.text === ',')) names.push(token.kind === 'name' ? token.text : '');
    depth += /^[([{]$/.test(token.text) ? 1 : /^[)\]}]$/.test(token.text) ? -1 : 0;
  }
  return { names: [], end: from };
}

/** The values of a call's arguments: plain strings and lists of them. */
function argumentsAt(tokens: readonly Token[], from: number): Value[] {
  const args: Value[] = [];
  let start = from;
  let depth = 0;
  for (let i = from; i < from + MAX_WORDS && i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const isOp = token.kind === 'op';
    if (isOp && depth === 0 && (token.text === ',' || token.text === ')')) {
      args.push(constantIn(tokens.slice(start, i)));
      start = i + 1;
      if (token.text === ')') return args;
    }
    if (isOp) depth += /^[([{]$/.test(token.text) ? 1 : /^[)\]}]$/.test(token.text) ? -1 : 0;
  }
  return [];
}

function constantIn(words: readonly Token[]): Value {
  const [first] = words;
  const isPlain = (token: Token | undefined) => token?.kind === 'string' && !token.inner;
  if (words.length === 1 && isPlain(first)) return textValue((first as Token).text);
  if (first?.text !== '[' || words.at(-1)?.text !== ']') return ANYTHING;
  const items = words.slice(1, -1).filter((token) => token.text !== ',');
  return items.every(isPlain) ? { kind: 'list', items: items.map(({ text }) => textValue(text)) } : ANYTHING;
}
