import type { Clock } from '../contract/clock.ts';
import type { Address, OutboundMessage } from '../contract/message.ts';
import type { PlatformAdapter } from '../contract/platform.ts';
import type { Store } from '../store/store.ts';
import type { RateGate } from './rate-gate.ts';

export interface LiveTextDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly rate: RateGate;
  readonly adapter: PlatformAdapter;
  readonly wake: () => void;
}

export interface LivePlace {
  readonly address: Address;
  readonly direct: boolean;
  readonly put: (key: string, message: OutboundMessage) => void;
}

/**
 * A message that grows: its start is an outbox row, what follows are edits of it, one call in flight, the latest text wins.
 * A text that outgrows one message goes on in the next; a finished part is not touched again before the final edit.
 */
export class LiveText {
  readonly #deps: LiveTextDeps;
  readonly #place: LivePlace;
  readonly #key: string;
  #text = '';
  readonly #shown: string[] = [];
  #cancelTimer: (() => void) | undefined;
  #inFlight: Promise<void> | undefined;
  #closed = false;

  constructor(key: string, place: LivePlace, deps: LiveTextDeps) {
    this.#key = key;
    this.#place = place;
    this.#deps = deps;
  }

  /** The whole text so far. */
  set(text: string): void {
    this.#text = text;
    if (this.#closed || text.trim() === '') return;
    if (this.#shown.length === 0) this.#show();
    else this.#arm();
  }

  /** No edit is in flight afterwards and none will start. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    await this.#inFlight;
  }

  #arm(): void {
    if (this.#cancelTimer || this.#inFlight || this.#closed) return;
    const { limits } = this.#deps.adapter;
    const every = this.#place.direct ? limits.editEveryMs.direct : limits.editEveryMs.group;
    this.#cancelTimer = this.#deps.clock.after(every, () => {
      this.#cancelTimer = undefined;
      this.#show();
    });
  }

  #show(): void {
    const { adapter } = this.#deps;
    const parts = adapter.parts({ text: this.#text, silent: true });
    if (parts.length > adapter.limits.maxParts) return;
    for (let i = this.#shown.length; i < parts.length; i++) this.#open(i, parts[i] as OutboundMessage);
    const stale = parts.findIndex((part, i) => this.#shown[i] !== print(part));
    const part = parts[stale];
    if (!part) return;
    this.#inFlight = this.#edit(stale, part).finally(() => {
      this.#inFlight = undefined;
      this.#arm();
    });
  }

  #open(i: number, part: OutboundMessage): void {
    this.#place.put(this.#keyOf(i), part);
    this.#shown[i] = print(part);
    this.#deps.wake();
  }

  #keyOf(i: number): string {
    return i === 0 ? this.#key : `${this.#key}#${i}`;
  }

  async #edit(i: number, part: OutboundMessage): Promise<void> {
    const { store, adapter, rate } = this.#deps;
    const row = store.outbox.get(this.#keyOf(i));
    if (row?.state !== 'sent' || row.messageId === null || !adapter.edit) return;
    const { address, direct } = this.#place;
    if (rate.take(address.bot, address.chat, direct, adapter.limits.rate, 1) > 0) return;
    // A refused edit is never replaced by a send: the next one, or the final, carries the text.
    await adapter.edit(row.sentTo ?? address, row.messageId, part).then(
      () => void (this.#shown[i] = print(part)),
      () => {},
    );
  }
}

function print(part: OutboundMessage): string {
  return JSON.stringify(part);
}
