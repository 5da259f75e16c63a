import { graphemes } from './graphemes.ts';

const WIDE =
  /[\p{Emoji_Presentation}\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{33ff}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{a000}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe4f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\ufe0f/u;
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;

/** Columns a text takes in a monospace font: wide characters and emoji count 2, marks and controls 0. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += INVISIBLE.test(segment) ? 0 : WIDE.test(segment) ? 2 : 1;
  return width;
}
