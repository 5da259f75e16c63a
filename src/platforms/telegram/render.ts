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
import { htmlText, type Rendering, writeInline } from './render-inline.ts';
import { writeTable } from './render-table.ts';
import { NOTHING, type RichText } from './rich-text.ts';
import { RichWriter } from './rich-writer.ts';

const RULE = '─'.repeat(10);

/** Markdown as Telegram shows it: text and entities, sent without a parse mode. Pure; empty for spaces only. */
export function render(markdown: string): RichText {
  const { source, root } = parseMarkdown(markdown);
  if (source.trim() === '') return NOTHING;
  const rendering = { source, references: new References(root), writer: new RichWriter() };
  writeBlocks(rendering, root.children, { depth: 0, quoted: false }, '\n\n');
  for (const note of rendering.references.notes()) writeNote(rendering, note);
  return rendering.writer.done();
}

interface Place {
  /** Of lists around it. */
  readonly depth: number;
  readonly quoted: boolean;
}

function writeBlocks(rendering: Rendering, nodes: readonly RootContent[], place: Place, gap: string): void {
  const shown = nodes.filter((node) => isShown(node, rendering.references));
  for (const [i, node] of shown.entries()) {
    if (i > 0) rendering.writer.write(gap);
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
  heading: (rendering, node) => rendering.writer.within('bold', () => writeInline(rendering, node.children)),
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

/** Telegram nests no quotes: an inner one is part of the outer. */
function writeQuote(rendering: Rendering, { children }: Blockquote, place: Place): void {
  const content = () => writeBlocks(rendering, children, { ...place, quoted: true }, '\n\n');
  if (place.quoted) content();
  else rendering.writer.within('blockquote', content);
}

function writeList(rendering: Rendering, list: List, place: Place): void {
  const start = list.start ?? 1;
  const gap = list.spread || list.children.some((item) => item.spread) ? '\n\n' : '\n';
  for (const [i, item] of list.children.entries()) {
    if (i > 0) rendering.writer.write(gap);
    const bullet = list.ordered ? `${start + i}${delimiterOf(item, rendering.source)} ` : '• ';
    writeItem(rendering, item, place, bulletOf(item, bullet));
  }
}

/** `1.` or `1)`, as written. */
function delimiterOf(item: ListItem, source: string): string {
  const at = item.position?.start.offset ?? 0;
  return /^\d+([.)])/.exec(source.slice(at, at + 12))?.[1] ?? '.';
}

function bulletOf(item: ListItem, bullet: string): string {
  if (typeof item.checked !== 'boolean') return bullet;
  const box = item.checked ? '☑ ' : '☐ ';
  return bullet === '• ' ? box : bullet + box;
}

function writeItem(rendering: Rendering, item: ListItem, place: Place, bullet: string): void {
  const { writer } = rendering;
  const depth = place.depth + 1;
  writer.indented('  '.repeat(place.depth), () => writer.write(bullet));
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
