import type { Field } from './field.ts';
import { isKnown } from './marks.ts';
import type { Locate } from './state.ts';

/** Offsets of nested text: exact where the word is one plain or quoted run of it, else the whole word. */
export function locateIn(text: Field): Locate {
  const { raw, span } = text;
  const quote = raw[0] === "'" || raw[0] === '"' ? 1 : 0;
  const exact =
    span[1] - span[0] === raw.length && isKnown(text.text) && raw.slice(quote, raw.length - quote) === text.text;
  if (!exact) return () => span;
  const base = span[0] + quote;
  return (pos, end) => [base + pos, base + end];
}
