import type {
  BlockContent,
  Definition,
  DefinitionContent,
  Delete,
  Emphasis,
  FootnoteDefinition,
  FootnoteReference,
  Image,
  ImageReference,
  Link,
  LinkReference,
  List,
  ListItem,
  Nodes,
  PhrasingContent,
  RootContent,
  Strong,
  Table,
} from 'mdast';
import { literalMarker, spoilerPairs } from '../markdown/literals.ts';
import { parseMarkdown } from '../markdown/parse.ts';
import { tableLines } from '../markdown/table.ts';
import { isLinkable, showsUrl } from './link-url.ts';
import { type EntityType, NOTHING, type RichText } from './rich-text.ts';
import { RichWriter } from './rich-writer.ts';

const MAX_TABLE_COLUMNS = 40;
const RULE = '─'.repeat(10);

/** Markdown as Telegram shows it: text and entities, sent without a parse mode. Pure; empty for spaces only. */
export function render(markdown: string): RichText {
  const { source, root } = parseMarkdown(markdown);
  if (source.trim() === '') return NOTHING;
  return new Renderer(source, root).run();
}

type Block = RootContent | BlockContent | DefinitionContent;

class Renderer {
  readonly #source: string;
  readonly #root: Nodes & { readonly children: readonly Block[] };
  readonly #writer = new RichWriter();
  readonly #definitions = new Map<string, Definition>();
  readonly #notes = new Map<string, FootnoteDefinition>();
  readonly #noteNumbers = new Map<string, number>();
  /** Where each `||` of ordinary text stands, for the innermost run of inline nodes. */
  #bars: number[] = [];
  #insideQuote = false;
  #insideLink = false;

  constructor(source: string, root: Nodes & { readonly children: readonly Block[] }) {
    this.#source = source;
    this.#root = root;
    this.#collect(root);
  }

  run(): RichText {
    this.#blocks(this.#root.children, 0, '\n\n');
    for (const id of this.#notes.keys()) this.#note(id);
    return this.#writer.done();
  }

  #collect(node: Nodes): void {
    if (node.type === 'definition' && !this.#definitions.has(node.identifier))
      this.#definitions.set(node.identifier, node);
    if (node.type === 'footnoteDefinition' && !this.#notes.has(node.identifier)) this.#notes.set(node.identifier, node);
    if ('children' in node) for (const child of node.children) this.#collect(child);
  }

  #note(id: string): void {
    const note = this.#notes.get(id);
    if (this.#writer.length > 0) this.#writer.write('\n\n');
    this.#writer.write(`[${this.#number(id)}] `);
    this.#blocks(note?.children ?? [], 0, '\n');
  }

  #number(id: string): number {
    const known = this.#noteNumbers.get(id) ?? this.#noteNumbers.size + 1;
    this.#noteNumbers.set(id, known);
    return known;
  }

  #blocks(nodes: readonly Block[], depth: number, gap: string): void {
    const shown = nodes.filter((node) => node.type !== 'definition' && node.type !== 'footnoteDefinition');
    for (const [i, node] of shown.entries()) {
      if (i > 0) this.#writer.write(gap);
      this.#block(node, depth);
    }
  }

