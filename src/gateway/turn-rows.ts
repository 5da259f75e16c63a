import type { TurnResult } from '../agent/turn-port.ts';
import { actorKey } from '../approvals/actor-key.ts';
import type { Clock } from '../contract/clock.ts';
import type { AttemptId, BootId, InboxId, SessionId, TurnId } from '../contract/ids.ts';
import type { Address } from '../contract/message.ts';
import { closeHold, dropTurn } from '../process/holds.ts';
import type { AttemptKind } from '../store/attempts.ts';
import type { WaitingMessage } from '../store/inbox.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import { batchText, nextBatch } from './batch.ts';
import { letterHead } from './dead-letters.ts';
import { finalKey, previewKey } from './turn-view.ts';
import { age } from './words.ts';

export interface TurnRowsDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  /** The line before a person's words: time, the name in groups, and what else is to be known of them. */
  readonly head: (name: string | undefined, note: string | undefined) => string;
  /** An instant as people read it: `14:02`. */
  readonly time: (at: number) => string;
  /** `inbox.age_label_s`, ms: older words reach the model with their age. */
  readonly ageLabelMs: () => number;
  /** What was said in a group meanwhile and not to us, once; absent: nobody listens. */
  readonly overheard?: (address: Address) => string | undefined;
  /** A turn is cut off by the end of this process. Called in the transaction that writes its attempt down. */
  readonly cutOff?: (turn: TurnRow) => void;
}

export interface Dispatch {
  readonly turn: TurnRow;
  readonly attempt: AttemptId;
}

const NOT_RUN = 'not run: the turn ended before';

/** The beginning and the end of a turn, one transaction each. */
export class TurnRows {
  readonly #deps: TurnRowsDeps;

  constructor(deps: TurnRowsDeps) {
    this.#deps = deps;
  }

  /** Takes what a session has waiting as one turn. Undefined: nothing is ready, or an unfinished turn comes first. */
  claim(session: SessionId): Dispatch | undefined {
    const { store, clock } = this.#deps;
    return store.tx(() => {
      const unfinished = store.turns.unfinishedOf(session);
      if (unfinished.some((turn) => turn.state !== 'held')) return undefined;
      const batch = nextBatch(store.inbox.waiting(session, clock.now()));
      if (batch.length === 0) return undefined;
      for (const turn of unfinished) this.#supersede(turn);
      return this.#create(session, batch);
    });
  }

  /** A further attempt at an unfinished turn. Undefined: it has ended meanwhile. */
  again(id: TurnId, kind: Exclude<AttemptKind, 'first'>): Dispatch | undefined {
    const { store, boot, clock } = this.#deps;
    return store.tx(() => {
      const turn = store.turns.get(id);
      if (!turn || turn.endedAt !== null) return undefined;
      return { turn, attempt: store.turns.begin(turn, kind, boot, clock.now()) };
    });
  }

