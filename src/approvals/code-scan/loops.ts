import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { oneOf, textValue } from './values.ts';

/** A script as far as it was read. */
interface Reading {
  readonly names: Map<string, Value>;
  peek(ahead?: number): Token | undefined;
  is(text: string, ahead?: number): boolean;
  accept(text: string): boolean;
  skip(tokens: number): void;
  expression(judgeNames: boolean): Value;
}

/** How far a comprehension's loop is looked for. */
const MAX_FORESEEN = 80;
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

/** A comprehension's name is known before its loop is read, where that goes over constants. */
export function foreseeLoop(scan: Reading): void {
  let depth = 0;
  for (let ahead = 0; ahead < MAX_FORESEEN; ahead++) {
    const token = scan.peek(ahead);
    if (token === undefined || (depth === 0 && /^[,)\]}]$/.test(token.text) && token.kind === 'op')) return;
    if (depth === 0 && token.text === 'for' && token.kind === 'name' && scan.is('in', ahead + 2)) {
      const items = constantsAt(scan, ahead + 3);
      if (items) scan.names.set(scan.peek(ahead + 1)?.text ?? '', { kind: 'any', items });
      return;
    }
    if (token.kind === 'op') depth += /^[([{]$/.test(token.text) ? 1 : /^[)\]}]$/.test(token.text) ? -1 : 0;
  }
}

/** A list of plain strings, or a name that holds one. */
function constantsAt(scan: Reading, ahead: number): readonly Value[] | null {
  const known = scan.names.get(scan.peek(ahead)?.text ?? '');
  if (known?.kind === 'list') return known.items.length > 0 ? known.items : null;
  if (!scan.is('[', ahead) && !scan.is('(', ahead)) return null;
  const items: Value[] = [];
  for (let i = ahead + 1; !scan.is(']', i) && !scan.is(')', i); i++) {
    const token = scan.peek(i);
    if (token?.kind === 'string' && !token.inner) items.push(textValue(token.text));
    else if (!scan.is(',', i)) return null;
  }
  return items.length > 0 ? items : null;
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
