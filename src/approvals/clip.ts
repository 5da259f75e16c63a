import { masked } from './redact.ts';
import { visible } from './visible.ts';

type Span = readonly [start: number, end: number];

/** A command with the places in it that matter. */
export interface Marked {
  readonly text: string;
  /** What was flagged. */
  readonly flagged: readonly Span[];
  /** What is masked, in order, apart from each other. */
  readonly secrets: readonly Span[];
}

/** Characters shown on both sides of a flagged part. */
const AROUND = 80;
/** Of a long flagged part only its beginning and end are shown. */
const LONGEST = 160;

/** The whole text as a reader may see it: secrets masked, hidden characters written out. */
export function shown({ text, secrets }: Marked): string {
  return visible(masked(text, secrets, 0, text.length));
}

/** One piece of it, on the same terms. */
export function piece({ text, secrets }: Marked, [from, to]: Span): string {
  return visible(masked(text, secrets, from, to));
}

/**
 * Head, every flagged part with what is around it, and tail, in at most `room` characters; each gap says how much is missing.
 * Where not even that fits, later flagged parts give way first.
 */
export function narrowed(marked: Marked, room: number): string {
  const parts = marked.flagged.flatMap(bounded).map((span) => around(span, marked.text.length));
  const text = (kept: number, end: number) =>
    joined(marked, ends(marked.text.length, end).concat(parts.slice(0, kept)));
  // No part is much shorter than what stands around it; more of them than this cannot fit.
  const most = Math.min(parts.length, Math.floor(room / AROUND));
  const kept = largest(0, most, (count) => text(count, SHORTEST_END).length <= room);
  const end = largest(SHORTEST_END, Math.floor(room / 2), (size) => text(kept, size).length <= room);
  const fitting = text(kept, end);
  return fitting.length <= room ? fitting : '';
}

/** Head and tail are never shorter. */
const SHORTEST_END = 20;

/** The largest number that fits, by halving; the smallest where none does. */
function largest(from: number, to: number, fits: (count: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function bounded([start, end]: Span): readonly Span[] {
  if (end - start <= LONGEST) return [[start, end]];
  return [
    [start, start + LONGEST / 2],
    [end - LONGEST / 2, end],
  ];
}

const around = ([start, end]: Span, length: number): Span => [
  Math.max(0, start - AROUND),
  Math.min(length, end + AROUND),
];
const ends = (length: number, size: number): Span[] => [
  [0, Math.min(size, length)],
  [Math.max(0, length - size), length],
];

function joined(marked: Marked, spans: readonly Span[]): string {
  let out = '';
  let at = 0;
  for (const [start, end] of union(spans)) {
    if (start > at) out += `\n[${(start - at).toLocaleString('en')} characters hidden]\n`;
    out += piece(marked, [start, end]);
    at = end;
  }
  return out;
}

/** In order, overlapping and nearly touching ones as one. */
function union(spans: readonly Span[]): readonly Span[] {
  const out: [number, number][] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && start <= last[1] + AROUND / 2) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}
