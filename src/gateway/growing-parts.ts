import type { OutboundMessage } from '../contract/message.ts';

const SIGN = /[\p{L}\p{N}]/gu;
const NO_SIGNS = /[^\p{L}\p{N}]+/gu;
/** So many letters and digits are hardly said twice. */
const ENOUGH = 40;
/** Markup before the first letter: of its whole line and the fence above it, or of its word. */
const MARKUP_BEFORE = /(?<=^|\n)(?: *(?:```|~~~)[^\n]*\n)?[^\p{L}\p{N}\n]*$|[^\s\p{L}\p{N}]*$/u;

/**
 * A growing text as the parts it is sent in. Rendering takes time with the length of a text, so the parts that are complete are
 * not rendered again, where the text can be cut behind them without changing what follows.
 */
export class GrowingParts {
  readonly #render: (text: string) => readonly OutboundMessage[];
  #text = '';
  /** What the complete parts were made of. */
  #closed = '';
  #complete: readonly OutboundMessage[] = [];
  #parts: readonly OutboundMessage[] = [];

  constructor(render: (text: string) => readonly OutboundMessage[]) {
    this.#render = render;
  }

  /** The text that was asked for last. */
  get text(): string {
    return this.#text;
  }

  of(text: string): readonly OutboundMessage[] {
    if (text === this.#text) return this.#parts;
    if (!text.startsWith(this.#closed)) [this.#closed, this.#complete] = ['', []];
    const open = text.slice(this.#closed.length);
    const parts = this.#render(open);
    this.#text = text;
    this.#parts = [...this.#complete, ...parts];
    this.#close(open, parts);
    return this.#parts;
  }

  /** All but the last two: where the one before the last begins may still depend on how the last goes on. */
  #close(open: string, parts: readonly OutboundMessage[]): void {
    const rest = parts.slice(-2);
    if (parts.length <= rest.length) return;
    const start = startOf(rest.map(({ text }) => text).join('\n'), open);
    if (start === undefined || !isSame(this.#render(open.slice(start)), rest)) return;
    this.#closed += open.slice(0, start);
    this.#complete = this.#parts.slice(0, -rest.length);
  }
}

/** Where in `source` the part begins that opens with `rest`, judged by letters and digits; undefined: it cannot be told. */
export function startOf(rest: string, source: string): number | undefined {
  const said = rest.replace(NO_SIGNS, '');
  const places: number[] = [];
  let written = '';
  for (const { 0: sign, index } of source.matchAll(SIGN)) {
    written += sign;
    while (places.length < written.length) places.push(index);
  }
  // What a network does not show, such as the address of a link, only makes the source longer.
  const latest = written.length - said.length;
  const found = said === '' || latest < 0 ? -1 : written.lastIndexOf(said.slice(0, ENOUGH), latest);
  const first = places[found];
  if (first === undefined) return undefined;
  return first - (MARKUP_BEFORE.exec(source.slice(0, first))?.[0].length ?? 0);
}

function isSame(one: readonly OutboundMessage[], other: readonly OutboundMessage[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
