import { graphemes } from '../markdown/graphemes.ts';
import { type Entity, end, type RichText, slice, tidy } from './rich-text.ts';

export interface SplitLimits {
  /** UTF-16 units a part. */
  readonly units: number;
  /** Entities a part; Telegram drops what is beyond. */
  readonly entities: number;
}

export const MESSAGE_LIMITS: SplitLimits = { units: 4096, entities: 100 };

/** Cuts text into parts that Telegram takes; only spaces at the cuts are lost. Nothing to say gives no part. */
export function split(rich: RichText, limits: SplitLimits = MESSAGE_LIMITS): readonly RichText[] {
  const parts: RichText[] = [];
  let at = 0;
  while (at < rich.text.length) {
    const stop = reach(rich, at, limits);
    const cut = stop === rich.text.length ? stop : cutBefore(rich, at, stop, limits);
    const part = slice(rich, at, cut);
    if (part.text !== '') parts.push(part);
    at = nextStart(rich, cut);
  }
  return parts.map(tidy);
}

/** As far as a part from `at` could go. */
function reach({ text, entities }: RichText, at: number, limits: SplitLimits): number {
  const units = Math.min(text.length, at + limits.units);
  const inside = entities.filter((entity) => end(entity) > at && entity.offset < units);
  const over = inside[limits.entities];
  return over ? Math.max(at + 1, Math.min(units, over.offset)) : units;
}

/** Where to end the part `[at, stop]`: at the best border of its second half, never inside a block that fits whole further on. */
function cutBefore(rich: RichText, at: number, stop: number, limits: SplitLimits): number {
  const pre = preAround(rich, stop);
  if (pre && pre.offset > at && pre.length <= limits.units) return pre.offset;
  const from = at + ((stop - at) >> 1);
  const text = rich.text.slice(0, stop + 2);
  if (pre)
    return (
      lastBorder(text, Math.max(from, pre.offset), stop, /\n/g) ?? lineStart(pre, at, from) ?? grapheme(text, at, stop)
    );
  return prose(rich, text, from, stop) ?? grapheme(text, at, stop);
}

/** A long block without line breaks in reach is begun in a part of its own. */
function lineStart(pre: Entity, at: number, from: number): number | undefined {
  return pre.offset > at && pre.offset >= from ? pre.offset : undefined;
}

function prose(rich: RichText, text: string, from: number, stop: number): number | undefined {
  for (const border of [/\n\n+/g, /\n/g, /[.!?…。！？]["'”’)\]]*(?=\s)|[。！？]/g, /\s/g]) {
    const cut = lastBorder(text, from, stop, border, (place) => preAround(rich, place) === undefined);
    if (cut !== undefined) return cut;
  }
  return undefined;
}

/** The last match that begins after `from`; the cut is behind a sentence's end but before the spaces. */
function lastBorder(
  text: string,
  from: number,
  stop: number,
  border: RegExp,
  allowed: (place: number) => boolean = () => true,
): number | undefined {
  let found: number | undefined;
  for (const match of text.slice(from).matchAll(border)) {
    const place = from + match.index + (/^\s/.test(match[0]) ? 0 : match[0].length);
    if (place > from && place <= stop && allowed(place) && !joinsBack(text, place)) found = place;
  }
  return found;
}

/** A space that carries a combining mark is no border. */
function joinsBack(text: string, place: number): boolean {
  return /^\s[\p{M}\u200d]/u.test(text.slice(place, place + 3)) || /^[\p{M}\u200d]/u.test(text.slice(place, place + 2));
}

function preAround({ entities }: RichText, place: number): Entity | undefined {
  return entities.find((entity) => entity.type === 'pre' && entity.offset < place && place < end(entity));
}

/** The last border between characters as people see them; a single one that is longer than a part is cut between code points. */
function grapheme(text: string, at: number, stop: number): number {
  let border = at;
  for (const { index } of graphemes(text.slice(at, stop + 2))) {
    if (at + index > stop) break;
    border = at + index;
  }
  if (border > at) return border;
  return /[\ud800-\udbff]/.test(text[stop - 1] ?? '') && stop - 1 > at ? stop - 1 : stop;
}

/** Spaces at a cut go; inside a `pre` only the line break goes, indentation stays. */
function nextStart(rich: RichText, cut: number): number {
  if (preAround(rich, cut)) return rich.text[cut] === '\n' ? cut + 1 : cut;
  const rest = rich.text.slice(cut);
  const indented = rich.entities.find((entity) => entity.type === 'pre' && entity.offset >= cut);
  const spaces = rest.length - rest.trimStart().length;
  return cut + Math.min(spaces, indented ? indented.offset - cut : spaces);
}
