import { isKnown } from './marks.ts';
import type { Source } from './source.ts';
import { TAINT } from './taint.ts';

export type Span = readonly [start: number, end: number];

/** One word after expansion. `text` may hold marks. */
export interface Field {
  readonly text: string;
  readonly span: Span;
  /** As written. */
  readonly raw: string;
  /** Its text came, in part, out of an expansion or `$'..'`. */
  readonly expanded: boolean;
  readonly quoted: boolean;
  readonly taint: number;
  /** What a process substitution would deliver. */
  readonly content?: Source;
  /** Judges the program inside `>( )` as the reader of what is written to it. */
  readonly reader?: (written: Source) => void;
}

export function literalField(text: string, span: Span, like?: Partial<Field>): Field {
  return { text, span, raw: text, expanded: false, quoted: false, taint: TAINT.none, ...like };
}

/** The word if it is known to the last character. */
export function knownText(field: Field | undefined): string | null {
  return field && isKnown(field.text) ? field.text : null;
}
