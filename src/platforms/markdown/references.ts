import type { Definition, FootnoteDefinition, Nodes } from 'mdast';

/** What a document says in one place and uses in another: link targets and notes. */
export class References {
  readonly #definitions = new Map<string, Definition>();
  readonly #notes: FootnoteDefinition[] = [];
  readonly #used = new Set<string>();
  readonly #numbers = new Map<string, number>();

  constructor(root: Nodes) {
    this.#collect(root);
  }

  url(identifier: string): string {
    return this.#definitions.get(identifier)?.url ?? '';
  }

  /** A definition nobody refers to, or a second one, is a line of text, such as `[INFO]: done`. */
  isUsed(definition: Definition): boolean {
    return this.#used.has(definition.identifier) && this.#definitions.get(definition.identifier) === definition;
  }

  /** Notes are numbered in the order in which they are mentioned. */
  number(identifier: string): number {
    const number = this.#numbers.get(identifier) ?? this.#numbers.size + 1;
    this.#numbers.set(identifier, number);
    return number;
  }

  /** All notes, the mentioned ones first. */
  notes(): readonly FootnoteDefinition[] {
    const mentioned = [...this.#numbers.keys()];
    const rest = this.#notes.filter(({ identifier }) => !mentioned.includes(identifier));
    return [...mentioned.flatMap((id) => this.#notes.filter(({ identifier }) => identifier === id)), ...rest];
  }

  #collect(node: Nodes): void {
    if (node.type === 'definition' && !this.#definitions.has(node.identifier))
      this.#definitions.set(node.identifier, node);
    if (node.type === 'footnoteDefinition') this.#notes.push(node);
    if (node.type === 'linkReference' || node.type === 'imageReference') this.#used.add(node.identifier);
    if ('children' in node) for (const child of node.children) this.#collect(child);
  }
}
