import { SendError } from '../../contract/errors.ts';
import type { OutboundFile, OutboundMessage } from '../../contract/message.ts';
import { escapeText } from './escape.ts';
import { MAX_CONTENT, MAX_FILES } from './limits.ts';
import { render } from './render.ts';
import { split } from './split.ts';

/** What a part carries beside its text: the last `units` units of it are Discord's markup. */
interface Rendered {
  readonly units: number;
}

/** With a file the text may grow by the sentence that says why it could not go along. */
const MAX_BESIDE_FILE = MAX_CONTENT - 200;

/**
 * Splits a message into single sends: files first where there are buttons, so that those stay last; else files go along with
 * the only text. Over `maxParts` texts: the first of them and the whole as a file.
 */
export function partsOf(message: OutboundMessage, maxParts: number): readonly OutboundMessage[] {
  const all = split(render(message.text), MAX_CONTENT);
  const long = all.length > maxParts;
  const texts = long ? all.slice(0, 1) : all;
  const files = [...(message.files ?? []), ...(long ? [{ name: 'answer.md', text: message.text }] : [])];
  const bodies =
    long && !message.buttons ? [...texts.map(textPart), ...fileParts(files)] : arranged(texts, files, message);
  return bodies.map((body, i) => ({
    ...body,
    ...(i === 0 && message.replyTo !== undefined ? { replyTo: message.replyTo } : {}),
    ...(i === bodies.length - 1 && message.buttons ? { buttons: message.buttons } : {}),
    ...(message.silent === undefined ? {} : { silent: message.silent }),
    ...(message.as === undefined ? {} : { as: message.as }),
  }));
}

function arranged(
  texts: readonly string[],
  files: readonly OutboundFile[],
  message: OutboundMessage,
): readonly OutboundMessage[] {
  const [only] = texts;
  const together = only !== undefined && texts.length === 1 && only.length <= MAX_BESIDE_FILE && !message.buttons;
  if (together && files.length > 0 && files.length <= MAX_FILES) return [{ ...textPart(only), files }];
  return [...fileParts(files), ...texts.map(textPart)];
}

function textPart(text: string): OutboundMessage {
  const rendered: Rendered = { units: text.length };
  return { text, rendered };
}

function fileParts(files: readonly OutboundFile[]): readonly OutboundMessage[] {
  const count = Math.ceil(files.length / MAX_FILES);
  return Array.from({ length: count }, (_, i) => ({
    text: '',
    files: files.slice(i * MAX_FILES, (i + 1) * MAX_FILES),
  }));
}

/** A part's content as it goes out. Core may have put words before it; they are plain. Throws SendError `size` on more than one. */
export function contentOf({ text, rendered }: OutboundMessage): string {
  const units = (rendered as Rendered | undefined)?.units;
  if (units === undefined || units > text.length) return single(split(render(text), MAX_CONTENT));
  const content = text.slice(text.length - units);
  const whole = escapeText(text.slice(0, text.length - units)) + content;
  // Words that do not fit are only about the message; the message itself must get through.
  return whole.length <= MAX_CONTENT ? whole : content;
}

function single([content = '', ...more]: readonly string[]): string {
  if (more.length === 0) return content;
  throw new SendError({ kind: 'size' }, 'The text is longer than one Discord message; it has to be split.');
}

/** The first part of what is to replace a message's words; an edit cannot make two of one. */
export function editedContentOf(part: OutboundMessage): string {
  return part.rendered === undefined ? (split(render(part.text), MAX_CONTENT)[0] ?? '') : contentOf(part);
}
