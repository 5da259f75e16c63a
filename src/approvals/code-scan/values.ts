import { isKnown, UNKNOWN } from '../shell/marks.ts';

/** What is known of an expression of a script. */
export type Value =
  /** `computed`: put together of pieces; `parts` are those that are no text. */
  | { readonly kind: 'text'; readonly text: string; readonly computed?: true; readonly parts?: readonly Value[] }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
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

export function concat(a: Value, b: Value): Value {
  if (a.kind === 'list' && b.kind === 'list') return { kind: 'list', items: [...a.items, ...b.items] };
  if (a.kind === 'number' && b.kind === 'number') return { kind: 'number', number: a.number + b.number };
  const text = asText(a) + asText(b);
  const parts = [...partsOf(a), ...partsOf(b)].slice(0, MAX_PARTS);
  if (text.replaceAll(UNKNOWN, '') === '') return ofParts(parts);
  return parts.length > 0 ? { kind: 'text', text, computed: true, parts } : { kind: 'text', text, computed: true };
}

const MAX_PARTS = 8;

/** What a value was made of, as far as it matters where it came from. */
export function partsOf(value: Value): readonly Value[] {
  if (value.kind === 'ref') return [value];
  return value.kind === 'text' || value.kind === 'unknown' ? (value.parts ?? []) : [];
}

/** Nobody knows its text, but what went into it. */
export function ofParts(parts: readonly Value[]): Value {
  return parts.length > 0 ? { kind: 'unknown', parts } : ANYTHING;
}
