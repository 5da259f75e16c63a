/** Ranges of characters that change what a reader sees: controls, escapes, bidi, zero-width, tags. */
const HIDDEN_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
];

const escapeOf = (code: number) => `\\u{${code.toString(16)}}`;
const HIDDEN = new RegExp(`[${HIDDEN_RANGES.map(([from, to]) => `${escapeOf(from)}-${escapeOf(to)}`).join('')}]`, 'gu');

const ESC = String.fromCharCode(0x1b);
const BEL = String.fromCharCode(0x07);

/** Where such characters stand; a joiner or selector between emoji is how emoji are written. */
export function hiddenSpans(text: string): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const match of text.matchAll(HIDDEN)) {
    const at = match.index;
    if (match[0] === '\u200d' && joinsEmoji(text, at)) continue;
    spans.push([at, at + match[0].length]);
  }
  return spans;
}

/** Colour and cursor sequences, titles and links, and two-character escapes. */
const SEQUENCE = new RegExp(
  [`${ESC}\\[[0-?]*[ -/]*[@-~]`, `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`, `${ESC}[ -/]*[0-~]`].join('|'),
  'g',
);

/** The text as a terminal would leave it: without sequences and hidden characters. */
export function withoutHidden(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .replace(HIDDEN, (char, at: number) => (char === '\u200d' && joinsEmoji(text, at) ? char : ''));
}

function joinsEmoji(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 4), at);
  const after = text.slice(at + 1, at + 3);
  return (
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after)
  );
}
