import type { Clock } from '../contract/clock.ts';
import { SendError } from '../contract/errors.ts';
import type { Address, OutboundMessage } from '../contract/message.ts';
import type { PlatformAdapter } from '../contract/platform.ts';
import type { Store } from '../store/store.ts';
import { GrowingParts } from './growing-parts.ts';
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
  readonly as: 'draft' | 'progress';
  /** Writes the row that starts a message; `part` is one part already. */
  readonly put: (key: string, part: OutboundMessage) => void;
}

/** What is said within this time needs no preview; a longer reply is first seen, and first notified, with some words. */
const FIRST_MS = 400;
const ALIVE = new Set(['pending', 'sending', 'sent']);
/** What stands in a message that is not needed any more. */
const NOTHING: OutboundMessage = { text: '…' };

/**
 * A message that grows: its start is an outbox row, what follows are edits of it, one call in flight, the latest text wins.
 * A text that outgrows one message goes on in the next. It is for looking at only: nothing here throws, and where it cannot go
 * on (no edits, a limit, a message that is gone) it shows nothing more; the final carries the words.
 */
export class LiveText {
  readonly #deps: LiveTextDeps;
  readonly #place: LivePlace;
  readonly #key: string;
  #text = '';
  readonly #parts: GrowingParts;
  /** What each of its messages was last given to show. */
  readonly #shown: string[] = [];
  #cancelTimer: (() => void) | undefined;
  #inFlight: Promise<void> | undefined;
  #over: boolean;

  constructor(key: string, place: LivePlace, deps: LiveTextDeps) {
    this.#key = key;
    this.#place = place;
    this.#deps = deps;
    this.#parts = new GrowingParts((text) => this.#render(text));
    this.#over = !deps.adapter.limits.edit || deps.adapter.edit === undefined;
  }

  /** The whole text so far. */
  set(text: string): void {
    this.#text = text;
    if (this.#over) return;
    if (this.#shown.length === 0 && this.#place.as === 'progress') this.#show();
    else this.#arm();
  }

  /** From the call on nothing new starts; resolves when no edit is in flight any more. */
  async close(): Promise<void> {
    this.#over = true;
    this.#cancelTimer?.();
    await this.#inFlight;
  }

  #arm(): void {
    if (this.#cancelTimer || this.#inFlight || this.#over) return;
    this.#cancelTimer = this.#deps.clock.after(this.#pauseMs(), () => {
      this.#cancelTimer = undefined;
      this.#show();
    });
  }

  #pauseMs(): number {
    const { editEveryMs } = this.#deps.adapter.limits;
    const every = this.#place.direct ? editEveryMs.direct : editEveryMs.group;
    return this.#shown.length === 0 ? Math.min(FIRST_MS, every) : every;
  }

  #show(): void {
    if (this.#text.trim() === '') return;
    try {
      if (!this.#mayShow()) return void this.#arm();
      const stale = this.#open();
      if (!stale) return;
      this.#inFlight = this.#edit(stale.i, stale.part).finally(() => {
        this.#inFlight = undefined;
        if (this.#isBehind()) this.#arm();
      });
    } catch {
      // A store or an adapter that cannot take a preview will be heard of at the final.
      this.#over = true;
    }
  }

  /** Asked before anything is rendered: nothing of it is on its way, and there is a place for one call. */
  #mayShow(): boolean {
    const { outbox } = this.#deps.store;
    const states = this.#shown.map((_, i) => outbox.get(this.#keyOf(i))?.state ?? '');
    // One of its messages was dropped; what came later would stand in the wrong order.
    if (states.some((state) => !ALIVE.has(state))) this.#over = true;
    if (this.#over || states.some((state) => state !== 'sent')) return false;
    const { adapter, rate } = this.#deps;
    const { address, direct } = this.#place;
    return states.length === 0 || rate.take(address, direct, adapter.limits.rate, 1) === 0;
  }

  /** Starts the messages that are missing; returns the first one that shows something old. */
  #open(): { readonly i: number; readonly part: OutboundMessage } | undefined {
    const parts = this.#parts.of(this.#text);
    // Too long for messages: it becomes a file, and files are for the final.
    if (parts.some((part) => part.files) || parts.length > this.#deps.adapter.limits.maxParts) this.#over = true;
    if (this.#over) return undefined;
    for (let i = this.#shown.length; i < parts.length; i++) {
      this.#place.put(this.#keyOf(i), parts[i] as OutboundMessage);
      this.#shown[i] = print(parts[i] as OutboundMessage);
      this.#deps.wake();
    }
    return this.#stale();
  }

  #stale(): { readonly i: number; readonly part: OutboundMessage } | undefined {
    const parts = this.#parts.of(this.#text);
    const i = this.#shown.findIndex((shown, at) => shown !== print(parts[at] ?? NOTHING));
    if (i === -1) return undefined;
    // A text that became shorter leaves messages that have nothing to show.
    return { i, part: parts[i] ?? NOTHING };
  }

  #isBehind(): boolean {
    return this.#text !== this.#parts.text || this.#stale() !== undefined;
  }

  #render(text: string): readonly OutboundMessage[] {
    const { as } = this.#place;
    return this.#deps.adapter.parts(as === 'progress' ? { text, as, silent: true } : { text, as });
  }

  #obey(error: unknown): void {
    if (!(error instanceof SendError) || error.failure.kind !== 'wait') return;
    try {
      this.#deps.rate.close(this.#place.address, error.failure.retryAfterMs);
    } catch {
      // A penalty that could not be stored holds in this process all the same.
    }
  }

  #keyOf(i: number): string {
    return i === 0 ? this.#key : `${this.#key}#${i}`;
  }

  async #edit(i: number, part: OutboundMessage): Promise<void> {
    const { store, adapter, rate, wake } = this.#deps;
    const row = store.outbox.get(this.#keyOf(i));
    if (row?.state !== 'sent' || row.messageId === null) return;
    const done = rate.edit(row.key);
    try {
      await adapter.edit?.(row.sentTo ?? this.#place.address, row.messageId, part);
      this.#shown[i] = print(part);
    } catch (error) {
      // A refused edit is never replaced by a send: the next one, or the final, carries the text.
      this.#over ||= !passes(error);
      this.#obey(error);
    } finally {
      done();
      wake();
    }
  }
}

/** Trouble of the moment; a limit ends the display for this turn. */
function passes(error: unknown): boolean {
  return error instanceof SendError && (error.failure.kind === 'unreached' || error.failure.kind === 'ambiguous');
}

function print(part: OutboundMessage): string {
  return JSON.stringify(part);
}
