import { type Mark, type Style, type StyledText, tidy } from './styled.ts';

type More = Pick<Mark, 'url' | 'language' | 'level'>;

/** Gathers text and marks in reading order; indents the lines it begins. */
export class StyledWriter {
  #text = '';
  readonly #marks: Mark[] = [];
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

  /** Discord's own markup, such as a bullet. */
  raw(text: string): void {
    this.within('raw', () => this.write(text));
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

  /** Marks what `fn` writes. */
  within(style: Style, fn: () => void, more: More = {}): void {
    const from = this.begin();
    fn();
    this.mark(style, from, this.#text.length, more);
  }

  /** A block in monospace at the start of its line, as it stands; of `info` only a language's name is kept. */
  pre(value: string, info: string): void {
    const language = /[\w+#.-]+/.exec(info)?.[0];
    const from = this.#text.length;
    // A block of line breaks alone would not be drawn as one.
    this.#text += /^\n*$/.test(value) ? ' ' : value;
    this.#fresh = false;
    this.mark('pre', from, this.#text.length, language === undefined ? {} : { language });
  }

  /** Text as it stands, never indented further. */
  verbatim(text: string): void {
    this.begin();
    this.#text += text;
  }

  mark(style: Style, from: number, to: number, more: More = {}): void {
    if (to > from) this.#marks.push({ style, from, to, ...more });
  }

  indented(indent: string, fn: () => void): void {
    const outer = this.#indent;
    this.#indent = indent;
    fn();
    this.#indent = outer;
  }

  /** Takes out `length` units at `at`; marks shrink and move with the text. */
  remove(at: number, length: number): void {
    this.#text = this.#text.slice(0, at) + this.#text.slice(at + length);
    const shift = (place: number) => (place <= at ? place : Math.max(at, place - length));
    for (const [i, mark] of this.#marks.entries())
      this.#marks[i] = { ...mark, from: shift(mark.from), to: shift(mark.to) };
  }

  done(): StyledText {
    return tidy({ text: this.#text, marks: this.#marks.filter(({ from, to }) => to > from) });
  }
}