  /**
   * What came of an attempt. A turn that was ended meanwhile, by `/stop` or `/new`, says nothing more; one that was ended for
   * another reason says `closing` below what it had said.
   */
  finish({ turn, attempt }: Dispatch, result: TurnResult, closing?: string): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    store.tx(() => {
      if (store.turns.get(turn.id)?.endedAt !== null) {
        store.outbox.cancelTurn(turn.id);
        return store.turns.endAttempt(attempt, 'ended', now);
      }
      switch (result.kind) {
        case 'replied':
          if (result.message) store.transcript.append(result.message, now);
          this.#say(turn, this.said(turn.id), now);
          return this.#end({ turn, attempt }, 'answered', now);
        case 'failed':
          this.#say(turn, paragraphs(this.said(turn.id), result.text), now);
          return this.#end({ turn, attempt }, 'failed', now);
        case 'parked':
          store.turns.endAttempt(attempt, 'parked', now);
          return store.turns.setState(turn.id, 'parked', 'awaiting_person');
        case 'stopped':
          // An attempt left open is what marks the turn as interrupted.
          if (result.by === 'shutdown') return this.#deps.cutOff?.(turn);
          if (closing === undefined) store.outbox.cancelTurn(turn.id);
          else this.#say(turn, paragraphs(this.said(turn.id), closing), now);
          return this.#end({ turn, attempt }, 'stopped', now);
      }
    });
  }

  /** What waits to steer a running turn, oldest first. */
  steering({ session, actor }: TurnRow): readonly WaitingMessage[] {
    const { store, clock } = this.#deps;
    return store.inbox.steering(session, actor.id, clock.now());
  }

  /** Takes it into the turn, as words of the person. */
  steer(turn: TurnRow): void {
    const { store } = this.#deps;
    store.tx(() => {
      const batch = this.steering(turn);
      if (batch.length === 0) return;
      this.#take(turn, batch);
      this.#write(turn, batch);
    });
  }

  /** A late piece of what a turn has taken: its words are what they would have been together. Call it inside a transaction. */
  fold(turn: TurnRow, id: InboxId): void {
    const { store } = this.#deps;
    store.inbox.take([id], turn.id);
    store.transcript.hideWords(turn.id);
    this.#write(turn, store.inbox.ofTurn(turn.id));
  }

  /** Everything the turn has said so far, over all its attempts. */
  said(turn: TurnId): string {
    const rows = this.#deps.store.transcript.ofTurn(turn);
    return rows
      .filter((row) => row.role === 'assistant' && row.content !== '')
      .map((row) => row.content)
      .join('\n\n');
  }

  #create(session: SessionId, batch: readonly WaitingMessage[]): Dispatch {
    const { store, boot, clock } = this.#deps;
    const now = clock.now();
    const { message } = batch[0] as WaitingMessage;
    const { by: actor, address, direct, messageId: replyTo } = message;
    const turn = store.turns.create({ session, actor, address, direct, replyTo }, now);
    this.#take(turn, batch);
    this.#overhear(turn);
    this.#write(turn, batch);
    return { turn, attempt: store.turns.begin(turn, 'first', boot, now) };
  }

  #take(turn: TurnRow, batch: readonly WaitingMessage[]): void {
    this.#deps.store.inbox.take(
      batch.map((row) => row.id),
      turn.id,
    );
  }

  /** The words of a batch as one message of the conversation. What hermod itself wrote is marked as that. */
  #write({ id: turn, session, direct, actor }: TurnRow, batch: readonly WaitingMessage[]): void {
    const { store, clock, head } = this.#deps;
    const now = clock.now();
    const words = batchText(batch.map((row) => row.message));
    const content = `${head(direct ? undefined : actor.name, this.#ageOf(batch, now))}\n${words}`;
    const mark = batch[0]?.kind === 'internal' ? { mark: 'daemon' } : {};
    store.transcript.append({ session, turn, step: 0, role: 'user', content, ...mark }, now);
  }

  #overhear({ id: turn, session, address, direct }: TurnRow): void {
    const { store, clock, overheard } = this.#deps;
    const content = direct ? undefined : overheard?.(address);
    if (content === undefined) return;
    store.transcript.append({ session, turn, step: 0, role: 'user', content, mark: 'overheard' }, clock.now());
  }

  #ageOf([first]: readonly WaitingMessage[], now: number): string | undefined {
    const ms = now - (first?.message.sentAt ?? now);
    return ms > this.#deps.ageLabelMs() ? `written ${age(ms)} ago` : undefined;
  }

  #supersede(turn: TurnRow): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    closeHold(store, turn, 'Not taken up again: your next message came.', now);
    dropTurn(store, turn, 'superseded', 'newer_input', now);
  }

  #say(turn: TurnRow, text: string, now: number): void {
    const { store, time } = this.#deps;
    const { id, actor, address, direct, replyTo } = turn;
    const letters = store.reach.isGone(address) ? '' : letterHead(store, actorKey(actor), now, time);
    const whole = paragraphs(letters, text);
    const message = replyTo !== null && !direct ? { text: whole, replyTo } : { text: whole };
    store.outbox.dropLive(id);
    store.outbox.put(
      { key: finalKey(turn), kind: 'final', address, direct, message, turn: id, edits: previewKey(turn) },
      now,
    );
  }

  #end({ turn, attempt }: Dispatch, state: 'answered' | 'failed' | 'stopped', now: number): void {
    const { store } = this.#deps;
    store.transcript.skipOpen(turn.id, NOT_RUN, now);
    store.inbox.finishTurn(turn.id, 'answered', now);
    store.turns.endAttempt(attempt, 'ended', now);
    store.turns.end(turn.id, state, now);
  }
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
