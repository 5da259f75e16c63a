import type {
  Blockquote,
  Code,
  Definition,
  FootnoteDefinition,
  Heading,
  Html,
  List,
  ListItem,
  Paragraph,
  RootContent,
  Table,
} from 'mdast';
import { parseMarkdown } from '../markdown/parse.ts';
import { References } from '../markdown/references.ts';
import { isTangled } from '../markdown/tangle.ts';
import { bareUrls, isWebUrl } from './link-url.ts';
import { htmlText, type Rendering, writeInline } from './render-inline.ts';
import { writeTable } from './render-table.ts';
import { endsFace } from './signs.ts';
import { type Mark, NOTHING, type StyledText, tidy } from './styled.ts';
import { StyledWriter } from './styled-writer.ts';

const RULE = '─'.repeat(10);
/** Discord draws three sizes. */
const DEEPEST_HEADING = 3;

/** Markdown as Discord can show it. Pure; empty for spaces only. Text that only looks like Markdown stays as it is written. */
export function render(markdown: string): StyledText {
  if (markdown.trim() === '') return NOTHING;
  if (isTangled(markdown)) return plain(markdown);
  const { source, root } = parseMarkdown(markdown);
  const rendering = { source, references: new References(root), writer: new StyledWriter() };
  writeBlocks(rendering, root.children, { depth: 0, quoted: false }, '\n\n');
  for (const note of rendering.references.notes()) writeNote(rendering, note);
  return withUrls(rendering.writer.done());
}

function plain(text: string): StyledText {
  const clean = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd').toWellFormed();
  return withUrls({ text: clean.trimEnd(), marks: [] });
}

/** Marks addresses that Markdown does not see as such and Discord does: they must not be escaped. */
function withUrls({ text, marks }: StyledText): StyledText {
  const taken = marks.filter(({ style }) => style === 'code' || style === 'pre' || style === 'url' || style === 'link');
  const urls = gaps(taken, text.length).flatMap(([from, to]) =>
    bareUrls(text.slice(from, to)).map(([a, b]): Mark => ({ style: 'url', from: from + a, to: from + b })),
  );
  return readable(text, [...marks, ...urls.flatMap((url) => uncrossed(text, url, marks))]);
}

/** An address ends where a face begins or ends: the sign of the face stands there. */
function uncrossed(text: string, url: Mark, marks: readonly Mark[]): readonly Mark[] {
  const borders = marks.flatMap(({ from, to }) => [from, to]).filter((place) => place > url.from && place < url.to);
  const whole = { ...url, to: Math.min(url.to, ...borders) };
  return isWebUrl(text.slice(whole.from, whole.to)) ? [whole] : [];
}

/** A face that the letters of an address inside it would end too early goes: the address has to stay. */
function readable(text: string, marks: readonly Mark[]): StyledText {
  const addresses = marks.flatMap((mark) => addressed(text, mark));
  const kept = marks.filter(
    (face) => !addresses.some(({ from, to, url }) => from < face.to && to > face.from && endsFace(face, url)),
  );
  return tidy({ text, marks: kept });
}

function addressed(
  text: string,
  { style, from, to, url }: Mark,
): readonly Required<Pick<Mark, 'from' | 'to' | 'url'>>[] {
  if (style === 'link') return [{ from, to, url: url ?? '' }];
  return style === 'url' ? [{ from, to, url: text.slice(from, to) }] : [];
}

/** What lies between marks that do not overlap and stand in order. */
function gaps(marks: readonly Mark[], length: number): readonly (readonly [number, number])[] {
  const starts = [0, ...marks.map(({ to }) => to)];
  const ends = [...marks.map(({ from }) => from), length];
  return starts.map((from, i) => [from, Math.max(from, ends[i] as number)] as const);
}

interface Place {
  /** Of lists around it. */
  readonly depth: number;
  readonly quoted: boolean;
}

