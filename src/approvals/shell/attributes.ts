import { UNKNOWN } from './marks.ts';

/** What an attribute makes of a name's values; `ref`: the name stands for another, none where it is not given yet. */
export type Attribute =
  | { readonly kind: 'lower' | 'upper' | 'other' }
  | { readonly kind: 'ref'; readonly to: string | undefined };

/** A reference to a plain name; what it means otherwise is not followed. */
export function referenceTo(name: string): Attribute {
  return /^[A-Za-z_]\w*$/.test(name) ? { kind: 'ref', to: name } : { kind: 'other' };
}

/** The value as the attribute leaves it. */
export function changed(text: string, { kind }: Attribute): string {
  if (kind === 'lower') return text.toLowerCase();
  return kind === 'upper' ? text.toUpperCase() : UNKNOWN;
}
