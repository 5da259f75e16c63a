import { isKnown, UNKNOWN } from '../shell/marks.ts';
import type { Budget } from './budget.ts';

/** What is known of an expression of a script. */
export type Value =
  /** `computed`: put together of pieces; `parts` are those that are no text. */
  | { readonly kind: 'text'; readonly text: string; readonly computed?: true; readonly parts?: readonly Value[] }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  /** One of these: what a loop goes over. */
  | { readonly kind: 'any'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> }
  /**
   * A module, a function or an object, by the name tables know it under; `of`: what it was made of or is a member of;
   * `before`: what a method with arguments was called on; `beside`: what else was given.
   */
  | {
      readonly kind: 'ref';
      readonly name: string;
      readonly of?: Value;
      readonly before?: Value;
      readonly beside?: readonly Value[];
    }
  | { readonly kind: 'unknown'; readonly parts?: readonly Value[] };

export const ANYTHING: Value = { kind: 'unknown' };

export function textValue(text: string): Value {
  return { kind: 'text', text };
}

/** Objects that stand for the path or text they were made of. */
const CARRIERS = new Set(['pathlib.Path()', 'Pathname.of', 'str()', 'String()', 'file', '.path', 'Bun.file()']);

/** The text of a value; unknown parts are marked. */
export function asText(value: Value | undefined): string {
  let at = value;
  while (at?.kind === 'ref' && at.of && CARRIERS.has(at.name)) at = at.of;
  if (at?.kind === 'text') return at.text;
  return at?.kind === 'number' ? String(at.number) : UNKNOWN;
}

export function constantText(value: Value | undefined): string | null {
  if (value?.kind !== 'text' && value?.kind !== 'number') return null;
  const text = asText(value);
  return isKnown(text) ? text : null;
}

/** Whether a text was put together, as names are that should not be read. */
export function isComputed(value: Value | undefined): boolean {
  return value?.kind === 'text' && value.computed === true;
}

/** Texts of a list or of one text; null where it is neither. */
export function asTexts(value: Value | undefined): readonly string[] | null {
  if (value?.kind === 'list') return value.items.map(asText);
  return value?.kind === 'text' ? [value.text] : null;
}

/** One at a time of what a loop goes over. */
export function oneOf(value: Value): Value {
  if (value.kind === 'any' && value.items.every(({ kind }) => kind === 'list'))
    return { kind: 'any', items: value.items.flatMap((item) => (item.kind === 'list' ? flat(item.items) : [])) };
  if (value.kind !== 'list') return value;
  return value.items.length === 0 ? ANYTHING : { kind: 'any', items: flat(value.items) };
}

/** Items that are one of several stand among the others. */
export function flat(items: readonly Value[]): readonly Value[] {
  if (!items.some(({ kind }) => kind === 'any')) return items;
  return items.flatMap((item) => (item.kind === 'any' ? item.items : [item]));
}

/** The longest text that is put together. */
const LONGEST = 65_536;

/** Whether a text may become so long. */
export function fits(length: number, budget: Budget): boolean {
  if (length > LONGEST) budget.exceed();
  return budget.take(Math.floor(length / 500));
}

/** A text that was put together of values. */
export function madeText(text: string, from: readonly Value[], budget: Budget): Value {
  if (!fits(text.length, budget)) return onlyParts(from);
  if (text !== '' && text.replaceAll(UNKNOWN, '') === '') return onlyParts(from);
  return { ...textOf(text, from), computed: true };
}

/** So many parts stand side by side; more of them stand one level lower. */
const MAX_BESIDE = 32;
const NONE: readonly Value[] = [];

/** What values were made of, as far as it matters where it came from. None is left out. */
function partsOf(values: readonly Value[]): readonly Value[] {
  const whole = values.filter(hasParts);
  if (whole.length === 0) return NONE;
  let count = 0;
  for (const value of whole) count += isMade(value) ? value.parts.length : 1;
  if (count <= MAX_BESIDE) return whole.flatMap((value) => (isMade(value) ? value.parts : [value]));
  return whole.map((value) => (isMade(value) ? { kind: 'unknown', parts: value.parts } : value));
}

function hasParts(value: Value): boolean {
  if (value.kind === 'list' || value.kind === 'any') return value.items.length > 0;
  return value.kind === 'ref' || isMade(value) || (value.kind === 'record' && value.fields.size > 0);
}

function isMade(value: Value): value is Value & { readonly parts: readonly Value[] } {
  return (value.kind === 'text' || value.kind === 'unknown') && value.parts !== undefined;
}

/** A text that remembers what went into it. */
export function textOf(text: string, from: readonly Value[]): Value & { readonly kind: 'text' } {
  const parts = partsOf(from);
  return parts.length > 0 ? { kind: 'text', text, parts } : { kind: 'text', text };
}

/** Texts with something between them. */
export function joinedBy(between: string, values: readonly Value[], budget: Budget): Value {
  if (!budget.take(Math.floor(values.length / 50))) return onlyParts(values);
  const texts = values.map(asText);
  const length = texts.reduce((all, text) => all + text.length + between.length, 0);
  return fits(length, budget) ? textOf(texts.join(between), values) : onlyParts(values);
}

/** Nobody knows its text, but what went into it. */
export function onlyParts(from: readonly Value[]): Value {
  const parts = partsOf(from);
  return parts.length > 0 ? { kind: 'unknown', parts } : ANYTHING;
}

/** `value.name`. */
export function member(value: Value, name: string): Value {
  if (value.kind === 'ref') return { ...value, name: `${value.name}.${name}` };
  if (value.kind === 'record' && value.fields.has(name)) return value.fields.get(name) as Value;
  if (value.kind === 'any' && value.items.some(({ kind }) => kind === 'ref'))
    return { kind: 'any', items: value.items.map((item) => member(item, name)) };
  return { kind: 'ref', name: `.${name}`, of: value };
}

/** `Path('a') / 'b'`. */
export function joinRef(left: Value & { kind: 'ref' }, right: Value, budget: Budget): Value {
  return { ...left, of: joinedBy('/', left.of ? [left.of, right] : [ANYTHING, right], budget) };
}
