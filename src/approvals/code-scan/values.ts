import { isKnown, UNKNOWN } from '../shell/marks.ts';

/** What is known of an expression of a script. */
export type Value =
  /** `computed`: put together of pieces; `parts` are those that are no text. */
  | { readonly kind: 'text'; readonly text: string; readonly computed?: true; readonly parts?: readonly Value[] }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  /** One of these: what a loop goes over. */
  | { readonly kind: 'any'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> }
  /** A module, a function or an object, by the name tables know it under; `before`: what a method with arguments was called on. */
  | { readonly kind: 'ref'; readonly name: string; readonly of?: Value; readonly before?: Value }
  | { readonly kind: 'unknown'; readonly parts?: readonly Value[] };

export const ANYTHING: Value = { kind: 'unknown' };

export function textValue(text: string): Value {
  return { kind: 'text', text };
}

/** Objects that stand for the path or text they were made of. */
const CARRIERS = new Set(['pathlib.Path()', 'Pathname.of', 'str()', 'String()', 'file']);

/** The text of a value; unknown parts are marked. */
export function asText(value: Value | undefined): string {
  if (value?.kind === 'ref' && value.of && CARRIERS.has(value.name)) return asText(value.of);
  if (value?.kind === 'text') return value.text;
  if (value?.kind === 'number') return String(value.number);
  return UNKNOWN;
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
  if (value.kind !== 'list') return value;
  return value.items.length === 0 ? ANYTHING : { kind: 'any', items: value.items };
}

const MAX_CHOICES = 64;

/** Every way to choose where values may be one of several; past the limit one way is anything. */
export function choices(values: readonly Value[]): readonly (readonly Value[])[] {
  if (!values.some(isOpen)) return [values];
  let rows: readonly (readonly Value[])[] = [[]];
  for (const value of values) {
    const ways = waysOf(value);
    const all =
      rows.length * ways.length > MAX_CHOICES ? [...ways.slice(0, MAX_CHOICES / rows.length), onlyParts(ways)] : ways;
    rows = rows.flatMap((row) => all.map((way) => [...row, way])).slice(0, MAX_CHOICES + 1);
  }
  return rows;
}

function isOpen(value: Value): boolean {
  return value.kind === 'any' || (value.kind === 'list' && value.items.some(({ kind }) => kind === 'any'));
}

function waysOf(value: Value): readonly Value[] {
  if (value.kind === 'any') return value.items;
  return isOpen(value) && value.kind === 'list'
    ? choices(value.items).map((items) => ({ kind: 'list', items }))
    : [value];
}

export function concat(a: Value, b: Value): Value {
  if (a.kind === 'any' || b.kind === 'any')
    return { kind: 'any', items: choices([a, b]).map(([left, right]) => concat(left as Value, right as Value)) };
  if (a.kind === 'list' && b.kind === 'list') return { kind: 'list', items: [...a.items, ...b.items] };
  if (a.kind === 'number' && b.kind === 'number') return { kind: 'number', number: a.number + b.number };
  return madeText(asText(a) + asText(b), [a, b]);
}

/** A text that was put together of values. */
export function madeText(text: string, from: readonly Value[]): Value {
  if (text !== '' && text.replaceAll(UNKNOWN, '') === '') return onlyParts(from);
  return { ...textOf(text, from), computed: true };
}

const MAX_PARTS = 32;
/** How many values are looked through for parts. */
const MAX_SEARCHED = 128;
const NONE: readonly Value[] = [];

/** What values were made of, as far as it matters where it came from. */
export function partsOf(values: readonly Value[]): readonly Value[] {
  if (!values.some(hasParts)) return NONE;
  const parts: Value[] = [];
  const open = values.slice(0, MAX_SEARCHED);
  for (let i = 0; i < open.length && parts.length < MAX_PARTS; i++) {
    const value = open[i] as Value;
    if (value.kind === 'ref') parts.push(value);
    else if (hasParts(value)) for (const one of insideOf(value).slice(0, MAX_SEARCHED - open.length)) open.push(one);
  }
  return parts;
}

function hasParts(value: Value): boolean {
  return value.kind === 'ref' || insideOf(value).length > 0;
}

function insideOf(value: Value): readonly Value[] {
  if (value.kind === 'list' || value.kind === 'any') return value.items;
  return value.kind === 'text' || value.kind === 'unknown' ? (value.parts ?? NONE) : NONE;
}

/** A text that remembers what went into it. */
export function textOf(text: string, from: readonly Value[]): Value & { readonly kind: 'text' } {
  const parts = partsOf(from);
  return parts.length > 0 ? { kind: 'text', text, parts } : { kind: 'text', text };
}

/** One of several values. */
export function joined(values: readonly Value[]): Value {
  return values.length === 1 ? (values[0] as Value) : { kind: 'any', items: values };
}

/** Nobody knows its text, but what went into it. */
export function onlyParts(from: readonly Value[]): Value {
  const parts = partsOf(from);
  return parts.length > 0 ? { kind: 'unknown', parts } : ANYTHING;
}

/** `value.name`. */
export function member(value: Value, name: string): Value {
  if (value.kind === 'ref') return { ...value, name: `${value.name}.${name}` };
  return { kind: 'ref', name: `.${name}`, of: value };
}

/** `Path('a') / 'b'`. */
export function joinRef(left: Value & { kind: 'ref' }, right: Value): Value {
  return { ...left, of: textValue(`${asText(left.of)}/${asText(right)}`) };
}
