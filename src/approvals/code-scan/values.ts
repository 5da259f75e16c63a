import { isKnown, UNKNOWN } from '../shell/marks.ts';

/** What is known of an expression of a script. */
export type Value =
  /** `computed`: put together of pieces. */
  | { readonly kind: 'text'; readonly text: string; readonly computed?: true }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> }
  /** A module, a function or an object, by the name tables know it under. */
  | { readonly kind: 'ref'; readonly name: string; readonly of?: Value }
  | { readonly kind: 'unknown' };

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
  return text.replaceAll(UNKNOWN, '') === '' ? ANYTHING : { kind: 'text', text, computed: true };
}
