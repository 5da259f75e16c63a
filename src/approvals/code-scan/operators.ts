import { concat } from './choices.ts';
import { fillPercent } from './formats.ts';
import type { Reading } from './language.ts';
import type { Value } from './values.ts';
import { ANYTHING, joinRef, onlyParts } from './values.ts';

/** Operators that put one value into another, or choose one; Python's `!r` says how. */
const CHOOSES = /^(?:%|\|\||\?\?|!)$/;

export function isBinary(operator: string): boolean {
  return !/^(?:[,;)\]}:{]|=>|=)$/.test(operator);
}

/** What an operator makes of two values. */
export function operate(operator: string, left: Value, right: Value, { language, sink }: Reading): Value {
  if (language.joins.includes(operator)) return concat(left, right, sink.budget);
  if (operator === '%' && language.percentFills && left.kind === 'text')
    return fillPercent(left, right.kind === 'list' ? right.items : [right], sink.budget);
  if (operator === '/' && left.kind === 'ref') return joinRef(left, right, sink.budget);
  return CHOOSES.test(operator) ? onlyParts([left, right]) : ANYTHING;
}
