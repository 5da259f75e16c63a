import { stripVTControlCharacters } from 'node:util';

/** Output of a process of any length in fixed memory: the first and the last bytes stay. */
export class OutputWindow {
  readonly #head: Buffer;
  readonly #tail: Buffer;
  #total = 0;

  constructor(headBytes: number, tailBytes: number) {
    this.#head = Buffer.alloc(headBytes);
    this.#tail = Buffer.alloc(tailBytes);
  }

  /** Bytes pushed so far. */
  get total(): number {
    return this.#total;
  }

  /** Whether another `bytes` would lose some that are kept now. */
  overflows(bytes: number): boolean {
    return this.#total + bytes > this.#head.length + this.#tail.length;
  }

  /** Everything pushed so far; only while nothing was lost. */
  all(): Buffer {
    const past = Math.max(0, this.#total - this.#head.length);
    return Buffer.concat([this.#head.subarray(0, this.#total), this.#tail.subarray(0, past)]);
  }

  push(chunk: Buffer): void {
    const room = Math.max(0, this.#head.length - this.#total);
    chunk.copy(this.#head, this.#total, 0, room);
    this.#ring(chunk.subarray(room));
    this.#total += chunk.length;
  }

  /**
   * What is kept as plain text: no escape sequences, no broken characters, and a line where bytes are missing. `where`: the
   * name of the whole.
   */
  text(where?: string): string {
    const past = this.#total - this.#head.length;
    if (past <= 0) return plain(this.#head.subarray(0, this.#total));
    const kept = Math.min(past, this.#tail.length);
    const start = past <= this.#tail.length ? 0 : past % this.#tail.length;
    const tail = Buffer.concat([this.#tail.subarray(start, kept), this.#tail.subarray(0, start)]);
    if (past === kept) return plain(Buffer.concat([this.#head, tail]));
    const place = where === undefined ? 'not kept' : `left out; the whole is ${where}, read it with read_file`;
    return `${plain(this.#head)}\n[${(past - kept).toLocaleString('en')} bytes ${place}]\n${plain(tail)}`;
  }

  /** Writes behind the last byte of the ring; of a long chunk only the end. */
  #ring(bytes: Buffer): void {
    if (bytes.length === 0 || this.#tail.length === 0) return;
    const before = Math.max(0, this.#total - this.#head.length);
    const skipped = Math.max(0, bytes.length - this.#tail.length);
    const at = (before + skipped) % this.#tail.length;
    const first = bytes.copy(this.#tail, at, skipped);
    bytes.copy(this.#tail, 0, skipped + first);
  }
}

function plain(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString()).replaceAll('\r\n', '\n');
}
