import { isClosing, isOpening } from './brackets.ts';
import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, flat, oneOf, textValue } from './values.ts';

/** A script as far as it was read. */
interface Reading {
  readonly names: Map<string, Value>;
  peek(ahead?: number): Token | undefined;
  is(text: string, ahead?: number): boolean;
  accept(text: string): boolean;
  skip(tokens: number): void;
  expression(judgeNames: boolean): Value;
}

const EACH = /^\.(?:forEach|map|filter|some|every|find|flatMap|each|each_with_index|select|reject)$/;

/** `for x in values`, `for (const x of values)`, `for my $x (values)`, `foreach (values as $x)`: x is one of them. */
export function bindLoop(scan: Reading): boolean {
  if (!scan.is('for') && !scan.is('foreach')) return false;
  let ahead = 1;
  while (/^(?:\(|await|const|let|var|my|our)$/.test(scan.peek(ahead)?.text ?? '')) ahead++;
  const name = scan.peek(ahead);
  const by = scan.peek(ahead + 1)?.text ?? '';
  const listed = by === '(' && name?.text.startsWith('$') === true;
  if (name?.kind === 'name' && (listed || /^(?:in|of)$/.test(by))) {
    scan.skip(ahead + (listed ? 1 : 2));
    scan.names.set(name.text, oneOf(scan.expression(false)));
    return true;
  }
  return scan.is('foreach') && scan.is('(', 1) && bindForeach(scan);
}

function bindForeach(scan: Reading): boolean {
  scan.skip(2);
  const value = scan.expression(false);
  if (scan.accept('as') && scan.is('=>', 1)) scan.skip(2);
  const each = scan.peek();
  if (each?.kind === 'name') scan.names.set(each.text, oneOf(value));
  return true;
}

/** For each token the place of the next `for x in` before a comma or the end of the brackets it stands in; -1 without one. */
export function comprehensionsAhead(tokens: readonly Token[]): Int32Array {
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
    else if (kind === 'name' && text === 'for' && isWord(tokens[i + 2], 'in')) next = i;
    ahead[i] = next;
  }
  return ahead;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'name' && token.text === text;
}

/** A comprehension's name is known before its loop, that many tokens ahead, is read, where that goes over constants. */
export function foreseeLoop(scan: Reading, ahead: number): void {
  const items = constantsAt(scan, ahead + 3);
  if (items) scan.names.set(scan.peek(ahead + 1)?.text ?? '', { kind: 'any', items });
}

/** A list with plain strings, or a name that holds one. */
function constantsAt(scan: Reading, ahead: number): readonly Value[] | null {
  const known = scan.names.get(scan.peek(ahead)?.text ?? '');
  if (known?.kind === 'list') return known.items.length > 0 ? flat(known.items) : null;
  if (!scan.is('[', ahead) && !scan.is('(', ahead)) return null;
  const items: Value[] = [];
  let depth = 0;
  for (let i = ahead + 1; depth >= 0; i++) {
    const token = scan.peek(i);
    if (token === undefined) return null;
    if (token.kind === 'string' && isListed(scan, i)) items.push(token.inner ? ANYTHING : textValue(token.text));
    else if (!(token.kind === 'op' && token.text === ',')) items.push(ANYTHING);
    depth += isOpening(token) ? 1 : isClosing(token) ? -1 : 0;
  }
  items.pop();
  return items.some(({ kind }) => kind === 'text') ? items : null;
}

/** Nothing is done with an item before it goes into the list. */
function isListed(scan: Reading, at: number): boolean {
  return /^[,[(]$/.test(scan.peek(at - 1)?.text ?? '') && /^[,\])]$/.test(scan.peek(at + 1)?.text ?? '');
}

/** `['a'].forEach(x => ..)`, `['a'].each { |x| .. }`: the block's name is each of the list's items. */
export function bindEach(scan: Reading, value: Value): void {
  if (value.kind !== 'ref' || value.of?.kind !== 'list' || !EACH.test(value.name)) return;
  let ahead = 0;
  while (/^(?:\(|\{|\||do|async|function)$/.test(scan.peek(ahead)?.text ?? '')) ahead++;
  const name = scan.peek(ahead);
  if (name?.kind === 'name' && /^(?:=>|\)|,|\|)$/.test(scan.peek(ahead + 1)?.text ?? ''))
    scan.names.set(name.text, oneOf(value.of));
}
