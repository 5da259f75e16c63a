import type { Statement } from './parse.ts';
import { parseScript } from './parse.ts';

/** Two readings of one text, by what of them is the same. */
export interface Readings {
  /** Both begin with these. */
  readonly before: readonly Statement[];
  /** What the first has in between, and what the second has. */
  readonly first: readonly Statement[];
  readonly second: readonly Statement[];
  /** Both end with these, each with the offsets of its own text. */
  readonly firstRest: readonly Statement[];
  readonly secondRest: readonly Statement[];
}

/**
 * Where two texts that differ in places are the same statement for statement; null where one of them cannot be read or a
 * statement may have parts elsewhere (here-documents).
 */
export function compareReadings(first: string, second: string): Readings | null {
  if (first.includes('<<') || second.includes('<<')) return null;
  const [one, two] = [parseScript(first)?.commands, parseScript(second)?.commands];
  if (!one || !two) return null;
  const from = commonStart(first, second, one, two);
  const behind = commonEnd(first, second, one.slice(from), two.slice(from));
  return {
    before: one.slice(0, from),
    first: one.slice(from, one.length - behind),
    second: two.slice(from, two.length - behind),
    firstRest: one.slice(one.length - behind),
    secondRest: two.slice(two.length - behind),
  };
}

/** Statements up to the last one that begins at the same place in both, behind the same text. */
function commonStart(first: string, second: string, one: readonly Statement[], two: readonly Statement[]): number {
  let same = 0;
  while (first[same] === second[same] && same < first.length) same++;
  let count = 0;
  for (let i = 1; i < one.length && i < two.length; i++) {
    const { pos } = one[i] as Statement;
    if (pos > same || two[i]?.pos !== pos) break;
    count = i;
  }
  return count;
}

/** Statements at the end that begin equally far from it, before the same text. */
function commonEnd(first: string, second: string, one: readonly Statement[], two: readonly Statement[]): number {
  const [a, b] = [first.length, second.length];
  let same = 0;
  while (same < a && same < b && first[a - 1 - same] === second[b - 1 - same]) same++;
  let count = 0;
  for (let i = 1; i <= one.length && i <= two.length; i++) {
    const left = a - (one.at(-i) as Statement).pos;
    if (left > same || b - (two.at(-i) as Statement).pos !== left) break;
    count = i;
  }
  return count;
}
