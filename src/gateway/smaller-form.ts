import type { OutboundMessage } from '../contract/message.ts';

/**
 * The smaller form of a part that was too large: without its files, which are named, or cut in two. Pure; the pieces are
 * messages that have still to be split into parts.
 */
export function smallerForm(part: OutboundMessage): readonly OutboundMessage[] {
  const { files = [], rendered, ...rest } = part;
  const text = rendered === undefined ? part.text : literal(part.text);
  if (files.length > 0) return [{ ...rest, text: joined(text, leftOut(files.map(({ name }) => name))) }];
  const { buttons, replyTo, ...manner } = rest;
  const [head, tail] = halves(part.text).map((half) => (rendered === undefined ? half : literal(half)));
  if (!tail) return [{ ...rest, text }];
  return [
    { ...manner, text: head as string, ...(replyTo === undefined ? {} : { replyTo }) },
    { ...manner, text: tail, ...(buttons === undefined ? {} : { buttons }) },
  ];
}

function leftOut(names: readonly string[]): string {
  return `(${literal(names.join(', '))} could not be sent: too large)`;
}

function joined(text: string, line: string): string {
  return text === '' ? line : `${text}\n\n${line}`;
}

/** Two halves, cut at a line or a word near the middle, never inside a character. */
function halves(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2);
  const cut = [text.lastIndexOf('\n', middle), text.lastIndexOf(' ', middle)].find((at) => at > middle / 2) ?? middle;
  const at = /[\udc00-\udfff]/.test(text[cut] ?? '') ? cut - 1 : cut;
  return [text.slice(0, at).trimEnd(), text.slice(at).trimStart()];
}

/** Words that were rendered before, as Markdown that shows the same words. */
function literal(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
