import type { Nodes, Root } from 'mdast';
import { type CompileContext, type Extension, fromMarkdown, type Token } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import { gfm } from 'micromark-extension-gfm';

export interface ParsedMarkdown {
  /** What the tree's offsets count in: cleaned, with `\n` only. */
  readonly source: string;
  readonly root: Root;
}

/** Reads a model's Markdown: CommonMark and GFM, `~~` only in pairs, emphasis that closes beside CJK punctuation. Never throws. */
export function parseMarkdown(markdown: string): ParsedMarkdown {
  const source = cleaned(markdown);
  const root = fromMarkdown(source, { extensions: SYNTAX, mdastExtensions: TREE });
  repairUrls(root);
  return { source, root };
}

/** Built once: putting a grammar together takes longer than reading a sentence with it. */
const SYNTAX = [gfm({ singleTilde: false }), cjkFriendlyExtension()];

function cleaned(markdown: string): string {
  return markdown.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd').toWellFormed();
}

/** `\(`, `\)`, `\[`, `\]` delimit formulas far more often than they escape: they keep their backslash. */
const mathEscapes: Extension = {
  exit: {
    characterEscapeValue(token) {
      const escaped = this.sliceSerialize(token);
      const tail = this.stack.pop();
      if (tail?.type !== 'text') return;
      tail.value += '()[]'.includes(escaped) ? `\\${escaped}` : escaped;
      if (tail.position) tail.position.end = { ...token.end };
    },
  },
};

/** The grammar takes a `[x]` for a task's box even below an empty item, outside of any: there it is text. */
const strayTaskBoxes: Extension = {
  exit: { taskListCheckValueChecked: closeBox, taskListCheckValueUnchecked: closeBox },
};

function closeBox(this: CompileContext, token: Token): void {
  const mark = this.sliceSerialize(token);
  const [item, paragraph] = this.stack.slice(-2);
  if (item?.type === 'listItem') item.checked = mark.trim() !== '';
  else if (paragraph?.type === 'paragraph') {
    const position = { start: { ...token.start }, end: { ...token.end } };
    paragraph.children.push({ type: 'text', value: `[${mark}]`, position });
  }
}

const TREE = [...gfmFromMarkdown(), mathEscapes, strayTaskBoxes];

/** In a URL such a backslash is an escape after all. */
function repairUrls(node: Nodes): void {
  if ('url' in node) node.url = node.url.replace(/\\([()[\]])/g, '$1');
  if ('children' in node) for (const child of node.children) repairUrls(child);
}
