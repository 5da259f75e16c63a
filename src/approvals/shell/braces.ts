import { OverLimit } from './walker.ts';

const MAX_RESULTS = 2_048;
const MAX_DEPTH = 20;
/** Of longer ranges of numbers only these many are looked at, the last one among them: they differ in nothing else. */
const MAX_RANGE = 64;
const LOOKED_AT = 16;

/**
 * The words that brace expansion makes of one, still quoted, or null where there is no real one.
 * Quotes, escapes and `${` are skipped. Throws OverLimit where there are too many to look at each.
 */
export function expandBraces(text: string): readonly string[] | null {
  const budget = { left: MAX_RESULTS * 4 };
  const found = expand(text, budget, 0);
  return found.length === 1 && found[0] === text ? null : found;
}

function expand(text: string, budget: { left: number }, depth: number): string[] {
  const brace = findBrace(text);
  if (!brace) return [text];
  if (depth > MAX_DEPTH) throw new OverLimit();
  const before = text.slice(0, brace.open);
  const items = brace.commas.length > 0 ? listItems(text, brace) : range(text.slice(brace.open + 1, brace.close));
  if (!items) {
    const rest = expand(text.slice(brace.close + 1), budget, depth + 1);
    return rest.map((tail) => text.slice(0, brace.close + 1) + tail);
  }
  const tails = expand(text.slice(brace.close + 1), budget, depth + 1);
  const heads = brace.commas.length > 0 ? items.flatMap((item) => expand(item, budget, depth + 1)) : items;
  const out: string[] = [];
  for (const head of heads) {
    for (const tail of tails) {
      if (out.length >= MAX_RESULTS || budget.left-- <= 0) throw new OverLimit();
      out.push(before + head + tail);
    }
  }
  return out;
}

interface Brace {
  readonly open: number;
  readonly close: number;
  readonly commas: readonly number[];
}

function listItems(text: string, brace: Brace): string[] {
  const cuts = [brace.open, ...brace.commas, brace.close];
  return cuts.slice(1).map((end, i) => text.slice((cuts[i] as number) + 1, end));
}

/** The first brace that closes and holds a comma or `..` at its own level. */
function findBrace(text: string): Brace | null {
  const stack: { open: number; commas: number[] }[] = [];
  let best: Brace | null = null;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === "'" || char === '"' || char === '`') i = skipQuoted(text, i);
    else if (char === '$' && (text[i + 1] === '{' || text[i + 1] === '(')) i = skipExpansion(text, i + 1);
    else if (char === '{') stack.push({ open: i, commas: [] });
    else if (char === ',') stack.at(-1)?.commas.push(i);
    else if (char === '}') {
      const top = stack.pop();
      if (top && (top.commas.length > 0 || text.slice(top.open, i).includes('..')) && (!best || top.open < best.open))
        best = { ...top, close: i };
      if (best && stack.length === 0) return best;
    }
  }
  return best;
}

function skipQuoted(text: string, at: number): number {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\' && quote !== "'") i++;
    else if (text[i] === quote) return i;
  }
  return text.length;
}

function skipExpansion(text: string, at: number): number {
  const open = text[at];
  const close = open === '{' ? '}' : ')';
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return i;
  }
  return text.length;
}

/** `1..3`, `a..e`, with an optional step. */
function range(body: string): string[] | null {
  const match = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.(-?\d{1,6}))?$/.exec(body);
  if (!match) return null;
  const numeric = /\d$/.test(match[1] as string) && /\d$/.test(match[2] as string);
  const point = (text: string) => (numeric ? Number(text) : (text.codePointAt(0) as number));
  const from = point(match[1] as string);
  const to = point(match[2] as string);
  const step = Math.max(1, Math.abs(Number(match[3] ?? 1)));
  const last = Math.floor(Math.abs(to - from) / step);
  return Array.from({ length: last < MAX_RANGE ? last + 1 : LOOKED_AT }, (_, i) => {
    const at = (i === LOOKED_AT - 1 && last >= MAX_RANGE ? last : i) * step;
    const value = from <= to ? from + at : from - at;
    return numeric ? String(value) : String.fromCodePoint(value);
  });
}
