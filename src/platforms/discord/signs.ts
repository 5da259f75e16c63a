import type { InlineStyle, Mark } from './styled.ts';

type Signed = Exclude<InlineStyle, 'code' | 'link'>;

const SIGNS: Readonly<Record<Signed, string>> = { bold: '**', italic: '*', strike: '~~', spoiler: '||' };

/** Code brings its own. */
export function openingSign({ style }: Mark): string {
  if (style === 'code') return '';
  return style === 'link' ? '[' : SIGNS[style as Signed];
}

export function closingSign({ style, url }: Mark): string {
  if (style === 'code') return '';
  return style === 'link' ? `](${target(url ?? '')})` : SIGNS[style as Signed];
}

/** Whether a text that must stay as it is, an address, would end a face around it. */
export function endsFace({ style }: Mark, text: string): boolean {
  return style in SIGNS && text.includes(SIGNS[style as Signed]);
}

/** Parentheses would end it. */
function target(url: string): string {
  const safe = url.replace(/[<>\s]/g, encodeURIComponent);
  return /[()]/.test(safe) ? `<${safe}>` : safe;
}
