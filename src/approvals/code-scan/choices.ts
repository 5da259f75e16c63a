import type { Budget } from './budget.ts';
import type { Value } from './values.ts';
import { asText, flat, madeText, onlyParts } from './values.ts';

/** What one more way to choose costs, beside its values. */
const WAY = 10;

/** Every way to choose where values may be one of several, a value that stands there twice once; past the budget one way is anything. */
export function choices(values: readonly Value[], budget: Budget): readonly (readonly Value[])[] {
  if (!values.some(isOpen)) return [values];
  let rows: readonly (readonly Value[])[] = [values];
  for (const value of new Set(values.filter(isOpen))) {
    const ways = followed(value, rows.length * (WAY + values.length), budget);
    rows = rows.flatMap((row) => ways.map((way) => row.map((one) => (one === value ? way : one))));
  }
  return rows;
}

/** The ways of an open value, as many as can be paid for, and the rest as one. */
function followed(value: Value, each: number, budget: Budget): readonly Value[] {
  const ways = waysOf(value, budget);
  const room = Math.floor(budget.left / each);
  if (budget.take(ways.length * each)) return ways;
  return [...ways.slice(0, Math.max(0, room - 1)), onlyParts([value])];
}

/** Whether a value, or an item of it, is one of several. */
export function isOpen(value: Value): boolean {
  return value.kind === 'any' || (value.kind === 'list' && value.items.some(({ kind }) => kind === 'any'));
}

function waysOf(value: Value, budget: Budget): readonly Value[] {
  if (value.kind === 'any') return value.items;
  return isOpen(value) && value.kind === 'list'
    ? choices(value.items, budget).map((items) => ({ kind: 'list', items }))
    : [value];
}

/** One behind the other: numbers are added, lists and texts joined. */
export function concat(a: Value, b: Value, budget: Budget): Value {
  if (a.kind === 'any' || b.kind === 'any') {
    const rows = choices([a, b], budget);
    return { kind: 'any', items: rows.map(([left, right]) => joinTwo(left as Value, right as Value, budget)) };
  }
  return joinTwo(a, b, budget);
}

function joinTwo(a: Value, b: Value, budget: Budget): Value {
  if (a.kind === 'number' && b.kind === 'number') return { kind: 'number', number: a.number + b.number };
  if (a.kind === 'list' && b.kind === 'list')
    return budget.take(Math.ceil((a.items.length + b.items.length) / 10))
      ? { kind: 'list', items: [...a.items, ...b.items] }
      : onlyParts([a, b]);
  return madeText(asText(a) + asText(b), [a, b], budget);
}

/** One of several values. */
export function joined(values: readonly Value[]): Value {
  return values.length === 1 ? (values[0] as Value) : { kind: 'any', items: flat(values) };
}

/** One of two values, each of which may be one of several. */
export function either(left: Value, right: Value, budget: Budget): Value {
  const items = flat([left, right]);
  return budget.take(Math.ceil(items.length / 10)) ? { kind: 'any', items } : onlyParts(items);
}
