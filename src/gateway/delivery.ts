import type { Clock } from '../contract/clock.ts';
import { SendError } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { OutboundMessage, SentMessage } from '../contract/message.ts';
import type { PlatformAdapter } from '../contract/platform.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { nextSend } from './next-send.ts';
import type { RateGate } from './rate-gate.ts';

export interface DeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly rate: RateGate;
  readonly maxAgeMs: () => number;
}

interface Line {
  readonly adapter: PlatformAdapter;
  up: boolean;
  cancelTimer: (() => void) | undefined;
}

const REPEAT = '(may be a repeat)';

/** Sends due outbox rows, in order for each chat, one call a chat at a time; one platform's trouble never delays another's. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #lines = new Map<string, Line>();
  readonly #abort = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** Called at boot, outside any run. Rows of a platform leave only while it is up. */
  add(adapter: PlatformAdapter): void {
    this.#lines.set(adapter.name, { adapter, up: false, cancelTimer: undefined });
  }

  setUp(platform: string, up: boolean): void {
    const line = this.#lines.get(platform);
    if (!line || line.up === up) return;
    line.up = up;
    if (up) this.#pump(line);
  }

  /** New rows may wait: look now. Cheap, may be called from anywhere, also inside a run. */
  wake(): void {
    this.#deps.clock.after(0, () => {
      for (const line of this.#lines.values()) this.#pump(line);
    });
  }

  /** Resolves when nothing sendable waits or `ms` have passed, then takes no more. */
  async flush(ms: number): Promise<void> {
    const { clock, store } = this.#deps;
    const end = clock.now() + ms;
    const sendable = () =>
      [...this.#lines.values()].some(
        (line) => line.up && store.outbox.heads(line.adapter.name).some((row) => row.dueAt <= clock.now()),
      );
    while (clock.now() < end && (sendable() || this.#inFlight.size > 0)) {
      for (const line of this.#lines.values()) this.#pump(line);
      await new Promise<void>((resolve) => clock.after(20, resolve));
    }
    this.stop();
  }

  stop(): void {
    this.#abort.abort('shutdown');
    for (const line of this.#lines.values()) {
      line.up = false;
      line.cancelTimer?.();
    }
  }

  #pump(line: Line): void {
    line.cancelTimer?.();
    line.cancelTimer = undefined;
    if (!line.up || this.#abort.signal.aborted) return;
    const now = this.#deps.clock.now();
    let next = Infinity;
    for (const row of this.#deps.store.outbox.heads(line.adapter.name)) {
      const wait = row.dueAt > now ? row.dueAt - now : this.#offer(line, row, now);
      next = Math.min(next, wait);
    }
    if (next < Infinity) line.cancelTimer = this.#deps.clock.after(next, () => this.#pump(line));
  }

  /** Starts what can be started; returns the milliseconds after which to look again, Infinity: something will call. */
  #offer(line: Line, row: OutboxRow, now: number): number {
    const { store, rate } = this.#deps;
    if (row.expiresAt !== undefined && row.expiresAt <= now)
      return this.#close(row, 'cancelled', 'expired before it was sent');
    if (row.part === null) {
      store.tx(() => store.outbox.split(row, line.adapter.parts(row.message)));
      return 0;
    }
    const target = row.edits === undefined ? undefined : store.outbox.get(row.edits);
    if (target?.state === 'sending') return Infinity;
    const spare = row.kind === 'preview' || row.kind === 'progress' ? 1 : 0;
    const wait = rate.take(row.address.bot, row.address.chat, row.direct, line.adapter.limits.rate, spare);
    if (wait > 0) return wait;
    if (!store.outbox.claim(row.id)) return 0;
    this.#track(this.#attempt(line, row, target, now));
    return Infinity;
  }

  #close(row: OutboxRow, state: 'cancelled' | 'dead' | 'superseded' | 'held', why: string): number {
    this.#deps.store.outbox.close(row.id, state, why);
    return 0;
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    void work.finally(() => {
      this.#inFlight.delete(work);
      this.wake();
    });
  }

  async #attempt(line: Line, row: OutboxRow, target: OutboxRow | undefined, now: number): Promise<void> {
    const { store, clock, log } = this.#deps;
    const edit = target?.state === 'sent' && line.adapter.edit !== undefined;
    try {
      const sent = edit ? await this.#edit(line.adapter, row, target) : await this.#send(line.adapter, row, target);
      store.tx(() => store.outbox.sent(row.id, sent, clock.now()));
    } catch (error) {
      if (!(error instanceof SendError))
        log.error({ outbox: row.id, error: String(error) }, 'an adapter threw something other than a SendError');
      this.#failed(row, edit, error, now);
    }
  }

  async #edit(adapter: PlatformAdapter, row: OutboxRow, target: OutboxRow): Promise<SentMessage> {
    const at = target.sentTo ?? target.address;
    const messageId = target.messageId as string;
    await adapter.edit?.(at, messageId, row.message);
    return { messageId, at };
  }

  #send(adapter: PlatformAdapter, row: OutboxRow, target: OutboxRow | undefined): Promise<SentMessage> {
    const { store, clock } = this.#deps;
    if (target && target.state !== 'sent') store.outbox.close(target.id, 'superseded');
    const life = adapter.limits.idempotency?.lifeMs ?? 0;
    const repeat = row.state === 'ambiguous' && clock.now() - row.createdAt > life;
    const message = repeat ? labelled(row.message) : row.message;
    return adapter.send(row.address, message, { key: row.key, signal: this.#abort.signal });
  }

  #failed(row: OutboxRow, edit: boolean, error: unknown, now: number): void {
    const { store, log, maxAgeMs } = this.#deps;
    const failure = error instanceof SendError ? error.failure : ({ kind: 'format' } as const);
    const why = error instanceof Error ? error.message : String(error);
    const ageMs = now - row.createdAt;
    const next = nextSend(failure, { kind: row.kind, edit, attempts: row.attempts + 1, ageMs, maxAgeMs: maxAgeMs() });
    log.warn(
      { outbox: row.id, kind: row.kind, failure: failure.kind, next: next.kind, why },
      'a message was not delivered',
    );
    switch (next.kind) {
      case 'retry':
        return store.outbox.retry(row.id, now + next.afterMs, why, next.how);
      case 'move':
        return store.outbox.moveTo(row.id, next.to, now);
      case 'anew':
        return store.tx(() => {
          if (row.edits !== undefined) store.outbox.forget(row.edits);
          store.outbox.retry(row.id, now, why, 'free');
        });
      case 'dead':
        return void this.#close(row, 'dead', why);
      case 'drop':
        return void this.#close(row, 'cancelled', why);
      case 'hold':
        return void this.#close(row, 'held', why);
    }
  }
}

function labelled(message: OutboundMessage): OutboundMessage {
  return { ...message, text: `${REPEAT}\n\n${message.text}` };
}
