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
import { htmlText, type Rendering, writeInline } from './render-inline.ts';
import { writeTable } from './render-table.ts';
import { NOTHING, type StyledText } from './styled.ts';
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
  return rendering.writer.done();
}

/** Words without any face. */
export function plain(text: string): StyledText {
  const clean = text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd').toWellFormed();
  return { text: clean.trimEnd(), marks: [] };
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

/** Discord nests no quotes: an inner one is part of the outer. */
function writeQuote(rendering: Rendering, { children }: Blockquote, place: Place): void {
  const content = () => writeBlocks(rendering, children, { ...place, quoted: true }, '\n\n');
  if (place.quoted) content();
  else rendering.writer.within('quote', content);
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
