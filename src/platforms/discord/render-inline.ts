import type { PhrasingContent } from 'mdast';
import { literalMarker, spoilerPairs } from '../markdown/literals.ts';
import type { References } from '../markdown/references.ts';
import { isMaskable, isWebUrl } from './link-url.ts';
import type { InlineStyle } from './styled.ts';
import type { StyledWriter } from './styled-writer.ts';

/** What every part of a rendering shares. */
export interface Rendering {
  readonly source: string;
  readonly references: References;
  readonly writer: StyledWriter;
}

interface Place {
  /** Where each `||` of ordinary words stands, for the innermost run of inline nodes. */
  readonly bars: number[];
  readonly insideLink: boolean;
  /** A line break is a space. */
  readonly oneLine: boolean;
}

/** Writes a run of inline nodes; hidden text may span several of them but never leaves the run. */
export function writeInline(
  rendering: Rendering,
  children: readonly PhrasingContent[],
  how: { readonly insideLink?: boolean; readonly oneLine?: boolean } = {},
): void {
  const from = rendering.writer.length;
  const place: Place = { bars: [], insideLink: how.insideLink === true, oneLine: how.oneLine === true };
  for (const child of children) writePhrase(rendering, child, place);
  hide(rendering.writer, from, place.bars);
}

function hide(writer: StyledWriter, from: number, bars: readonly number[]): void {
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
  text: ({ writer }, node, place) => writeWords(writer, node.value, place),
  strong: (rendering, node, place) => writeFace(rendering, 'bold', node, place),
  emphasis: (rendering, node, place) => writeFace(rendering, 'italic', node, place),
  delete: (rendering, node, place) => writeFace(rendering, 'strike', node, place),
  inlineCode: ({ writer }, node) => writer.within('code', () => writer.verbatim(node.value)),
  break: ({ writer }, _, { oneLine }) => (oneLine ? writer.write(' ') : writer.lineBreak()),
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

function writeWords(writer: StyledWriter, value: string, { bars, oneLine }: Place): void {
  for (const [i, line] of value.split('\n').entries()) {
    if (i > 0 && oneLine) writer.write(' ');
    else if (i > 0) writer.lineBreak();
    const words = i > 0 ? line.trimStart() : line;
    writer.write(words);
    const at = writer.length - words.length;
    for (const bar of words.matchAll(/\|\|/g)) bars.push(at + bar.index);
  }
}

function writeFace(
  rendering: Rendering,
  style: InlineStyle,
  node: Extract<PhrasingContent, { type: 'strong' | 'emphasis' | 'delete' }>,
  { insideLink, oneLine }: Place,
): void {
  const marker = literalMarker(node, rendering.source);
  const content = () => writeInline(rendering, node.children, { insideLink, oneLine });
  if (marker === undefined) {
    rendering.writer.within(style, content);
    return;
  }
  rendering.writer.write(marker);
  content();
  rendering.writer.write(marker);
}

/** An address that stands in the text as itself needs no link: Discord makes one. */
function writeLink(
  rendering: Rendering,
  node: Extract<PhrasingContent, { type: 'link' | 'linkReference' }>,
  url: string,
  { insideLink, oneLine }: Place,
): void {
  const { writer, source } = rendering;
  const bracketed = source[node.position?.start.offset ?? -1] === '[';
  const label = () => writeInline(rendering, node.children, { insideLink: true, oneLine: oneLine || bracketed });
  if (insideLink) label();
  else if (bracketed) writeTarget(writer, url, label);
  else writeBare(writer, label);
}

function writeImage({ writer }: Rendering, alt: string | null | undefined, url: string, { insideLink }: Place): void {
  const label = () => writer.write((alt ?? '').replace(/\s+/g, ' '));
  if (insideLink) label();
  else writeTarget(writer, url, label);
}

/** An address as written; only those Discord itself links are left unescaped. */
function writeBare(writer: StyledWriter, writeAddress: () => void): void {
  const from = writer.begin();
  writeAddress();
  if (isWebUrl(writer.text.slice(from))) writer.mark('url', from, writer.length);
}

/** The label as a link, or followed by the URL where it cannot be one; a label that is the URL stands alone. */
function writeTarget(writer: StyledWriter, url: string, writeLabel: () => void): void {
  const from = writer.begin();
  writeLabel();
  const label = writer.text.slice(from).trim();
  if (label === '') writeBare(writer, () => writer.write(url));
  else if (url === '' || url === `mailto:${label}`) return;
  else if (label === url) return void writer.mark(isWebUrl(url) ? 'url' : 'raw', from, writer.length);
  else if (isMaskable(label, url)) writer.mark('link', from, writer.length, { url });
  else writeBeside(writer, url.replace(/^mailto:/i, ''));
}

function writeBeside(writer: StyledWriter, url: string): void {
  writer.write(' (');
  writeBare(writer, () => writer.write(url));
  writer.write(')');
}

/** HTML as written; only a line break means what it says. */
export function htmlText(value: string): string {
  return value.replace(/<br\s*\/?>/gi, '\n');
}
