/** A set of ASCII characters, by code. Of words a few letters long it tells sooner than a pattern does. */
export type CharClass = Uint8Array;

export function charClass(characters: string): CharClass {
  const known = new Uint8Array(128);
  for (const char of characters) known[char.charCodeAt(0)] = 1;
  return known;
}

export const WORD_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_';

/** Whether the text is some characters, all of the class. */
export function isAllOf(text: string, of: CharClass): boolean {
  for (let i = 0; i < text.length; i++) if (of[text.charCodeAt(i)] !== 1) return false;
  return text !== '';
}

export function hasOneOf(text: string, of: CharClass): boolean {
  for (let i = 0; i < text.length; i++) if (of[text.charCodeAt(i)] === 1) return true;
  return false;
}
