let segmenter: Intl.Segmenter | undefined;

/** What a reader counts as characters, in order. The tables are loaded with the first text, not with the program. */
export function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}
