import type { Delete, Emphasis, Strong } from 'mdast';

/** Scripts written without spaces between words: there a marker between two letters is ordinary. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;
const WORD = /[\p{L}\p{N}_]/u;

/** A letter or digit of a script that separates words with spaces. */
export function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character) && !UNSPACED.test(character);
}

/**
 * Whether what the grammar calls emphasis is plain text all the same: `2*3*4`, `src/**` + `/*.ts`, `__init__`.
 * Gives the marker to write back on both sides, or undefined.
 */
export function literalMarker(node: Emphasis | Strong | Delete, source: string): string | undefined {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined || node.type === 'delete') return undefined;
  const marker = source.slice(start, start + (node.type === 'strong' ? 2 : 1));
  const around: Around = {
    before: before(source, start),
    inner: source.slice(start + marker.length, end - marker.length),
    after: source.slice(end, end + 2),
  };
  if (insideFormula(source, start, end)) return marker;
  const literal = marker.startsWith('_') ? marker === '__' && isName(around) : isProduct(around) || isGlob(around);
  return literal ? marker : undefined;
}

interface Around {
  readonly before: string | undefined;
  readonly inner: string;
  readonly after: string;
}

const FORMULAS = [
  ['$$', '$$'],
  ['\\(', '\\)'],
  ['\\[', '\\]'],
] as const;

/** Longer formulas are not looked for; it keeps long texts quick. */
const FORMULA_REACH = 2_000;

/** Between the marks of a formula nothing is emphasis. */
function insideFormula(source: string, start: number, end: number): boolean {
  return FORMULAS.some(([open, close]) => {
    const near = source.slice(Math.max(0, start - FORMULA_REACH), start);
    const before = near.slice(Math.max(0, near.lastIndexOf('\n\n')));
    const opened =
      open === close ? before.split(open).length % 2 === 0 : before.lastIndexOf(open) > before.lastIndexOf(close);
    return opened && source.slice(end, end + FORMULA_REACH).includes(close);
  });
}

function isName({ inner }: Around): boolean {
  return /^\w+$/.test(inner);
}

function isProduct({ before, after }: Around): boolean {
  return isWord(before) && isWord(first(after));
}

function isGlob({ before, inner, after }: Around): boolean {
  return /^(?:\/|\.\w)/.test(inner) || (before === '/' && (/^(?:\/|\.\w)/.test(after) || isWord(first(after))));
}

function before(source: string, at: number): string | undefined {
  return [...source.slice(Math.max(0, at - 2), at)].at(-1);
}

function first(text: string): string | undefined {
  return [...text][0];
}

/** Index pairs of `||` that open and close hidden text, given the whole text and where each `||` stands, in order. */
export function spoilerPairs(text: string, marks: readonly number[]): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  let open: number | undefined;
  for (const mark of marks) {
    if (open !== undefined && closes(text, open, mark)) {
      pairs.push([open, mark]);
      open = undefined;
    } else if (opens(text, mark)) {
      open ??= mark;
    }
  }
  return pairs;
}

function opens(text: string, at: number): boolean {
  const previous = before(text, at);
  const next = text[at + 2];
  return !isWord(previous) && previous !== ')' && previous !== '|' && next !== undefined && !/[\s=|]/.test(next);
}

function closes(text: string, open: number, at: number): boolean {
  const inner = text[at - 1];
  return (
    at > open + 2 &&
    inner !== undefined &&
    !/\s/.test(inner) &&
    !isWord(first(text.slice(at + 2, at + 4))) &&
    text[at + 2] !== '='
  );
}
