import { BREAK, CLOSE, hasUnknown, OPEN, UNKNOWN } from './marks.ts';

/** An array is one text: its elements parted by BREAK, by index; where none was set nothing stands. */

/** Higher indexes are not followed. */
const MAX_INDEX = 63;

/** The index as a number, or null where it is not known, too high, or a name. */
export function indexOf(text: string): number | null {
  return /^\s*\d{1,2}\s*$/.test(text) && Number(text) <= MAX_INDEX ? Number(text) : null;
}

const AT_INDEX = new RegExp(`^[[${OPEN}]([^\\]${CLOSE}]*)[\\]${CLOSE}](\\+?)=`);

/** The text of `(a b [5]=c)`, behind what was there before. */
export function arrayOf(words: readonly string[], before = ''): string {
  let text = before;
  let next = before === '' ? 0 : before.split(BREAK).length;
  for (const word of words) {
    const match = AT_INDEX.exec(word);
    const at = match ? (indexOf(match[1] as string) ?? next) : next;
    if (at > MAX_INDEX) text += BREAK + word;
    else text = withElement(text, at, match ? word.slice(match[0].length) : word, match?.[2] === '+');
    next = at + 1;
  }
  return text;
}

/** The array with one element set, or added to. */
export function withElement(text: string, index: number, value: string, append: boolean): string {
  const elements = text.split(BREAK);
  while (elements.length <= index) elements.push('');
  elements[index] = append ? elements[index] + value : value;
  return elements.join(BREAK);
}

/** One element; an unknown one before it may have been several. */
export function elementAt(text: string, index: number): string {
  const elements = text.split(BREAK);
  return elements.slice(0, index + 1).some(hasUnknown) ? UNKNOWN : (elements[index] ?? '');
}

/** All elements that are there, as words of their own. */
export function allElements(text: string): string {
  return text.includes(BREAK)
    ? text
        .split(BREAK)
        .filter((element) => element !== '')
        .join(BREAK)
    : text;
}
