import { type Clock, pause } from '../contract/clock.ts';
import { SendError, type SendFailure } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { OutboundMessage, SentMessage } from '../contract/message.ts';
import type { PlatformAdapter } from '../contract/platform.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { type NextSend, nextSend } from './next-send.ts';

export interface SenderDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxAgeMs: () => number;
  /** A row was given up; called after the commit. A card that nobody can see settles its request. */
  readonly gaveUp?: (row: OutboxRow) => void;
}

const REPEAT = '(may be a repeat)';
const STORE_RETRY_MS = 1_000;

/** Makes one call for a claimed row and writes down what came of it. */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #signal: AbortSignal;

  /** After `signal` no new call is to be made; calls in flight are told to end. */
  constructor(deps: SenderDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Edits the message of `target` if that was sent, else sends. Never rejects. */
  async attempt(adapter: PlatformAdapter, row: OutboxRow, target: OutboxRow | undefined): Promise<void> {
    const { store, clock } = this.#deps;
    const edit = target?.state === 'sent' && canEdit(adapter, row);
    try {
      const sent = edit ? await editSent(adapter, row, target) : await this.#send(adapter, row);
      await this.#record(row, () => store.outbox.sent(row.id, sent, clock.now()));
    } catch (error) {
      const next = await this.#record(row, () => this.#failed(adapter, row, edit, error));
      if (next?.kind === 'dead') this.#deps.gaveUp?.(row);
    }
  }

  #send(adapter: PlatformAdapter, row: OutboxRow): Promise<SentMessage> {
    const repeat = row.state === 'ambiguous' && !this.#keyed(adapter, row);
    const message = repeat ? labelled(row.message) : row.message;
    return adapter.send(row.address, message, { key: row.key, signal: this.#signal });
  }

  #keyed({ limits }: PlatformAdapter, row: OutboxRow): boolean {
    return limits.idempotency !== null && this.#deps.clock.now() - row.createdAt <= limits.idempotency.lifeMs;
  }

  /** What came of a call must become a row; until it is one, its chat waits. Never rejects; undefined: the process ends. */
  async #record<T>(row: OutboxRow, write: () => T): Promise<T | undefined> {
    const { store, clock, log } = this.#deps;
    for (;;) {
      try {
        return store.tx(write);
      } catch (error) {
        log.error({ outbox: row.id, error }, 'what came of a send could not be stored');
        if (this.#signal.aborted) return undefined;
        await pause(clock, STORE_RETRY_MS, this.#signal);
      }
    }
  }

  #failed(adapter: PlatformAdapter, row: OutboxRow, edit: boolean, error: unknown): NextSend {
    const { clock, log, maxAgeMs } = this.#deps;
    const now = clock.now();
    const failure = failureOf(error);
    const next = nextSend(failure, {
      kind: row.kind,
      edit,
      repeat: row.state === 'ambiguous',
      keyed: this.#keyed(adapter, row),
      moved: row.sentTo !== null,
      attempts: row.attempts + 1,
      ageMs: now - row.createdAt,
      maxAgeMs: maxAgeMs(),
    });
    const why = error instanceof Error ? error.message : String(error);
    const facts = { outbox: row.id, kind: row.kind, failure: failure.kind, next: next.kind, why };
    if (error instanceof SendError) log.warn(facts, 'a message was not delivered');
    else log.error({ ...facts, error }, 'an adapter threw something other than a SendError; this is a bug in it');
    this.#follow(row, next, why, now);
    return next;
  }

  #follow(row: OutboxRow, next: NextSend, why: string, now: number): void {
    const { outbox } = this.#deps.store;
    switch (next.kind) {
      case 'retry':
        return void outbox.retry(row.id, now + next.afterMs, why, next.how, next.free);
      case 'move':
        return void outbox.moveTo(row.id, next.to, now);
      case 'anew':
        if (row.edits !== undefined) outbox.forget(row.edits);
        return void outbox.retry(row.id, now, why, 'pending', true);
      case 'hold':
        return void outbox.hold(row.id, why);
      case 'dead':
        return void outbox.close(row.id, 'dead', why);
      case 'drop':
        return void outbox.close(row.id, 'cancelled', why);
    }
  }
}

/** Text becomes other text; no message becomes a file. */
function canEdit(adapter: PlatformAdapter, row: OutboxRow): boolean {
  return adapter.limits.edit && adapter.edit !== undefined && !row.message.files?.length;
}

/** Of an unknown error we do not know either whether the message left. */
function failureOf(error: unknown): SendFailure {
  return error instanceof SendError ? error.failure : { kind: 'ambiguous' };
}

async function editSent(adapter: PlatformAdapter, row: OutboxRow, target: OutboxRow): Promise<SentMessage> {
  const at = target.sentTo ?? target.address;
  const messageId = target.messageId as string;
  await adapter.edit?.(at, messageId, row.message);
  return { messageId, at };
}

function labelled(message: OutboundMessage): OutboundMessage {
  return { ...message, text: `${REPEAT}\n\n${message.text}` };
}
