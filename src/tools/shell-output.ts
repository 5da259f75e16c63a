import type { KeptResult } from './kept-results.ts';
import { OutputWindow } from './output-window.ts';

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 192 * 1024;

/** What a command writes: both ends in memory, all of it in a file once it is too long for that. */
export class ShellOutput {
  readonly #window = new OutputWindow(HEAD_BYTES, TAIL_BYTES);
  readonly #open: () => KeptResult | undefined;
  #file: KeptResult | undefined;
  #tried = false;

  constructor(open: () => KeptResult | undefined) {
    this.#open = open;
  }

  get total(): number {
    return this.#window.total;
  }

  push(chunk: Buffer): void {
    if (!this.#tried && this.#window.overflows(chunk.length)) {
      this.#tried = true;
      this.#file = this.#open();
      this.#file?.write(this.#window.all());
    }
    this.#file?.write(chunk);
    this.#window.push(chunk);
  }

  end(): string {
    this.#file?.close();
    return this.#window.text(this.#file?.name).trimEnd();
  }
}
