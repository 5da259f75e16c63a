import type { PhrasingContent } from 'mdast';
import { literalMarker, spoilerPairs } from '../markdown/literals.ts';
import type { References } from '../markdown/references.ts';
import { isLinkable, showsUrl } from './link-url.ts';
import type { EntityType } from './rich-text.ts';
import type { RichWriter } from './rich-writer.ts';

/** What every part of a rendering shares. */
export interface Rendering {
  readonly source: string;
  readonly references: References;
  readonly writer: RichWriter;
}

interface Place {
  /** Where each `||` of ordinary words stands, for the innermost run of inline nodes. */
  readonly bars: number[];
  readonly insideLink: boolean;
}

/** Writes a run of inline nodes; hidden text may span several of them but never leaves the run. */
export function writeInline(rendering: Rendering, children: readonly PhrasingContent[], insideLink = false): void {
  const from = rendering.writer.length;
  const place: Place = { bars: [], insideLink };
  for (const child of children) writePhrase(rendering, child, place);
  hide(rendering.writer, from, place.bars);
}

function hide(writer: RichWriter, from: number, bars: readonly number[]): void {
  if (bars.length < 2) return;
  const marks = bars.map((bar) => bar - from);
  for (const [open, close] of spoilerPairs(writer.text.slice(from), marks).toReversed()) {
    writer.mark('spoiler', from + open + 2, from + close);
    writer.remove(from + close, 2);
    writer.remove(from + open, 2);
  }
}

type Writers = {
  readonly [T in PhrasingContent['type']]: (
    rendering: Rendering,
    node: Extract<PhrasingContent, { type: T }>,
    place: Place,
  ) => void;
};

const WRITERS: Writers = {
  text: ({ writer }, node, place) => writeWords(writer, node.value, place.bars),
  strong: (rendering, node, place) => writeFace(rendering, 'bold', node, place),
  emphasis: (rendering, node, place) => writeFace(rendering, 'italic', node, place),
  delete: (rendering, node, place) => writeFace(rendering, 'strikethrough', node, place),
  inlineCode: ({ writer }, node) => writer.within('code', () => writer.verbatim(node.value)),
  break: ({ writer }) => writer.lineBreak(),
  html: ({ writer }, node) => writer.write(htmlText(node.value)),
  link: (rendering, node, place) => writeLink(rendering, node, node.url, place),
  linkReference: (rendering, node, place) =>
    writeLink(rendering, node, rendering.references.url(node.identifier), place),
  image: (rendering, node, place) => writeImage(rendering, node.alt, node.url, place),
  imageReference: (rendering, node, place) =>
    writeImage(rendering, node.alt, rendering.references.url(node.identifier), place),
  footnoteReference: ({ writer, references }, node) => writer.write(`[${references.number(node.identifier)}]`),
};

function writePhrase(rendering: Rendering, node: PhrasingContent, place: Place): void {
  (WRITERS[node.type] as (rendering: Rendering, node: PhrasingContent, place: Place) => void)(rendering, node, place);
}

function writeWords(writer: RichWriter, value: string, bars: number[]): void {
  for (const [i, line] of value.split('\n').entries()) {
    if (i > 0) writer.lineBreak();
    const words = i > 0 ? line.trimStart() : line;
    writer.write(words);
    const at = writer.length - words.length;
    for (const bar of words.matchAll(/\|\|/g)) bars.push(at + bar.index);
  }
}

function writeFace(
  rendering: Rendering,
  type: EntityType,
  node: Extract<PhrasingContent, { type: 'strong' | 'emphasis' | 'delete' }>,
  { insideLink }: Place,
): void {
  const marker = literalMarker(node, rendering.source);
  const content = () => writeInline(rendering, node.children, insideLink);
  if (marker === undefined) {
    rendering.writer.within(type, content);
    return;
  }
  rendering.writer.write(marker);
  content();
  rendering.writer.write(marker);
}

/** An address that stands in the text as itself needs no link: Telegram makes one. */
function writeLink(
  rendering: Rendering,
  node: Extract<PhrasingContent, { type: 'link' | 'linkReference' }>,
  url: string,
  place: Place,
): void {
  const bracketed = rendering.source[node.position?.start.offset ?? 0] === '[';
  const label = () => writeInline(rendering, node.children, true);
  if (bracketed && !place.insideLink) writeTarget(rendering.writer, url, label);
  else label();
}

function writeImage({ writer }: Rendering, alt: string | null | undefined, url: string, place: Place): void {
  const label = () => writer.write(alt ?? '');
  if (place.insideLink) label();
  else writeTarget(writer, url, label);
}

/** The label as a link, or followed by a URL that cannot be one; a label that is the URL stands alone. */
function writeTarget(writer: RichWriter, url: string, writeLabel: () => void): void {
  const from = writer.begin();
  writeLabel();
  const label = writer.text.slice(from).trim();
  if (label === '') writer.write(url);
  else if (url === '' || showsUrl(label, url)) return;
  else if (isLinkable(url)) writer.mark('text_link', from, writer.length, { url });
  else writer.write(` (${url.replace(/^mailto:/i, '')})`);
}

/** HTML as written; only a line break means what it says. */
export function htmlText(value: string): string {
  return value.replace(/<br\s*\/?>/gi, '\n');
}
