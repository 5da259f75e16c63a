import { type Clock, pause } from '../contract/clock.ts';
import { SendError, type SendFailure } from '../contract/errors.ts';
import type { Log } from '../contract/log.ts';
import type { Address, OutboundMessage, SentMessage } from '../contract/message.ts';
import type { PlatformAdapter } from '../contract/platform.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { chatGone, chatMoved } from './chat-news.ts';
import { lateLine } from './late-answer.ts';
import { type NextSend, nextSend } from './next-send.ts';
import type { RateGate } from './rate-gate.ts';
import { smallerForm } from './smaller-form.ts';

export interface SenderDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly rate: RateGate;
  readonly maxAgeMs: () => number;
  /** An instant as people read it: `14:02`. */
  readonly time: (at: number) => string;
  /** Rows were given up; called after the commit. A card that nobody can see settles its request. */
  readonly gaveUp?: (rows: readonly OutboxRow[]) => void;
  /** A chat refuses us, or takes us again; called after the commit, once for each change. */
  readonly reach?: (address: Address, reachable: boolean) => void;
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
    const edit = target?.state === 'sent' && canEdit(adapter, row);
    try {
      const message = this.#worded(row);
      const sent = edit ? await editSent(adapter, message, target) : await this.#send(adapter, row, message);
      await this.#sent(row, sent);
    } catch (error) {
      await this.#failed(adapter, row, edit, error);
    }
  }

  #send(adapter: PlatformAdapter, row: OutboxRow, message: OutboundMessage): Promise<SentMessage> {
    const repeat = row.state === 'ambiguous' && !this.#keyed(adapter, row);
    const labelled = repeat ? opened(REPEAT, message) : message;
    const options = { key: row.key, signal: this.#signal };
    return adapter.send(row.address, labelled, repeat ? { ...options, repeat: true } : options);
  }

  /** A late answer says what it answers. */
  #worded(row: OutboxRow): OutboundMessage {
    if (row.kind !== 'final' || row.part !== 0 || row.turn === undefined) return row.message;
    const { store, time, clock } = this.#deps;
    const turn = store.turns.get(row.turn);
    if (!turn) return row.message;
    const asked = store.inbox.ofTurn(turn.id)[0]?.message.sentAt ?? turn.createdAt;
    const facts = { endedAt: turn.endedAt ?? row.createdAt, overtaken: store.outbox.overtaken(turn.id) };
    const line = lateLine({ ...facts, asked: time(asked) }, clock.now());
    return line === undefined ? row.message : opened(line, row.message);
  }

  #keyed({ limits }: PlatformAdapter, row: OutboxRow): boolean {
    return limits.idempotency !== null && this.#deps.clock.now() - row.createdAt <= limits.idempotency.lifeMs;
  }

  async #sent(row: OutboxRow, sent: SentMessage): Promise<void> {
    const { store, clock, reach } = this.#deps;
    const back = await this.#record(row, () => {
      store.outbox.sent(row.id, sent, clock.now());
      return store.reach.clear(sent.at);
    });
    if (back) reach?.(sent.at, true);
  }

  async #failed(adapter: PlatformAdapter, row: OutboxRow, edit: boolean, error: unknown): Promise<void> {
    const failure = failureOf(error);
    const next = this.#next(adapter, row, edit, failure, error);
    const why = error instanceof Error ? error.message : String(error);
    const after = await this.#record(row, () => {
      if (failure.kind === 'wait') this.#deps.rate.close(row.address, failure.retryAfterMs);
      return this.#follow(adapter, row, next, why);
    });
    if (after && after.dead.length > 0) this.#deps.gaveUp?.(after.dead);
    if (after?.gone) this.#deps.reach?.(row.address, false);
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

  #next(adapter: PlatformAdapter, row: OutboxRow, edit: boolean, failure: SendFailure, error: unknown): NextSend {
    const { clock, log, maxAgeMs } = this.#deps;
    const next = nextSend(failure, {
      kind: row.kind,
      edit,
      repeat: row.state === 'ambiguous',
      keyed: this.#keyed(adapter, row),
      moved: row.sentTo !== null,
      thread: row.address.thread !== undefined,
      smaller: row.smaller,
      attempts: row.attempts + 1,
      ageMs: clock.now() - row.createdAt,
      maxAgeMs: maxAgeMs(),
    });
    const why = error instanceof Error ? error.message : String(error);
    const facts = { outbox: row.id, kind: row.kind, failure: failure.kind, next: next.kind, why };
    if (error instanceof SendError) log.warn(facts, 'a message was not delivered');
    else log.error({ ...facts, error }, 'an adapter threw something other than a SendError; this is a bug in it');
    return next;
  }

  /** Returns what is dead now, and whether the chat is newly known to refuse us. */
  #follow(adapter: PlatformAdapter, row: OutboxRow, next: NextSend, why: string): Aftermath {
    const { store, clock } = this.#deps;
    const { outbox } = store;
    const now = clock.now();
    switch (next.kind) {
      case 'retry':
        outbox.retry(row.id, now + next.afterMs, why, next.how, next.free);
        return NOTHING;
      case 'move':
        this.#moved(row, next.to, why);
        return NOTHING;
      case 'anew':
        if (row.edits !== undefined) outbox.forget(row.edits);
        outbox.retry(row.id, now, why, 'pending', true);
        return NOTHING;
      case 'parent':
        this.#toParent(row, next.notice, why);
        return NOTHING;
      case 'smaller':
        return this.#smaller(adapter, row, why);
      case 'gone':
        return this.#gone(row, why);
      case 'hold':
        outbox.hold(row.id, why);
        return NOTHING;
      case 'dead':
        outbox.close(row.id, 'dead', why);
        return { dead: [row], gone: false };
      case 'drop':
        outbox.close(row.id, 'cancelled', why);
        return NOTHING;
    }
  }

  /** The chat has a new id, for everything that is kept. */
  #moved(row: OutboxRow, to: Address, why: string): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    chatMoved(store, row.address, to, now);
    store.outbox.moveTo(row.id, to, now);
    store.outbox.retry(row.id, now, why, 'pending', false);
  }

  #toParent(row: OutboxRow, notice: string, why: string): void {
    const { store, clock } = this.#deps;
    store.reach.loseThread(row.address, clock.now());
    const { thread: _, ...parent } = row.address;
    const { replyTo: __, ...message } = row.message;
    store.outbox.moveTo(row.id, parent, clock.now());
    store.outbox.rewrite(row.id, opened(`(${notice})`, message));
    store.outbox.retry(row.id, clock.now(), why, row.state === 'ambiguous' ? 'ambiguous' : 'pending', false);
  }

  #smaller(adapter: PlatformAdapter, row: OutboxRow, why: string): Aftermath {
    const { store, clock } = this.#deps;
    const pieces = smallerForm(row.message).flatMap((piece) => adapter.parts(piece));
    if (pieces.length === 0) {
      store.outbox.close(row.id, 'dead', why);
      return { dead: [row], gone: false };
    }
    store.outbox.shrink(row, pieces, clock.now(), row.state === 'ambiguous' ? 'ambiguous' : 'pending');
    return NOTHING;
  }

  #gone(row: OutboxRow, why: string): Aftermath {
    const { store, clock } = this.#deps;
    const passing = row.kind === 'preview' || row.kind === 'progress';
    store.outbox.close(row.id, passing ? 'cancelled' : 'dead', why);
    const { dead, news } = chatGone(store, row.address, why, clock.now());
    return { dead: passing ? dead : [row, ...dead], gone: news };
  }
}

interface Aftermath {
  readonly dead: readonly OutboxRow[];
  readonly gone: boolean;
}

const NOTHING: Aftermath = { dead: [], gone: false };

/** Text becomes other text; no message becomes a file. */
function canEdit(adapter: PlatformAdapter, row: OutboxRow): boolean {
  return adapter.limits.edit && adapter.edit !== undefined && !row.message.files?.length;
}

/** Of an unknown error we do not know either whether the message left. */
function failureOf(error: unknown): SendFailure {
  return error instanceof SendError ? error.failure : { kind: 'ambiguous' };
}

async function editSent(adapter: PlatformAdapter, message: OutboundMessage, target: OutboxRow): Promise<SentMessage> {
  const at = target.sentTo ?? target.address;
  const messageId = target.messageId as string;
  await adapter.edit?.(at, messageId, message);
  return { messageId, at };
}

/** A line of ours before the words of a part; adapters count on there being nothing else. */
function opened(line: string, message: OutboundMessage): OutboundMessage {
  return { ...message, text: message.text === '' ? line : `${line}\n\n${message.text}` };
}
