import { isKnown } from './marks.ts';
import type { Source } from './source.ts';

export type Span = readonly [start: number, end: number];

/** Where text came from, as bits. */
export const TAINT = {
  none: 0,
  /** From a network. */
  fetched: 1,
  /** Out of a decoder. */
  decoded: 2,
  /** From a file that holds secrets. */
  secret: 4,
  /** The process's own environment. */
  environ: 8,
  /** A process this very text started. */
  child: 16,
  /** From a private file outside the work roots. */
  private: 32,
} as const;

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
}

export function literalField(text: string, span: Span, like?: Partial<Field>): Field {
  return { text, span, raw: text, expanded: false, quoted: false, taint: TAINT.none, ...like };
}

/** The word if it is known to the last character. */
export function knownText(field: Field | undefined): string | null {
  return field && isKnown(field.text) ? field.text : null;
}
