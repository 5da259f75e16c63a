import { concat, either } from './choices.ts';
import { fillPercent } from './formats.ts';
import type { Reading } from './language.ts';
import type { Value } from './values.ts';
import { ANYTHING, joinRef, onlyParts } from './values.ts';

/** Operators that put one value into another, or choose one; Python's `!r` says how. */
const CHOOSES = /^(?:%|!)$/;
/** Operators that give the one value or the other. */
const EITHER = /^(?:\|\||\?\?|\?:)$/;

export function isBinary(operator: string): boolean {
  return !/^(?:[,;)\]}:{]|=>|=)$/.test(operator);
}

/** What an operator makes of two values. */
export function operate(operator: string, left: Value, right: Value, { language, sink }: Reading): Value {
  if (language.joins.includes(operator)) return concat(left, right, sink.budget);
  if (operator === '%' && language.percentFills && left.kind === 'text')
    return fillPercent(left, right.kind === 'list' ? right.items : [right], sink.budget);
  if (operator === '/' && left.kind === 'ref') return joinRef(left, right, sink.budget);
  if (EITHER.test(operator)) return either(left, right, sink.budget);
  return CHOOSES.test(operator) ? onlyParts([left, right]) : ANYTHING;
}

/** Looked at for the `else` of an `if`; what goes on behind them was not read to its end. */
const MAX_AHEAD = 200;

/** Whether an `else` belongs to the `if` that is read next. */
export function leadsToElse(scan: Reading): boolean {
  let depth = 0;
  for (let ahead = 1; ahead < MAX_AHEAD; ahead++) {
    const token = scan.peek(ahead);
    if (!token || token.kind === 'newline') return false;
    if (token.kind === 'name' && token.text === 'else' && depth === 0) return true;
    if (token.kind !== 'op') continue;
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text) && --depth < 0) return false;
    else if (depth === 0 && /^[,;:]$/.test(token.text)) return false;
  }
  scan.sink.budget.exceed();
  return false;
}
