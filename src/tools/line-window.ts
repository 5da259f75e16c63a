const MAX_LINE = 2000;

/** Takes a text in pieces and keeps only the wanted lines, each cut to 2,000 characters, numbered from 1. */
export class LineWindow {
  readonly #first: number;
  readonly #last: number;
  readonly #lines: string[] = [];
  #number = 1;
  #line = '';
  #length = 0;
  #open = false;

  constructor(first: number, count: number) {
    this.#first = first;
    this.#last = first + count - 1;
  }

  push(text: string): void {
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      this.#extend(text, at, end);
      this.#close();
      at = end + 1;
    }
    if (at < text.length) this.#extend(text, at, text.length);
  }

  /** The kept lines, numbered, and how many there are in all. */
  end(): { readonly lines: readonly string[]; readonly total: number } {
    if (this.#open) this.#close();
    return { lines: this.#lines, total: this.#number - 1 };
  }

  #extend(text: string, from: number, to: number): void {
    this.#open = true;
    this.#length += to - from;
    const room = MAX_LINE - this.#line.length;
    if (room > 0 && this.#number >= this.#first && this.#number <= this.#last)
      this.#line += text.slice(from, Math.min(to, from + room));
  }

  #close(): void {
    if (this.#number >= this.#first && this.#number <= this.#last) {
      const line = this.#line.replace(/\r$/, '').toWellFormed();
      const more = this.#length > MAX_LINE ? ` [${this.#length - MAX_LINE} characters more]` : '';
      this.#lines.push(`${this.#number}\t${line}${more}`);
    }
    this.#number++;
    this.#line = '';
    this.#length = 0;
    this.#open = false;
  }
}
