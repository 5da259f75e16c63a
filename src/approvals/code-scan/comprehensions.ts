import { isProtectedRoot } from '../shell/paths.ts';
import { isClosing, isOpening } from './brackets.ts';
import type { Reading } from './language.ts';
import { bindNames, isNarrowed, loopNames, MAX_NAMES } from './loops.ts';
import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, flat, oneOf, textValue } from './values.ts';

/** The comprehensions of a text, `[f(x) for x in list]`: their names are known before their loops are read. */
export class Comprehensions {
  readonly #ahead: Int32Array;
  readonly #foreseen = new Set<number>();

  constructor(tokens: readonly Token[]) {
    this.#ahead = comprehensionsAhead(tokens);
  }

  /** Those that begin here, where they go over constants. */
  foresee(scan: Reading): void {
    for (let at = this.#next(scan.at); at >= 0 && !this.#foreseen.has(at); at = this.#next(at + 1)) {
      this.#foreseen.add(at);
      const names = loopNames(scan, at + 1 - scan.at);
      at += names.length * 2;
      const ahead = at + 1 - scan.at;
      const items = constantsAt(scan, ahead);
      if (items) bindNames(scan, names, { kind: 'any', items });
      else if (listsFiles(scan, ahead)) bindListed(scan, names, valueAt(scan, ahead));
    }
  }

  #next(at: number): number {
    return this.#ahead[at] ?? -1;
  }
}

/** For each token the place of the next `for x in` before a comma or the end of the brackets it stands in; -1 without one. */
function comprehensionsAhead(tokens: readonly Token[]): Int32Array {
  const ahead = new Int32Array(tokens.length + 1).fill(-1);
  const outer: number[] = [];
  let next = -1;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const { kind, text } = tokens[i] as Token;
    if (isClosing(tokens[i] as Token)) {
      outer.push(next);
      next = -1;
      continue;
    }
    if (isOpening(tokens[i] as Token)) next = outer.pop() ?? -1;
    else if (kind === 'op' && text === ',') next = -1;
    else if (kind === 'name' && text === 'for' && loopsOver(tokens, i + 1)) next = i;
    ahead[i] = next;
  }
  return ahead;
}

/** `a in`, `a, b in`. */
function loopsOver(tokens: readonly Token[], from: number): boolean {
  let at = from;
  while (at < from + MAX_NAMES * 2 && tokens[at]?.kind === 'name' && tokens[at + 1]?.text === ',') at += 2;
  return tokens[at]?.kind === 'name' && isWord(tokens[at + 1], 'in');
}

/** Whether a call that lists files stands there. */
function listsFiles(scan: Reading, ahead: number): boolean {
  const { listings } = scan.language;
  const first = scan.peek(ahead);
  if (!listings || first?.kind !== 'name') return false;
  const known = scan.names.get(first.text);
  let name = known?.kind === 'ref' ? known.name : first.text;
  let at = ahead + 1;
  for (; scan.is('.', at) && at < ahead + MAX_NAMES; at += 2) name += `.${scan.peek(at + 1)?.text}`;
  return scan.is('(', at) && listings.test(name);
}

/** Where it is below a protected root it matters; elsewhere the names stay open. */
function bindListed(scan: Reading, names: readonly string[], listed: Value): void {
  const { sink } = scan;
  const isOpen = listed.kind === 'text' && !sink.paths(listed.text).some((path) => isProtectedRoot(path, sink.facts));
  const isPicked = listed.kind !== 'ref' && isNarrowed(scan);
  if (!isOpen && !isPicked) bindNames(scan, names, oneOf(listed));
}

/** The value of what stands there, which is read again when its turn comes. */
function valueAt(scan: Reading, ahead: number): Value {
  const { at } = scan;
  scan.skip(ahead);
  const value = scan.expression(false);
  scan.skip(at - scan.at);
  return value;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'name' && token.text === text;
}

/** A list with plain strings, or a name that holds one. */
function constantsAt(scan: Reading, ahead: number): readonly Value[] | null {
  const known = scan.names.get(scan.peek(ahead)?.text ?? '');
  const each = known?.kind === 'any' ? oneOf(known) : known;
  if (each?.kind === 'any' && each !== known) return each.items;
  if (known?.kind === 'list') return known.items.length > 0 ? flat(known.items) : null;
  if (!scan.is('[', ahead) && !scan.is('(', ahead)) return null;
  const items: Value[] = [];
  let depth = 0;
  for (let i = ahead + 1; depth >= 0; i++) {
    const token = scan.peek(i);
    if (token === undefined) return null;
    if (token.kind === 'string' && isListed(scan, i)) items.push(token.inner ? ANYTHING : textValue(token.text));
    else if (token.kind === 'name' && isListed(scan, i)) items.push(moduleNamed(scan, token.text));
    else if (!(token.kind === 'op' && token.text === ',')) items.push(ANYTHING);
    depth += isOpening(token) ? 1 : isClosing(token) ? -1 : 0;
  }
  items.pop();
  return items.some(({ kind }) => kind !== 'unknown') ? items : null;
}

/** What a name stands for, if it is a module or a function. */
function moduleNamed({ names }: Reading, name: string): Value {
  const known = names.get(name);
  return known?.kind === 'ref' ? known : ANYTHING;
}

/** Nothing is done with an item before it goes into the list. */
function isListed(scan: Reading, at: number): boolean {
  return /^[,[(]$/.test(scan.peek(at - 1)?.text ?? '') && /^[,\])]$/.test(scan.peek(at + 1)?.text ?? '');
}
