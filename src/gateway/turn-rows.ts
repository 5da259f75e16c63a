import type { TurnResult } from '../agent/turn-port.ts';
import { actorKey } from '../approvals/actor-key.ts';
import type { Clock } from '../contract/clock.ts';
import type { AttemptId, BootId, SessionId, TurnId } from '../contract/ids.ts';
import { closeHold, dropTurn } from '../process/holds.ts';
import type { AttemptKind } from '../store/attempts.ts';
import type { WaitingMessage } from '../store/inbox.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import { batchText, nextBatch } from './batch.ts';
import { letterHead } from './dead-letters.ts';
import { finalKey, previewKey } from './turn-view.ts';

export interface TurnRowsDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  /** The line before a person's words: time, and the name in groups. */
  readonly head: (name: string | undefined) => string;
  /** An instant as people read it: `14:02`. */
  readonly time: (at: number) => string;
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

  /** What came of an attempt. A turn that was ended meanwhile, by `/stop` or `/new`, says nothing more. */
  finish({ turn, attempt }: Dispatch, result: TurnResult): void {
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
          this.#say(turn, [this.said(turn.id), result.text].filter((text) => text !== '').join('\n\n'), now);
          return this.#end({ turn, attempt }, 'failed', now);
        case 'parked':
          store.turns.endAttempt(attempt, 'parked', now);
          return store.turns.setState(turn.id, 'parked', 'awaiting_person');
        case 'stopped':
          // An attempt left open is what marks the turn as interrupted.
          if (result.by === 'shutdown') return;
          store.outbox.cancelTurn(turn.id);
          return this.#end({ turn, attempt }, 'stopped', now);
      }
    });
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
    const { store, boot, clock, head } = this.#deps;
    const now = clock.now();
    const { message } = batch[0] as WaitingMessage;
    const { by: actor, address, direct, messageId: replyTo } = message;
    const turn = store.turns.create({ session, actor, address, direct, replyTo }, now);
    store.inbox.take(
      batch.map((row) => row.id),
      turn.id,
    );
    const content = `${head(direct ? undefined : actor.name)}\n${batchText(batch.map((row) => row.message))}`;
    store.transcript.append({ session, turn: turn.id, step: 0, role: 'user', content }, now);
    return { turn, attempt: store.turns.begin(turn, 'first', boot, now) };
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
    const whole = [letters, text].filter((part) => part !== '').join('\n\n');
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
