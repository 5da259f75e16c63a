import { escapeRange, ZERO_WIDTH } from './escape.ts';
import { closingSign, openingSign } from './signs.ts';
import type { Mark, Style, StyledText } from './styled.ts';

const ENDS_URL = /^[).,:;"'\]]*(?:\s|$)/;

/** Styled text in Discord's own markup. Every face that is open at a line's end is closed there and opened again below. */
export function markup(styled: StyledText): string {
  return new Scribe(styled).write();
}

const BLOCKS: ReadonlySet<Style> = new Set(['quote', 'heading', 'pre']);
const LITERALS: ReadonlySet<Style> = new Set(['raw', 'url']);

/** Which marks cover a place, asked from left to right. */
class Sweep {
  readonly #marks: readonly Mark[];
  #next = 0;
  #open: readonly Mark[] = [];

  /** In the order of their starts. */
  constructor(marks: readonly Mark[]) {
    this.#marks = marks;
  }

  /** Outermost first. */
  at(place: number): readonly Mark[] {
    const begun: Mark[] = [];
    for (let mark = this.#marks[this.#next]; mark && mark.from <= place; mark = this.#marks[++this.#next])
      begun.push(mark);
    if (begun.length > 0 || this.#open.some(({ to }) => to <= place))
      this.#open = [...this.#open, ...begun].filter(({ to }) => to > place);
    return this.#open;
  }
}

interface Edge {
  readonly sign: string;
  /** The face it opens; absent: it closes one. */
  readonly opens?: Mark;
}

class Scribe {
  readonly #text: string;
  readonly #blocks: Sweep;
  readonly #faces: Sweep;
  readonly #literals: Sweep;
  readonly #links: readonly Mark[];
  readonly #borders: readonly number[];
  #out = '';
  #open: Mark[] = [];
  /** Nothing but a prefix, spaces and bullets on this line so far. */
  #lineStart = true;
  /** The last thing written is the sign of a face. */
  #edge: Edge | undefined;

  constructor({ text, marks }: StyledText) {
    this.#text = text;
    this.#blocks = new Sweep(marks.filter(({ style }) => BLOCKS.has(style)));
    this.#literals = new Sweep(marks.filter(({ style }) => LITERALS.has(style)));
    this.#faces = new Sweep(marks.filter(({ style }) => !BLOCKS.has(style) && !LITERALS.has(style)));
    this.#links = marks.filter(({ style }) => style === 'link');
    this.#borders = borders(text, marks);
  }

  write(): string {
    this.#prefix(0);
    for (let i = 0; i < this.#borders.length - 1; ) i = this.#segment(i);
    this.#closeTo(0);
    return this.#out;
  }

  /** Writes the segment that begins at border `i`; returns the border to go on at. */
  #segment(i: number): number {
    const [from, to] = [this.#borders[i] as number, this.#borders[i + 1] as number];
    const pre = this.#blocks.at(from).find(({ style }) => style === 'pre');
    if (pre) return this.#pre(pre);
    if (this.#text[from] === '\n') this.#newLine(from + 1);
    else this.#words(from, to);
    return i + 1;
  }

  #newLine(next: number): void {
    this.#closeTo(0);
    this.#out += '\n';
    this.#prefix(next);
  }

  /** What the line that begins at `at` opens with. */
  #prefix(at: number): void {
    this.#edge = undefined;
    this.#lineStart = true;
    if (at >= this.#text.length) return;
    const blocks = this.#blocks.at(at);
    const heading = blocks.find(({ style }) => style === 'heading');
    if (blocks.some(({ style }) => style === 'quote')) this.#out += '> ';
    if (heading) this.#out += `${'#'.repeat(heading.level ?? 1)} `;
  }

  #words(from: number, to: number): void {
    const wanted = this.#faces.at(from);
    const shared = this.#open.findIndex((mark, i) => mark !== wanted[i]);
    this.#closeTo(shared === -1 ? this.#open.length : shared);
    for (const mark of wanted.slice(this.#open.length)) this.#openFace(mark);
    if (wanted.some(({ style }) => style === 'code')) return void this.#put(code(this.#text.slice(from, to)));
    const [literal] = this.#literals.at(from);
    if (literal) return void this.#literal(literal, from, to);
    const words = this.#text.slice(from, to);
    // A bracket before a link, or in its label, would be taken for the link's own.
    const brackets = wanted.some(({ style }) => style === 'link') || this.#linkAhead(to);
    this.#out += escapeRange(this.#text, from, to, { atLineStart: this.#lineStart, brackets });
    this.#edge = undefined;
    this.#lineStart &&= words.trim() === '';
  }

  #linkAhead(from: number): boolean {
    const next = this.#links.find((mark) => mark.from >= from);
    return next !== undefined && !this.#text.slice(from, next.from).includes('\n');
  }

  #literal({ style }: Mark, from: number, to: number): void {
    const text = this.#text.slice(from, to);
    // What follows without a space would be read as a part of the address.
    const fused = style === 'url' && !ENDS_URL.test(this.#text.slice(to, to + 20));
    this.#out += fused ? `<${text}>` : text;
    this.#edge = undefined;
    if (style === 'url') this.#lineStart = false;
  }

  #put(text: string): void {
    this.#out += text;
    this.#edge = undefined;
    this.#lineStart = false;
  }

  #openFace(mark: Mark): void {
    this.#open.push(mark);
    const sign = openingSign(mark);
    if (this.#wouldFuse(mark, sign)) this.#out += ZERO_WIDTH;
    this.#out += sign;
    this.#edge = sign === '' ? undefined : { sign, opens: mark };
    if (sign !== '') this.#lineStart = false;
  }

  /** Signs that meet are read as one, and of two faces that open together the wrong one would be taken to end first. */
  #wouldFuse(mark: Mark, sign: string): boolean {
    const edge = this.#edge;
    return sign !== '' && edge?.sign[0] === sign[0] && edge?.opens?.to !== mark.to;
  }

  #closeTo(depth: number): void {
    while (this.#open.length > depth) {
      const sign = closingSign(this.#open.pop() as Mark);
      this.#out += sign;
      if (sign !== '') this.#edge = { sign };
    }
  }

  /** A block between fences on lines of its own. */
  #pre({ from, to, language = '' }: Mark): number {
    this.#closeTo(0);
    const quoted = this.#blocks.at(from).some(({ style }) => style === 'quote') ? '> ' : '';
    if (!this.#lineStart || /[^\n> ]$/.test(this.#out)) this.#out += `\n${quoted}`;
    const lines = [`\`\`\`${language}`, ...unfenced(this.#text.slice(from, to)).split('\n'), '```'];
    this.#out += lines.join(`\n${quoted}`);
    this.#lineStart = false;
    if (to < this.#text.length && this.#text[to] !== '\n') this.#newLine(to);
    return this.#borders.indexOf(to);
  }
}

/** Every place where a face begins or ends, and around every line break. */
function borders(text: string, marks: readonly Mark[]): readonly number[] {
  const places = new Set([0, text.length]);
  for (const { from, to } of marks) places.add(from).add(to);
  for (const { index } of text.matchAll(/\n/g)) places.add(index).add(index + 1);
  return [...places].filter((place) => place <= text.length).sort((a, b) => a - b);
}

/** Clients know fences of three only. */
function unfenced(code: string): string {
  return code.replace(/`{3,}/g, (run) => [...run].join(ZERO_WIDTH));
}

/** Inline code with as many backticks around it as its content needs; at most two, more would be a fence. */
function code(value: string): string {
  const content = value.replace(/`{2,}/g, (run) => [...run].join(ZERO_WIDTH));
  if (!content.includes('`')) return `\`${content}\``;
  const left = content.startsWith('`') ? ' ' : '';
  const right = content.endsWith('`') ? ' ' : '';
  return `\`\`${left}${content}${right}\`\``;
}
