import type { Entity, EntityType, RichText } from './rich-text.ts';
import { tidy } from './rich-text.ts';

/** Gathers text and entities in reading order; indents the lines it begins. */
export class RichWriter {
  #text = '';
  readonly #entities: Entity[] = [];
  #indent = '';
  #fresh = true;

  get length(): number {
    return this.#text.length;
  }

  get text(): string {
    return this.#text;
  }

  /** Words; a line break in them begins an indented line. */
  write(text: string): void {
    for (const [i, line] of text.split('\n').entries()) {
      if (i > 0) this.lineBreak();
      if (line === '') continue;
      this.begin();
      this.#text += line;
    }
  }

  /** Where the next word will stand: writes the indentation that is due. */
  begin(): number {
    if (this.#fresh) this.#text += this.#indent;
    this.#fresh = false;
    return this.#text.length;
  }

  lineBreak(): void {
    this.#text += '\n';
    this.#fresh = true;
  }

  /** Text as it stands, never indented. */
  verbatim(text: string): void {
    this.#text += text;
    this.#fresh = false;
  }

  /** Marks what `fn` writes. */
  within(type: EntityType, fn: () => void, more: { readonly url?: string; readonly language?: string } = {}): void {
    const offset = type === 'pre' ? this.#text.length : this.begin();
    fn();
    this.mark(type, offset, this.#text.length, more);
  }

  /** A block in monospace, as it stands; of `info` only a language's name is kept. Nothing at all is one space. */
  pre(value: string, info: string): void {
    const language = /[\w+#.-]+/.exec(info)?.[0];
    this.within('pre', () => this.verbatim(value === '' ? ' ' : value), language === undefined ? {} : { language });
  }

  mark(
    type: EntityType,
    from: number,
    to: number,
    more: { readonly url?: string; readonly language?: string } = {},
  ): void {
    if (to > from) this.#entities.push({ type, offset: from, length: to - from, ...more });
  }

  indented(indent: string, fn: () => void): void {
    const outer = this.#indent;
    this.#indent = indent;
    fn();
    this.#indent = outer;
  }

  /** Takes out `length` units at `at`; entities shrink and move with the text. */
  remove(at: number, length: number): void {
    this.#text = this.#text.slice(0, at) + this.#text.slice(at + length);
    const shift = (place: number) => (place <= at ? place : Math.max(at, place - length));
    for (const [i, entity] of this.#entities.entries()) {
      const offset = shift(entity.offset);
      this.#entities[i] = { ...entity, offset, length: shift(entity.offset + entity.length) - offset };
    }
  }

  done(): RichText {
    return tidy({ text: this.#text, entities: this.#entities.filter(({ length }) => length > 0) });
  }
}
