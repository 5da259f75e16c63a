import type { TurnSink } from '../agent/turn-port.ts';
import { newId } from '../contract/ids.ts';
import type { OutboundMessage } from '../contract/message.ts';
import type { Progress } from '../store/chat-settings.ts';
import type { TurnRow } from '../store/turns.ts';
import { LiveText, type LiveTextDeps } from './live-text.ts';

const TYPING_LIMIT_MS = 300_000;
const MAX_LINES = 20;
/** Characters of a line of progress: all of them fit one message. */
const MAX_LINE = 150;

export const previewKey = (turn: TurnRow): string => `preview:${turn.id}`;
export const finalKey = (turn: TurnRow): string => `final:${turn.id}`;

/**
 * What a person sees of a running turn: typing, the growing answer, one message of progress. Its end belongs to the lane.
 * Nothing here throws or blocks.
 */
export class TurnView implements TurnSink {
  readonly #deps: LiveTextDeps;
  readonly #turn: TurnRow;
  readonly #progress: Progress;
  readonly #answer: LiveText;
  readonly #work: LiveText;
  #before: string;
  #step = '';
  #lines: string[] = [];
  /** How many questions wait for a person. */
  #waits = 0;
  #closed = false;
  #movedAt: number;
  #stopTyping: () => void = () => {};

  /** `said`: what earlier attempts of the same turn have already said. */
  constructor(turn: TurnRow, said: string, progress: Progress, deps: LiveTextDeps) {
    this.#deps = deps;
    this.#turn = turn;
    this.#progress = progress;
    this.#before = said;
    this.#movedAt = deps.clock.now();
    this.#answer = this.#live('draft', previewKey(turn));
    this.#work = this.#live('progress', `progress:${turn.id}`);
    this.#type();
  }

  text(delta: string): void {
    this.#movedAt = this.#deps.clock.now();
    this.#step += delta;
    this.#answer.set(joined(this.#before, this.#step));
  }

  restart(): void {
    this.#step = '';
    this.#answer.set(this.#before);
  }

  step(): void {
    this.#movedAt = this.#deps.clock.now();
    this.#before = joined(this.#before, this.#step);
    this.#step = '';
  }

  tool(line: string): void {
    this.step();
    if (this.#progress === 'off') return;
    this.#lines = [...this.#lines, shortened(line)].slice(-MAX_LINES);
    this.#work.set(this.#lines.join('\n'));
  }

  notice(line: string): void {
    if (this.#closed) return;
    try {
      this.#put('notice', `note:${newId()}`, { text: line, silent: true });
      this.#deps.wake();
    } catch {
      // A store that takes no rows will be heard of at the turn's end.
    }
  }

  /** A sign of life below the lines of progress, until the next one; shown also where progress is off. */
  working(line: string): void {
    this.#work.set([...this.#lines, shortened(line)].join('\n'));
  }

  waiting(on: boolean): void {
    this.#waits = Math.max(0, this.#waits + (on ? 1 : -1));
    if (this.#waits > 0) this.#stopTyping();
    else this.#type();
  }

  /** From the call on nothing of this view leaves; resolves when nothing of it is in flight any more. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTyping();
    await Promise.all([this.#answer.close(), this.#work.close()]);
  }

  #live(as: 'draft' | 'progress', key: string): LiveText {
    const { address, direct } = this.#turn;
    const kind = as === 'draft' ? 'preview' : 'progress';
    return new LiveText(key, { address, direct, as, put: (k, part) => this.#put(kind, k, part) }, this.#deps);
  }

  #put(kind: 'preview' | 'progress' | 'notice', key: string, message: OutboundMessage): void {
    const { store, clock } = this.#deps;
    const { id, address, direct } = this.#turn;
    const row = { key, kind, address, direct, message, turn: id };
    store.outbox.put(kind === 'notice' ? row : { ...row, whole: true }, clock.now());
  }

  /** Again and again, as long as something moves. */
  #type(): void {
    this.#stopTyping();
    const { adapter, clock, rate } = this.#deps;
    const { address, direct } = this.#turn;
    if (this.#closed || !adapter.typing || adapter.limits.typingMs === 0) return;
    let cancel: () => void = () => {};
    const again = () => {
      const moves = clock.now() - this.#movedAt < TYPING_LIMIT_MS;
      if (moves && this.#wanted() && rate.take(address, direct, adapter.limits.rate, 1) === 0)
        void adapter.typing?.(address);
      cancel = clock.after(adapter.limits.typingMs * 0.8, again);
    };
    again();
    this.#stopTyping = () => cancel();
  }

  /** A chat that refused us is not bothered with signs of life. */
  #wanted(): boolean {
    try {
      return !this.#deps.store.reach.isGone(this.#turn.address);
    } catch {
      return false;
    }
  }
}

function joined(before: string, step: string): string {
  return before === '' || step === '' ? before + step : `${before}\n\n${step}`;
}

function shortened(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1).toWellFormed()}…`;
}
