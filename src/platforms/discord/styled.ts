/**
 * A stretch of text in another face. Offsets count UTF-16 units, `to` is exclusive. `raw` is Discord's own markup (a bullet)
 * and `url` an address that stands for itself: neither is escaped. `pre`, `quote` and `heading` cover whole lines.
 */
export interface Mark {
  readonly style: Style;
  readonly from: number;
  readonly to: number;
  /** Of `link`. */
  readonly url?: string;
  /** Of `pre`. */
  readonly language?: string;
  /** Of `heading`: 1 to 3. */
  readonly level?: number;
}

export type InlineStyle = 'bold' | 'italic' | 'strike' | 'spoiler' | 'code' | 'link';
export type Style = InlineStyle | 'raw' | 'url' | 'pre' | 'quote' | 'heading';

/** What people see, and in which face; how Discord writes that down is the business of `markup`. */
export interface StyledText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

export const NOTHING: StyledText = { text: '', marks: [] };

const KEEPS_SPACES: ReadonlySet<Style> = new Set(['pre', 'code', 'quote', 'heading', 'raw']);

/** Marks that overlap or touch and look alike are one; edges on spaces move in; whatever shares letters with code goes. */
export function tidy({ text, marks }: StyledText): StyledText {
  const solid = marks.filter(isSolid);
  const kept = marks.filter((mark) => isSolid(mark) || isBlock(mark) || !solid.some((one) => cuts(one, mark)));
  const snug = merged(kept).flatMap((mark) => trimmed(text, mark));
  return { text, marks: snug.sort(outermostFirst) };
}

const isSolid = ({ style }: Mark) => style === 'pre' || style === 'code';
const isBlock = ({ style }: Mark) => style === 'quote' || style === 'heading' || style === 'raw';

/** A face may cover code as a whole, and never a part of it. */
function cuts(code: Mark, mark: Mark): boolean {
  const apart = mark.to <= code.from || mark.from >= code.to;
  const around = mark.from <= code.from && mark.to >= code.to && code.style === 'code';
  return !apart && !around;
}

function outermostFirst(a: Mark, b: Mark): number {
  return a.from - b.from || b.to - a.to || RANK.indexOf(a.style) - RANK.indexOf(b.style);
}

const RANK: readonly Style[] = [
  'quote',
  'heading',
  'pre',
  'spoiler',
  'link',
  'bold',
  'strike',
  'italic',
  'code',
  'raw',
  'url',
];

function merged(marks: readonly Mark[]): readonly Mark[] {
  const result: Mark[] = [];
  for (const mark of [...marks].sort(outermostFirst)) {
    const at = JOINS.has(mark.style) ? result.findLastIndex((other) => other.style === mark.style) : -1;
    const other = result[at];
    if (other && mark.from <= other.to) result[at] = { ...other, to: Math.max(other.to, mark.to) };
    else result.push(mark);
  }
  return result;
}

const JOINS: ReadonlySet<Style> = new Set(['bold', 'italic', 'strike', 'spoiler']);

function trimmed(text: string, mark: Mark): readonly Mark[] {
  if (KEEPS_SPACES.has(mark.style)) return mark.to > mark.from ? [mark] : [];
  const covered = text.slice(mark.from, mark.to);
  if (covered.trim() === '') return [];
  const from = mark.from + covered.length - covered.trimStart().length;
  return [{ ...mark, from, to: mark.from + covered.trimEnd().length }];
}

/** The stretch `[from, to)` on its own, without spaces at its ends; marks that reach in are cut to it. */
export function slice({ text, marks }: StyledText, from: number, to: number): StyledText {
  const pre = marks.find((mark) => mark.style === 'pre' && mark.from <= from && mark.to > from);
  const lead = pre ? 0 : text.slice(from, to).search(/\S|$/);
  const indented = marks.find((mark) => mark.style === 'pre' && mark.from >= from && mark.from < from + lead);
  const start = indented?.from ?? from + lead;
  const code = marks.some((mark) => mark.style === 'pre' && mark.from < to && mark.to >= to);
  const stop = code ? to : Math.max(start, from + text.slice(from, to).trimEnd().length);
  const cut = marks.flatMap((mark) => {
    const [a, b] = [Math.max(mark.from, start), Math.min(mark.to, stop)];
    return b > a ? [{ ...mark, from: a - start, to: b - start }] : [];
  });
  return tidy({ text: text.slice(start, stop), marks: cut });
}
