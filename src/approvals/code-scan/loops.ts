import { hasGlob } from '../shell/marks.ts';
import { joined } from './choices.ts';
import type { Reading } from './language.ts';
import { bindPattern, patternAt } from './patterns.ts';
import type { Value } from './values.ts';
import { ANYTHING, oneOf } from './values.ts';

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
  const names = loopNames(scan, ahead);
  if (names.length > 1) return bindTuple(scan, ahead, names);
  const by = scan.peek(ahead + 1)?.text ?? '';
  const listed = by === '(' && name?.text.startsWith('$') === true;
  if (name?.kind === 'name' && (listed || /^(?:in|of)$/.test(by))) {
    scan.skip(ahead + (listed ? 1 : 2));
    const each = oneOf(scan.expression(false));
    scan.names.set(name.text, isListed(each) && isNarrowed(scan) ? ANYTHING : each);
    return true;
  }
  return scan.is('foreach') && scan.is('(', 1) && bindForeach(scan);
}

/** How many names a loop may have. */
export const MAX_NAMES = 8;

/** The names of a loop: `a`, `a, b`. */
export function loopNames(scan: Reading, ahead: number): readonly string[] {
  const names: string[] = [];
  for (let at = ahead; names.length < MAX_NAMES && scan.peek(at)?.kind === 'name'; at += 2) {
    names.push(scan.peek(at)?.text ?? '');
    if (!scan.is(',', at + 1)) break;
  }
  return names;
}

/** `for a, b in values`. */
function bindTuple(scan: Reading, ahead: number, names: readonly string[]): boolean {
  const by = ahead + names.length * 2 - 1;
  if (!scan.is('in', by)) return false;
  scan.skip(by + 1);
  const each = oneOf(scan.expression(false));
  bindNames(scan, names, isNarrowed(scan) ? ANYTHING : each);
  return true;
}

/** How far behind a loop's head it is looked for what picks among the items. */
const MAX_AHEAD = 100;

/** Whether only some are picked, by their names or by what is known of them. */
export function isNarrowed(scan: Reading): boolean {
  for (let ahead = 0; ahead < MAX_AHEAD; ahead++) {
    const token = scan.peek(ahead);
    if (token === undefined) return false;
    if (token.kind === 'name' && PICKS.test(token.text)) return true;
    if (token.kind === 'op' && /^(?:==|!=|<|>|<=|>=)$/.test(token.text)) return true;
  }
  return false;
}

const PICKS = /^(?:endswith|startswith|suffix|suffixes|stem|name|fnmatch|filter|match|fullmatch|search|splitext)$/;

/** The paths below a folder that `rglob` gives. */
function isListed(each: Value): boolean {
  return each.kind === 'any' && each.items.some((item) => item.kind === 'ref' && item.name === 'pathlib.Path()');
}

/** Gives the names of a loop what they stand for, each time round. */
export function bindNames(scan: Reading, names: readonly string[], each: Value): void {
  const rows = each.kind === 'any' ? each.items : [each];
  const paid = names.length === 1 || scan.sink.budget.take(rows.length * names.length);
  for (const [i, name] of names.entries())
    scan.names.set(name, names.length === 1 ? each : paid ? joined(rows.map((row) => placeOf(row, i))) : ANYTHING);
}

function placeOf(row: Value, place: number): Value {
  return row.kind === 'list' ? (row.items[place] ?? ANYTHING) : ANYTHING;
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
  if (of?.kind === 'text' && hasGlob(of.text) && EACH.test(name)) return of;
  if (name === '.then') return of;
  return name.endsWith('.then') ? { ...rest, name: name.slice(0, -'.then'.length), ...(of ? { of } : {}) } : undefined;
}
