import { graphemes } from '../markdown/graphemes.ts';
import { markup } from './markup.ts';
import { type Mark, type StyledText, slice } from './styled.ts';

/** Cuts text into parts whose markup takes at most `limit` units; only spaces at the cuts are lost. Nothing to say gives no part. */
export function split(styled: StyledText, limit: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < styled.text.length; ) {
    const stop = reach(styled, at, limit);
    const cut = stop === styled.text.length ? stop : cutBefore(styled, at, stop, limit);
    const part = markup(slice(styled, at, cut));
    if (part.trim() !== '') parts.push(part);
    at = nextStart(styled, cut);
  }
  return parts;
}

const takes = (styled: StyledText, from: number, to: number) => markup(slice(styled, from, to)).length;

/** As far as a part from `at` could go: markup only adds, so the text itself is the most there can be. */
function reach(styled: StyledText, at: number, limit: number): number {
  let [low, high] = [at + 1, Math.min(styled.text.length, at + limit)];
  const near = { text: styled.text, marks: styled.marks.filter(({ from, to }) => to > at && from < at + limit) };
  if (takes(near, at, high) <= limit) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (takes(near, at, middle) <= limit) low = middle;
    else high = middle;
  }
  return low;
}

/** Where to end the part `[at, stop]`: at the best border of its second half, never inside what fits whole further on. */
function cutBefore(styled: StyledText, at: number, stop: number, limit: number): number {
  const pre = around(styled, stop, isPre);
  if (pre && pre.from > at && takes(styled, pre.from, pre.to) <= limit) return pre.from;
  const from = at + ((stop - at) >> 1);
  const text = styled.text.slice(0, stop + 2);
  if (pre)
    return (
      lastBorder(text, Math.max(from, pre.from), stop, /\n/g, () => true) ??
      blockStart(pre, from) ??
      grapheme(text, at, stop)
    );
  const free = (place: number) => !around(styled, place, isWhole) && !around(styled, place, isPre);
  return prose(text, from, stop, free) ?? before(styled, at, stop) ?? grapheme(text, at, stop);
}

const isPre = ({ style }: Mark) => style === 'pre';
/** Cut in two a link leads nowhere. */
const isWhole = ({ style }: Mark) => style === 'link' || style === 'url' || style === 'raw';

function around({ marks }: StyledText, place: number, what: (mark: Mark) => boolean): Mark | undefined {
  return marks.find((mark) => what(mark) && mark.from < place && place < mark.to);
}

/** A long block without line breaks in reach is begun in a part of its own. */
function blockStart(pre: Mark, from: number): number | undefined {
  return pre.from >= from ? pre.from : undefined;
}

/** The start of the link at `stop`, if the part has anything before it. */
function before(styled: StyledText, at: number, stop: number): number | undefined {
  const whole = around(styled, stop, isWhole);
  return whole && styled.text.slice(at, whole.from).trim() !== '' ? whole.from : undefined;
}

function prose(text: string, from: number, stop: number, free: (place: number) => boolean): number | undefined {
  for (const border of [/\n\n+/g, /\n/g, /[.!?…。！？]["'”’)\]]*(?=\s)|[。！？]/g, /\s/g]) {
    const cut = lastBorder(text, from, stop, border, free);
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
  free: (place: number) => boolean,
): number | undefined {
  let found: number | undefined;
  for (const match of text.slice(from).matchAll(border)) {
    const place = from + match.index + (/^\s/.test(match[0]) ? 0 : match[0].length);
    if (place > from && place <= stop && free(place) && !joinsBack(text, place)) found = place;
  }
  return found;
}

/** A space that carries a combining mark is no border. */
function joinsBack(text: string, place: number): boolean {
  return /^\s[\p{M}\u200d]/u.test(text.slice(place, place + 3)) || /^[\p{M}\u200d]/u.test(text.slice(place, place + 2));
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

/** Spaces at a cut go; inside a block only the line break goes, indentation stays. */
function nextStart(styled: StyledText, cut: number): number {
  if (around(styled, cut, isPre)) return styled.text[cut] === '\n' ? cut + 1 : cut;
  const rest = styled.text.slice(cut);
  const block = styled.marks.find((mark) => isPre(mark) && mark.from >= cut);
  const spaces = rest.length - rest.trimStart().length;
  return cut + Math.min(spaces, block ? block.from - cut : spaces);
}
