/**
 * What a reader would not see, or would take for something else, is written out: `\u{202e}`. Newlines and tabs stay.
 * Letters of other scripts stay too, unless a word mixes them with Latin ones or is made of look-alikes alone.
 */
export function visible(text: string): string {
  return text
    .replace(WORDS, (word) => (deceives(word) ? word.replace(LOOK_ALIKE, escaped) : word))
    .replace(HIDDEN, escaped);
}

const escaped = (char: string) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`;

const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;

// Letters that look Latin: Cyrillic, Greek, Armenian, and Latin ones without a dot or serif.
const LOOK_ALIKE = /[аАВвеЕһНіІїјЈкКӏӀМмоОрРсСтТуУхХѕЅԁԛԜѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧικνορτυχօսոհցքɑɡıĸſⅼ]/gu;

function deceives(word: string): boolean {
  const alike = word.match(LOOK_ALIKE)?.length ?? 0;
  if (alike === 0) return false;
  return /[A-Za-z]/.test(word) || alike === [...word.replace(/[\p{N}_]/gu, '')].length;
}

// Controls, formats (bidi, zero-width, tags), blanks that are no blank, lone surrogates, private use, and characters that are
// another way to write ASCII: fullwidth and mathematical letters, dashes, slashes and dots.
const HIDDEN =
  /(?![\n\t ]|(?<=\p{Extended_Pictographic})\ufe0f)(?:\p{Cc}|\p{Cf}|\p{Zs}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Co}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u2800|\u3164|\uffa0|[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u2010-\u2013\u2212\u2044\u2215\u2024\u2236\u29f5\u29f8\u02d7\u02d0\u037e\u0589\u05c3\ua789])/gu;
