import type { Address, OutboundMessage } from '../../contract/message.ts';

type Edit = (to: Address, messageId: string, part: OutboundMessage) => Promise<void>;

interface Line {
  running: boolean;
  next: { readonly part: OutboundMessage; readonly done: ((error?: unknown) => void)[] } | undefined;
  /** What the message shows as far as we know. */
  shown: string | undefined;
}

const MAX_LINES = 1_000;

/**
 * One call in flight for each message; of those that wait only the latest goes out, and it settles them all. What is shown
 * already is not sent again.
 */
export class EditQueue {
  readonly #edit: Edit;
  readonly #lines = new Map<string, Line>();

  constructor(edit: Edit) {
    this.#edit = edit;
  }

  edit(to: Address, messageId: string, part: OutboundMessage): Promise<void> {
    const line = this.#line(`${to.chat}:${messageId}`);
    return new Promise((resolve, reject) => {
      const done = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      line.next = { part, done: [...(line.next?.done ?? []), done] };
      if (!line.running) void this.#run(to, messageId, line);
    });
  }

  async #run(to: Address, messageId: string, line: Line): Promise<void> {
    line.running = true;
    for (let next = line.next; next; next = line.next) {
      line.next = undefined;
      const error = await this.#one(to, messageId, line, next.part);
      for (const done of next.done) done(error);
    }
    line.running = false;
  }

  async #one(to: Address, messageId: string, line: Line, part: OutboundMessage): Promise<unknown> {
    const wanted = JSON.stringify([part.text, part.rendered, part.buttons]);
    if (line.shown === wanted) return undefined;
    line.shown = undefined;
    try {
      await this.#edit(to, messageId, part);
      line.shown = wanted;
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #line(key: string): Line {
    const line = this.#lines.get(key) ?? { running: false, next: undefined, shown: undefined };
    this.#lines.delete(key);
    this.#lines.set(key, line);
    for (const [old, other] of this.#lines) {
      if (this.#lines.size <= MAX_LINES) break;
      if (!other.running) this.#lines.delete(old);
    }
    return line;
  }
}