  #block(node: Block, depth: number): void {
    switch (node.type) {
      case 'paragraph':
        return this.#inline(node.children);
      case 'heading':
        return this.#writer.within('bold', () => this.#inline(node.children));
      case 'blockquote':
        return this.#quote(node.children, depth);
      case 'list':
        return this.#list(node, depth);
      case 'code':
        return this.#pre(node.value, node.lang ?? '');
      case 'table':
        return this.#table(node);
      case 'html':
        return this.#writer.write(html(node.value));
      case 'thematicBreak':
        return this.#writer.write(RULE);
      default:
        if ('children' in node) this.#inline(node.children as PhrasingContent[]);
    }
  }

  #quote(children: readonly Block[], depth: number): void {
    if (this.#insideQuote) return this.#blocks(children, depth, '\n\n');
    this.#insideQuote = true;
    this.#writer.within('blockquote', () => this.#blocks(children, depth, '\n\n'));
    this.#insideQuote = false;
  }

  #pre(value: string, info: string): void {
    const language = /[\w+#.-]+/.exec(info)?.[0];
    const write = () => this.#writer.verbatim(value === '' ? ' ' : value);
    this.#writer.within('pre', write, language === undefined ? {} : { language });
  }

  #list(list: List, depth: number): void {
    const start = list.start ?? 1;
    const gap = list.spread || list.children.some((item) => item.spread) ? '\n\n' : '\n';
    for (const [i, item] of list.children.entries()) {
      if (i > 0) this.#writer.write(gap);
      this.#item(item, depth, list.ordered ? `${start + i}${this.#delimiter(item)} ` : '• ');
    }
  }

  /** `1.` or `1)`, as written. */
  #delimiter(item: ListItem): string {
    const at = item.position?.start.offset ?? 0;
    return /^\d+([.)])/.exec(this.#source.slice(at, at + 12))?.[1] ?? '.';
  }

  #item(item: ListItem, depth: number, bullet: string): void {
    const task = item.checked === null || item.checked === undefined ? undefined : item.checked ? '☑ ' : '☐ ';
    const ordered = bullet !== '• ';
    this.#writer.indented('  '.repeat(depth), () =>
      this.#writer.write(task === undefined ? bullet : ordered ? bullet + task : task),
    );
    const gap = item.spread ? '\n\n' : '\n';
    const first = item.children[0];
    if (first && first.type !== 'paragraph' && first.type !== 'heading') this.#writer.lineBreak();
    this.#writer.indented('  '.repeat(depth + 1), () => this.#blocks(item.children, depth + 1, gap));
  }

  #table(table: Table): void {
    const rows = table.children.map((row) => row.children.map((cell) => this.#cellText(cell.children)));
    const lines = tableLines({ rows, align: table.align ?? [] }, MAX_TABLE_COLUMNS);
    if (lines) return this.#pre(lines.join('\n'), '');
    this.#tableGroups(table, rows[0] ?? []);
  }

  /** A cell without markers, on one line; a link that its label hides is written out. */
  #cellText(children: readonly PhrasingContent[]): string {
    const cell = new Renderer(this.#source, {
      type: 'root',
      children: [{ type: 'paragraph', children: [...children] }],
    });
    for (const [id, definition] of this.#definitions) cell.#definitions.set(id, definition);
    const { text, entities } = cell.run();
    const links = entities.filter(({ type }) => type === 'text_link').reverse();
    const whole = links.reduce((sum, { offset, length, url }) => {
      return `${sum.slice(0, offset + length)} (${url})${sum.slice(offset + length)}`;
    }, text);
    return whole.replace(/\s*\n\s*/g, ' ');
  }

  #tableGroups(table: Table, header: readonly string[]): void {
    const [, ...body] = table.children;
    if (body.length === 0) return this.#writer.write(`• ${header.join('\n  ')}`);
    for (const [i, row] of body.entries()) {
      if (i > 0) this.#writer.lineBreak();
      for (const [column, cell] of row.children.entries()) {
        if (column > 0) this.#writer.lineBreak();
        this.#writer.write(`${column === 0 ? '• ' : '  '}${header[column] ? `${header[column]}: ` : ''}`);
        this.#inline(cell.children);
      }
    }
  }

  /** A run of inline nodes; hidden text may span several of them but not leave the run. */
  #inline(children: readonly PhrasingContent[]): void {
    const outer = this.#bars;
    const from = this.#writer.length;
    this.#bars = [];
    for (const child of children) this.#phrase(child);
    this.#hide(from);
    this.#bars = outer;
  }

  #hide(from: number): void {
    const text = this.#writer.text.slice(from);
    const pairs = spoilerPairs(
      text,
      this.#bars.map((bar) => bar - from),
    );
    for (const [open, close] of pairs.toReversed()) {
      this.#writer.mark('spoiler', from + open + 2, from + close);
      this.#writer.remove(from + close, 2);
      this.#writer.remove(from + open, 2);
    }
  }

  #phrase(node: PhrasingContent): void {
    switch (node.type) {
      case 'text':
        return this.#words(node.value);
      case 'strong':
        return this.#face('bold', node);
      case 'emphasis':
        return this.#face('italic', node);
      case 'delete':
        return this.#face('strikethrough', node);
      case 'inlineCode':
        return this.#writer.within('code', () => this.#writer.verbatim(node.value));
      case 'break':
        return this.#writer.lineBreak();
      case 'html':
        return this.#writer.write(html(node.value));
      case 'link':
        return this.#link(node, node.url);
      case 'linkReference':
        return this.#link(node, this.#definitions.get(node.identifier)?.url ?? '');
      case 'image':
        return this.#image(node, node.url);
      case 'imageReference':
        return this.#image(node, this.#definitions.get(node.identifier)?.url ?? '');
      case 'footnoteReference':
        return this.#reference(node);
    }
  }

  #words(value: string): void {
    const lines = value.split('\n');
    for (const [i, line] of lines.entries()) {
      if (i > 0) this.#writer.lineBreak();
      const text = i > 0 ? line.trimStart() : line;
      if (text === '') continue;
      this.#writer.write(text);
      const at = this.#writer.length - text.length;
      for (const bar of text.matchAll(/\|\|/g)) this.#bars.push(at + bar.index);
    }
  }

  #face(type: EntityType, node: Strong | Emphasis | Delete): void {
    const marker = literalMarker(node, this.#source);
    if (marker === undefined) return this.#writer.within(type, () => this.#inline(node.children));
    this.#writer.write(marker);
    this.#inline(node.children);
    this.#writer.write(marker);
  }

  #reference(node: FootnoteReference): void {
    this.#writer.write(`[${this.#number(node.identifier)}]`);
  }

  #link(node: Link | LinkReference, url: string): void {
    const bracketed = this.#source[node.position?.start.offset ?? 0] === '[';
    if (bracketed) this.#linked(url, () => this.#inline(node.children));
    else this.#inline(node.children);
  }

  #image(node: Image | ImageReference, url: string): void {
    this.#linked(url, () => this.#writer.write(node.alt ?? ''));
  }

  /** The label as a link, or followed by a URL that cannot be one; a label that is the URL stands alone. */
  #linked(url: string, label: () => void): void {
    if (this.#insideLink || url === '') return label();
    this.#insideLink = true;
    const from = this.#writer.begin();
    label();
    this.#insideLink = false;
    this.#target(from, url);
  }

  #target(from: number, url: string): void {
    const label = this.#writer.text.slice(from).trim();
    if (label === '') this.#writer.write(url);
    else if (showsUrl(label, url)) return;
    else if (isLinkable(url)) this.#writer.mark('text_link', from, this.#writer.length, { url });
    else this.#writer.write(` (${url.replace(/^mailto:/i, '')})`);
  }
}

/** HTML as written; only a line break means what it says. */
function html(value: string): string {
  return value.replace(/<br\s*\/?>/gi, '\n');
}