function writeBlocks(rendering: Rendering, nodes: readonly RootContent[], place: Place, gap: string): void {
  const shown = nodes.filter((node) => isShown(node, rendering.references));
  for (const [i, node] of shown.entries()) {
    if (i > 0) rendering.writer.write(shown[i - 1]?.type === 'heading' ? '\n' : gap);
    writeBlock(rendering, node, place);
  }
}

function isShown(node: RootContent, references: References): boolean {
  return node.type !== 'footnoteDefinition' && (node.type !== 'definition' || !references.isUsed(node));
}

interface BlockTypes {
  readonly paragraph: Paragraph;
  readonly heading: Heading;
  readonly blockquote: Blockquote;
  readonly list: List;
  readonly code: Code;
  readonly table: Table;
  readonly html: Html;
  readonly thematicBreak: RootContent;
  readonly definition: Definition;
}

type Writers = { readonly [T in keyof BlockTypes]: (rendering: Rendering, node: BlockTypes[T], place: Place) => void };

const WRITERS: Writers = {
  paragraph: (rendering, node) => writeInline(rendering, node.children),
  heading: writeHeading,
  blockquote: writeQuote,
  list: writeList,
  code: ({ writer }, node) => writer.pre(node.value, node.lang ?? ''),
  table: writeTable,
  html: ({ writer }, node) => writer.write(htmlText(node.value)),
  thematicBreak: ({ writer }) => writer.write(RULE),
  definition: ({ writer, source }, { position }) =>
    writer.write(source.slice(position?.start.offset, position?.end.offset)),
};

function writeBlock(rendering: Rendering, node: RootContent, place: Place): void {
  const write = WRITERS[node.type as keyof BlockTypes] as
    | ((rendering: Rendering, node: RootContent, place: Place) => void)
    | undefined;
  write?.(rendering, node, place);
}

/** A heading is one line; deeper ones than Discord knows are bold. */
function writeHeading(rendering: Rendering, { depth, children }: Heading): void {
  const words = () => writeInline(rendering, children, { oneLine: true });
  if (depth <= DEEPEST_HEADING) rendering.writer.within('heading', words, { level: depth });
  else rendering.writer.within('bold', words);
}

/** Discord nests no quotes, neither in each other nor in lists: an inner one is part of the outer, one in a list stands below. */
function writeQuote(rendering: Rendering, { children }: Blockquote, place: Place): void {
  const content = () =>
    writeBlocks(rendering, children, { depth: place.quoted ? place.depth : 0, quoted: true }, '\n\n');
  if (place.quoted) content();
  else rendering.writer.indented('', () => rendering.writer.within('quote', content));
}

function writeList(rendering: Rendering, list: List, place: Place): void {
  const start = list.start ?? 1;
  const gap = list.spread || list.children.some((item) => item.spread) ? '\n\n' : '\n';
  for (const [i, item] of list.children.entries()) {
    if (i > 0) rendering.writer.write(gap);
    writeItem(rendering, item, place, bulletOf(item, list.ordered ? `${start + i}. ` : '- '));
  }
}

function bulletOf({ checked }: ListItem, bullet: string): string {
  if (typeof checked !== 'boolean') return bullet;
  const box = checked ? '☑ ' : '☐ ';
  return bullet === '- ' ? box : bullet + box;
}

function writeItem(rendering: Rendering, item: ListItem, place: Place, bullet: string): void {
  const { writer } = rendering;
  const depth = place.depth + 1;
  writer.indented('  '.repeat(place.depth), () => writer.raw(bullet));
  const [first] = item.children;
  if (first && first.type !== 'paragraph' && first.type !== 'heading') writer.lineBreak();
  writer.indented('  '.repeat(depth), () =>
    writeBlocks(rendering, item.children, { ...place, depth }, item.spread ? '\n\n' : '\n'),
  );
}

function writeNote(rendering: Rendering, note: FootnoteDefinition): void {
  const { writer, references } = rendering;
  if (writer.length > 0) writer.write('\n\n');
  writer.write(`[${references.number(note.identifier)}] `);
  writeBlocks(rendering, note.children, { depth: 0, quoted: false }, '\n');
}
