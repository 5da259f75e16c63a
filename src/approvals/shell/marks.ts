/**
 * Partly known text is kept as an ordinary string in which a few private-use characters stand for what is not known.
 * `replaceMarks` makes sure that none of them comes from the judged text itself.
 */

/** Any string, also none: only running it would tell. */
export const UNKNOWN = '\uE000';
/** An unquoted `*`. */
export const STAR = '\uE001';
/** An unquoted `?`. */
export const ANY = '\uE002';
/** An unquoted bracket expression: `OPEN content CLOSE`. */
export const OPEN = '\uE003';
export const CLOSE = '\uE004';
/** Where `"$@"` or an array falls into separate words. */
export const BREAK = '\uE005';

const MARKS = /[\uE000-\uE005]/;
const FIRST = 0xe000;
const LAST = 0xe005;

/** Whether a character's code is that of a mark. */
export function isMark(code: number): boolean {
  return code >= FIRST && code <= LAST;
}

/** Whether every character is known. Asked some thousand times a text, of short words: a pattern takes longer than this. */
export function isKnown(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= FIRST && code <= LAST) return false;
  }
  return true;
}

export function hasUnknown(text: string): boolean {
  return text.includes(UNKNOWN);
}

export function hasGlob(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > FIRST && code < LAST - 1) return true;
  }
  return false;
}

/** The judged text without characters that would be taken for marks; offsets stay the same. */
export function replaceMarks(source: string): string {
  return MARKS.test(source) ? source.replace(/[\uE000-\uE005]/g, '\uFFFD') : source;
}

/** How a partly known text reads for people. */
export function display(text: string): string {
  if (!MARKS.test(text)) return text;
  return text
    .replaceAll(UNKNOWN, '…')
    .replaceAll(STAR, '*')
    .replaceAll(ANY, '?')
    .replaceAll(OPEN, '[')
    .replaceAll(CLOSE, ']')
    .replaceAll(BREAK, ' ');
}

/** Turns the glob characters of an unquoted expansion into marks. */
export function activateGlobs(text: string): string {
  return /[*?[]/.test(text) ? text.replaceAll('*', STAR).replaceAll('?', ANY) : text;
}
