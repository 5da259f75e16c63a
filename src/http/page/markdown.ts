import type { AlignType, Delete, Emphasis, Nodes, Root, RootContent, Strong, Table } from 'mdast';

import { literalMarker } from '../../platforms/markdown/literals.ts';
import { parseMarkdown } from '../../platforms/markdown/parse.ts';
import { isTangled } from '../../platforms/markdown/tangle.ts';
import { type Html, html } from './html.ts';

/**
 * An answer's Markdown as HTML. Only the elements written here come out; HTML in the text is shown as written, links go to
 * http, https and mailto only, and a picture from elsewhere is a link to it, so that showing an answer sends nothing out.
 */
export function renderMarkdown(text: string): Html {
  if (isTangled(text)) return html`<pre>${text}</pre>`;
  const { root, source } = parseMarkdown(text);
  return new Renderer(root, source).draw(root);
}

// Languages that say nothing are not worth a line.
const PLAIN = new Set(['text', 'txt', 'plain', 'plaintext']);
const SAFE_URL = /^(?:https?:\/\/[^/\s]|mailto:[^\s])/i;

class Renderer {
  readonly #source: string;
  readonly #targets = new Map<string, string>();
  readonly #notes = new Map<string, readonly RootContent[]>();
  readonly #noteOrder: string[] = [];

  constructor(root: Root, source: string) {
    this.#source = source;
    for (const node of root.children) {
      if (node.type === 'definition' && !this.#targets.has(node.identifier))
        this.#targets.set(node.identifier, node.url);
      if (node.type === 'footnoteDefinition') this.#notes.set(node.identifier, node.children);
    }
  }

  draw(root: Root): Html {
    const body = this.#all(root.children);
    return html`${body}${this.#noteOrder.length > 0 && html`<ol class="notes">${this.#noteOrder.map((id) => this.#note(id))}</ol>`}`;
  }

  #note(id: string): Html {
    return html`<li>${this.#all(this.#notes.get(id) ?? [])}</li>`;
  }

  #all(nodes: readonly Nodes[]): Html[] {
    return nodes.map((node) => this.#one(node));
  }

  #one(node: Nodes): Html {
    switch (node.type) {
      case 'paragraph':
        return html`<p>${this.#all(node.children)}</p>`;
      case 'heading':
        return this.#heading(node.depth, this.#all(node.children));
      case 'blockquote':
        return html`<blockquote>${this.#all(node.children)}</blockquote>`;
      case 'list':
        return this.#list(node);
      case 'listItem':
        return this.#item(node);
      case 'code':
        return this.#code(node.value, node.lang ?? '');
      case 'table':
        return this.#table(node);
      case 'thematicBreak':
        return html`<hr>`;
      case 'text':
        return html`${node.value}`;
      case 'strong':
        return this.#marked(node, (inner) => html`<strong>${inner}</strong>`);
      case 'emphasis':
        return this.#marked(node, (inner) => html`<em>${inner}</em>`);
      case 'delete':
        return this.#marked(node, (inner) => html`<del>${inner}</del>`);
      case 'inlineCode':
        return html`<code>${node.value}</code>`;
      case 'break':
        return html`<br>`;
      case 'link':
        return this.#link(node.url, this.#all(node.children));
      case 'linkReference':
        return this.#link(this.#targets.get(node.identifier) ?? '', this.#all(node.children));
      case 'image':
        return this.#image(node.url, node.alt ?? '');
      case 'imageReference':
        return this.#image(this.#targets.get(node.identifier) ?? '', node.alt ?? '');
      case 'footnoteReference':
        return this.#footnote(node.identifier);
      case 'html':
        return html`${node.value}`;
      default:
        return html``;
    }
  }

  // Answers live inside the page's own headings: theirs start below.
  #heading(depth: number, inner: Html[]): Html {
    const level = Math.min(6, depth + 2);
    return html`<h${level}>${inner}</h${level}>`;
  }

  #list(node: Extract<Nodes, { type: 'list' }>): Html {
    const items = this.#all(node.children);
    if (!node.ordered) return html`<ul>${items}</ul>`;
    const start = node.start ?? 1;
    return start === 1 ? html`<ol>${items}</ol>` : html`<ol start="${start}">${items}</ol>`;
  }

  #item(node: Extract<Nodes, { type: 'listItem' }>): Html {
    const box = typeof node.checked === 'boolean' && html`<span class="box">${node.checked ? '☑' : '☐'}</span> `;
    const only = node.children[0];
    const inner =
      only?.type === 'paragraph' && !node.spread
        ? [...this.#all(only.children), ...this.#all(node.children.slice(1))]
        : this.#all(node.children);
    return html`<li>${box}${inner}</li>`;
  }

  #code(value: string, lang: string): Html {
    const name = /^[\w+#.-]{1,20}$/.test(lang) && !PLAIN.has(lang) ? lang : '';
    return html`<figure class="code">${name !== '' && html`<figcaption>${name}</figcaption>`}<pre tabindex="0"><code>${value}</code></pre></figure>`;
  }

  #table(node: Table): Html {
    const align = node.align ?? [];
    const [head, ...rows] = node.children;
    const line = (row: Table['children'][number] | undefined, heading: boolean) =>
      (row?.children ?? []).map((cell, i) => tableCell(this.#all(cell.children), align[i], heading));
    return html`<div class="wide" tabindex="0"><table><thead><tr>${line(head, true)}</tr></thead><tbody>${rows.map((row) => html`<tr>${line(row, false)}</tr>`)}</tbody></table></div>`;
  }

  #link(url: string, inner: Html[]): Html {
    if (!SAFE_URL.test(url)) return html`${inner}${url !== '' && html` (${url})`}`;
    return html`<a href="${url}" target="_blank" rel="noopener noreferrer">${inner}</a>`;
  }

  #image(url: string, alt: string): Html {
    return this.#link(url, [html`${alt === '' ? 'picture' : alt}`]);
  }

  #footnote(id: string): Html {
    if (!this.#notes.has(id)) return html`[${id}]`;
    if (!this.#noteOrder.includes(id)) this.#noteOrder.push(id);
    return html`<sup>[${this.#noteOrder.indexOf(id) + 1}]</sup>`;
  }

  /** `__init__`, `2*3*4` and the like are names and numbers, not loud speech. */
  #marked(node: Strong | Emphasis | Delete, draw: (inner: Html[]) => Html): Html {
    const inner = this.#all(node.children);
    const marker = literalMarker(node, this.#source);
    return marker === undefined ? draw(inner) : html`${marker}${inner}${marker}`;
  }
}

function tableCell(inner: Html[], align: AlignType | undefined, heading: boolean): Html {
  const side = align === 'right' || align === 'center' ? html` class="${align}"` : html``;
  return heading ? html`<th${side}>${inner}</th>` : html`<td${side}>${inner}</td>`;
}
