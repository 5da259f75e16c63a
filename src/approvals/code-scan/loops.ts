import type { Reading } from './language.ts';
import type { Value } from './values.ts';
import { oneOf } from './values.ts';

const EACH = /^\.(?:forEach|map|filter|some|every|find|flatMap|each|each_with_index|select|reject)$/;

/** Whether a method hands each item to a block. */
export function isEach(method: string): boolean {
  return EACH.test(`.${method}`);
}

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

/** `['a'].forEach(x => ..)`, `['a'].each { |x| .. }`: the block's name is each of the list's items. */
export function bindEach(scan: Reading, value: Value): void {
  if (value.kind !== 'ref' || value.of?.kind !== 'list' || !EACH.test(value.name)) return;
  let ahead = 0;
  while (/^(?:\(|\{|\||do|async|function)$/.test(scan.peek(ahead)?.text ?? '')) ahead++;
  const name = scan.peek(ahead);
  if (name?.kind === 'name' && /^(?:=>|\)|,|\|)$/.test(scan.peek(ahead + 1)?.text ?? ''))
    scan.names.set(name.text, oneOf(value.of));
}
