import type { OutboundMessage } from '../../contract/message.ts';
import { WEB_LIMITS } from './limits.ts';

/** What reopening and closing a code block may add to a part. */
const FENCE_ROOM = 100;

/**
 * Splits a message at paragraph ends, else line ends, else anywhere but inside a surrogate pair. A code
 * block that is cut goes on as one. Files and buttons go with the last part. Spaces only and no file: nothing is sent.
 */
export function splitMessage(
  message: OutboundMessage,
  maxText = WEB_LIMITS.maxText,
  maxParts = WEB_LIMITS.maxParts,
): readonly OutboundMessage[] {
  const text = message.text.replaceAll('\0', '\u{fffd}').replace(/\r\n?/g, '\n');
  if (text.trim() === '') return message.files?.length ? [{ ...message, text: '' }] : [];
  const pieces = text.length > maxText ? keepFences(splitText(text, maxText - FENCE_ROOM)) : [text];
  const { buttons, files = [], ...rest } = message;
  if (pieces.length > maxParts) {
    const whole = { name: 'answer.md', text };
    return [{ ...rest, text: pieces[0] as string, ...(buttons && { buttons }), files: [whole, ...files] }];
  }
  return pieces.map((piece, i) => {
    const last = i === pieces.length - 1 ? { ...(buttons && { buttons }), ...(files.length > 0 && { files }) } : {};
    return { ...rest, text: piece, ...last };
  });
}

function splitText(text: string, max: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > max) {
    const end = from + cut(text.slice(from, from + max));
    pieces.push(text.slice(from, end).trimEnd());
    from = end;
    while (text[from] === '\n') from++;
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece.trim() !== '');
}

function cut(window: string): number {
  for (const border of ['\n\n', '\n', ' ']) {
    const at = window.lastIndexOf(border);
    if (at >= window.length / 2) return at;
  }
  return /[\ud800-\udbff]$/.test(window) ? window.length - 1 : window.length;
}

/** Closes a code block at the end of a part and opens it again in the next. */
function keepFences(pieces: readonly string[]): string[] {
  let open = '';
  return pieces.map((piece) => {
    const text = open === '' ? piece : `${open}\n${piece}`;
    open = openFence(text);
    return open === '' ? text : `${text}\n${/^(.)\1*/.exec(open)?.[0]}`;
  });
}

/** The line that opened the code block which a text leaves open; empty: none. */
function openFence(text: string): string {
  let open = '';
  for (const [, mark, rest] of text.matchAll(/^ {0,3}(`{3,20}|~{3,20})(.*)$/gm) as Iterable<[string, string, string]>) {
    if (open === '') open = rest.length <= 40 ? `${mark}${rest}` : mark;
    else if (rest.trim() === '' && open.startsWith(mark[0] as string) && mark.length >= fenceLength(open)) open = '';
  }
  return open;
}

function fenceLength(line: string): number {
  return /^(.)\1*/.exec(line)?.[0].length ?? 0;
}
