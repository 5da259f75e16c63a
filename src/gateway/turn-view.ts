import type { TurnSink } from '../agent/turn-runner.ts';
import { newId } from '../contract/ids.ts';
import type { OutboundMessage } from '../contract/message.ts';
import type { OutboxKind } from '../store/outbox.ts';
import type { TurnRow } from '../store/turns.ts';
import { LiveText, type LiveTextDeps } from './live-text.ts';

const TYPING_LIMIT_MS = 300_000;

export type Progress = 'off' | 'tools' | 'all';

export const previewKey = (turn: TurnRow): string => `preview:${turn.id}`;
export const finalKey = (turn: TurnRow): string => `final:${turn.id}`;

/** What a person sees of a running turn: typing, the growing answer, one message of progress. Its end belongs to the lane. */
export class TurnView implements TurnSink {
  readonly #deps: LiveTextDeps;
  readonly #turn: TurnRow;
  readonly #progress: Progress;
  readonly #answer: LiveText;
  readonly #work: LiveText;
  #before: string;
  #step = '';
  #lines: string[] = [];
  #stopTyping: () => void = () => {};

  /** `said`: what earlier attempts of the same turn have already said. */
  constructor(turn: TurnRow, said: string, progress: Progress, deps: LiveTextDeps) {
    this.#deps = deps;
    this.#turn = turn;
    this.#progress = progress;
    this.#before = said;
    this.#answer = this.#live('preview', previewKey(turn));
    this.#work = this.#live('progress', `progress:${turn.id}`);
    this.#type();
  }

  text(delta: string): void {
    this.#step += delta;
    this.#answer.set(joined(this.#before, this.#step));
  }

  restart(): void {
    this.#step = '';
    this.#answer.set(this.#before);
  }

  tool(line: string): void {
    this.#before = joined(this.#before, this.#step);
    this.#step = '';
    if (this.#progress === 'off') return;
    this.#lines = [...this.#lines, line].slice(-20);
    this.#work.set(this.#lines.join('\n'));
  }

  notice(line: string): void {
    this.#put('notice', `note:${newId()}`, { text: line, silent: true });
    this.#deps.wake();
  }

  waiting(on: boolean): void {
    if (on) this.#stopTyping();
    else this.#type();
  }

  /** Nothing of this view leaves afterwards. */
  async close(): Promise<void> {
    this.#stopTyping();
    await Promise.all([this.#answer.close(), this.#work.close()]);
  }

  #live(kind: OutboxKind, key: string): LiveText {
    const { address, direct } = this.#turn;
    return new LiveText(key, { address, direct, put: (k, message) => this.#put(kind, k, message) }, this.#deps);
  }

  #put(kind: OutboxKind, key: string, message: OutboundMessage): void {
    const { store, clock } = this.#deps;
    const { id, address, direct } = this.#turn;
    store.outbox.put({ key, kind, address, direct, message, turn: id }, clock.now());
  }

  #type(): void {
    this.#stopTyping();
    const { adapter, clock, rate } = this.#deps;
    const { address, direct } = this.#turn;
    if (!adapter.typing || adapter.limits.typingMs === 0) return;
    const end = clock.now() + TYPING_LIMIT_MS;
    let cancel: () => void = () => {};
    const again = () => {
      if (clock.now() >= end) return;
      if (rate.take(address.bot, address.chat, direct, adapter.limits.rate, 1) === 0) void adapter.typing?.(address);
      cancel = clock.after(adapter.limits.typingMs * 0.8, again);
    };
    again();
    this.#stopTyping = () => cancel();
  }
}

function joined(before: string, step: string): string {
  return before === '' || step === '' ? before + step : `${before}\n\n${step}`;
}
