import { extname } from 'node:path';
import type { OutboundFile, OutboundMessage } from '../../contract/message.ts';
import { MAX_ALBUM, MAX_CAPTION } from './limits.ts';
import { render } from './render.ts';
import type { Entity, RichText } from './rich-text.ts';
import { split } from './split.ts';

/** What a part carries beside its text: the entities of the last `units` units of it. */
interface Rendered {
  readonly units: number;
  readonly entities: readonly Entity[];
}

/** A part as it goes out. */
export interface PartBody {
  readonly rich: RichText;
  /** What did not fit into one message, if the text was never split. */
  readonly more: boolean;
}

/**
 * Splits a message into single sends: files first, so that buttons stay last; a caption only where it is all the text and there
 * are no buttons. Over `maxParts` texts: the first of them and the whole as a file.
 */
export function partsOf(message: OutboundMessage, maxParts: number): readonly OutboundMessage[] {
  const all = split(richOf(message));
  const long = all.length > maxParts;
  const texts = long ? all.slice(0, 1) : all;
  const files = [...(message.files ?? []), ...(long ? [{ name: 'answer.md', text: message.text }] : [])];
  const bodies =
    long && !message.buttons ? [...texts.map(textPart), ...filePart(files)] : arranged(texts, files, message);
  return bodies.map((body, i) => ({
    ...body,
    ...(i === 0 && message.replyTo !== undefined ? { replyTo: message.replyTo } : {}),
    ...(i === bodies.length - 1 && message.buttons ? { buttons: message.buttons } : {}),
    ...(message.silent === undefined ? {} : { silent: message.silent }),
    ...(message.as === undefined ? {} : { as: message.as }),
  }));
}

function arranged(
  texts: readonly RichText[],
  files: readonly OutboundFile[],
  message: OutboundMessage,
): readonly OutboundMessage[] {
  const [only] = texts;
  const albums = filePart(files);
  const captioned =
    albums.length === 1 && only && texts.length === 1 && only.text.length <= MAX_CAPTION && !message.buttons;
  if (captioned) return [{ ...textPart(only), files }];
  return [...albums, ...texts.map(textPart)];
}

function textPart(rich: RichText): OutboundMessage {
  const rendered: Rendered = { units: rich.text.length, entities: rich.entities };
  return { text: rich.text, rendered };
}

/** Pictures together and other files together, ten at most in one album. */
function filePart(files: readonly OutboundFile[]): readonly OutboundMessage[] {
  const groups = [files.filter(isPicture), files.filter((file) => !isPicture(file))];
  return groups.flatMap((group) => chunks(group, MAX_ALBUM)).map((chunk) => ({ text: '', files: chunk }));
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

const PICTURES = new Set(['.jpg', '.jpeg', '.png', '.webp']);

/** By its name alone: whether Telegram would show it as a photo. */
export function isPicture(file: OutboundFile): boolean {
  return 'path' in file && PICTURES.has(extname(file.name).toLowerCase());
}

/** The rendered text of a message or part. Core may have put words before a part's text; they count as plain. */
export function richOf(message: OutboundMessage): RichText {
  const rendered = message.rendered as Rendered | undefined;
  if (rendered === undefined || rendered.units > message.text.length) return render(message.text);
  const shift = message.text.length - rendered.units;
  return {
    text: message.text,
    entities: rendered.entities.map((entity) => ({ ...entity, offset: entity.offset + shift })),
  };
}

export function bodyOf(message: OutboundMessage): PartBody {
  const [rich, ...rest] = split(richOf(message));
  return { rich: rich ?? { text: '', entities: [] }, more: rest.length > 0 };
}
