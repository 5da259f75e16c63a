export interface Said {
  readonly type: 'text' | 'reasoning';
  readonly delta: string;
}

const OPEN = '<think>';
const CLOSE = '</think>';

/** Tells a leading `<think>` block from the answer behind it, however the chunks are cut. */
export class ThinkFilter {
  #state: 'start' | 'thinking' | 'gap' | 'text' = 'start';
  /** Not said yet: it may be part of a mark, or white space around one. */
  #held = '';

  push(delta: string): readonly Said[] {
    this.#held += delta;
    const said: Said[] = [];
    let state: string;
    do {
      state = this.#state;
      said.push(...this.#advance());
    } while (state !== this.#state);
    return said.filter((piece) => piece.delta !== '');
  }

  /** What was held back when the stream ended. */
  end(): readonly Said[] {
    const rest = this.#held;
    this.#held = '';
    if (rest === '' || this.#state === 'gap') return [];
    return [{ type: this.#state === 'thinking' ? 'reasoning' : 'text', delta: rest }];
  }

  #advance(): readonly Said[] {
    switch (this.#state) {
      case 'start':
        return this.#open();
      case 'thinking':
        return this.#close();
      case 'gap':
        this.#held = this.#held.trimStart();
        if (this.#held !== '') this.#state = 'text';
        return [];
      default:
        return [{ type: 'text', delta: this.#take(this.#held.length) }];
    }
  }

  #open(): readonly Said[] {
    const lead = this.#held.trimStart();
    if (lead.startsWith(OPEN)) {
      this.#held = lead.slice(OPEN.length);
      this.#state = 'thinking';
    } else if (!OPEN.startsWith(lead)) this.#state = 'text';
    return [];
  }

  #close(): readonly Said[] {
    const end = this.#held.indexOf(CLOSE);
    if (end === -1) return [{ type: 'reasoning', delta: this.#take(this.#held.length - partialMark(this.#held)) }];
    const thought = this.#take(end);
    this.#take(CLOSE.length);
    this.#state = 'gap';
    return [{ type: 'reasoning', delta: thought }];
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}

/** How many characters at the end may be the beginning of the closing mark. */
function partialMark(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
