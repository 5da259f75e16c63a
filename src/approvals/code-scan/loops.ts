import type { Reading } from './language.ts';
import { bindPattern, patternAt } from './patterns.ts';
import type { Value } from './values.ts';
import { oneOf } from './values.ts';

const EACH = /^\.(?:forEach|map|filter|some|every|find|flatMap|each|each_with_index|select|reject)$/;

/** Whether a method hands each item to a block. */
export function isEach(method: string): boolean {
  return method === 'then' || EACH.test(`.${method}`);
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

/** `['a'].forEach(x => ..)`, `['a'].each { |x| .. }`, `import('fs').then(x => ..)`: what the block's name is. */
export function bindEach(scan: Reading, value: Value): void {
  const given = value.kind === 'ref' ? givenToBlock(value) : undefined;
  if (given === undefined) return;
  let ahead = 0;
  while (/^(?:\(|\||do|async|function)$/.test(scan.peek(ahead)?.text ?? '') || opensBlock(scan, ahead)) ahead++;
  const pattern = patternAt(scan, ahead);
  if (!pattern) return;
  const isAmong = ahead > 0 && (scan.is('(', ahead - 1) || scan.is('|', ahead - 1));
  const end = isAmong ? /^(?:\)|,|\|)$/ : /^=>$/;
  if (end.test(scan.peek(pattern.end)?.text ?? '')) bindPattern(scan, pattern, given);
}

/** A brace before Ruby's `|x|`, not that of a pattern. */
function opensBlock(scan: Reading, ahead: number): boolean {
  return scan.is('{', ahead) && scan.is('|', ahead + 1);
}

function givenToBlock({ name, of, ...rest }: Value & { readonly kind: 'ref' }): Value | undefined {
  if (of?.kind === 'list' && EACH.test(name)) return oneOf(of);
  if (name === '.then') return of;
  return name.endsWith('.then') ? { ...rest, name: name.slice(0, -'.then'.length), ...(of ? { of } : {}) } : undefined;
}
