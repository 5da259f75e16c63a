/** An end the person reads: what went wrong and what to do next, no stack. `lines` go before it. */
export class Trouble extends Error {
  constructor(sentence, lines = []) {
    super(sentence);
    this.lines = lines;
  }
}

/** One line to the person. Standard output belongs to hermod. */
export function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}
