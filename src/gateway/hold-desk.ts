import type { Broker } from '../approvals/broker.ts';
import { plain } from '../approvals/markdown.ts';
import type { Clock } from '../contract/clock.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Actor, ButtonPress, FormAnswer, Inbound } from '../contract/message.ts';
import { type HoldAnswer, readHoldAnswer } from '../process/hold-card.ts';
import { attemptsOf, closeHold, dropTurn, heldBy, heldSince } from '../process/holds.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import type { AccessVerdict } from './access.ts';
import { endSession } from './commands/new.ts';
import type { Lanes } from './lanes.ts';
import { sessionKey } from './session-key.ts';

export interface HoldDeskDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly broker: Broker;
  readonly lanes: Lanes;
  /** `resume.hold_days`, ms. */
  readonly lifeMs: () => number;
  readonly sessions: () => { readonly group_per_actor: boolean; readonly thread_per_actor: boolean };
  /** Ends what the session's tools have running, in the background too. */
  readonly endProcesses: (session: SessionId) => void;
  readonly wake: () => void;
}

/** What a press did. */
export interface HoldReply {
  readonly text: string;
  /** Effects outside the database, once the transaction has committed. */
  readonly after?: () => void;
}

const LOOK_MS = 3_600_000;

/** Asks what is to become of a turn that was interrupted too often, and obeys. */
export class HoldDesk {
  readonly #deps: HoldDeskDeps;
  #cancel: () => void = () => {};

  constructor(deps: HoldDeskDeps) {
    this.#deps = deps;
  }

  /** Gives up what nobody answered, now and each hour. Called at boot, outside any run. */
  start(): void {
    this.#giveUp();
    this.#cancel = this.#deps.clock.after(LOOK_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  /** Undefined: no button of a hold. Call it inside the transaction that stores the press. */
  press(event: ButtonPress | FormAnswer, verdict: AccessVerdict): HoldReply | undefined {
    const answer = readHoldAnswer(event.data);
    if (!answer) return undefined;
    const turn = this.#deps.store.turns.get(answer.turn);
    if (!turn || !this.#may(event, verdict, turn))
      return { text: 'Only who asked for this, or an admin, may decide it.' };
    if (heldBy(turn) === null || attemptsOf(this.#deps.store, turn) !== answer.attempts)
      return { text: 'This is settled already.' };
    return this.#obey(turn, answer, event.by);
  }

  /** Its requester, whoever shares the conversation, or an admin. */
  #may(event: Inbound, verdict: AccessVerdict, turn: TurnRow): boolean {
    if (verdict.kind === 'deny') return false;
    if (verdict.role === 'admin') return true;
    const session = this.#deps.store.sessions.get(turn.session);
    return session !== undefined && sessionKey(event, this.#deps.sessions()) === session.key;
  }

  #obey(turn: TurnRow, { choice }: HoldAnswer, by: Actor): HoldReply {
    switch (choice) {
      case 'c':
        return this.#goOn(turn, by);
      case 'f':
        return this.#startFresh(turn, by);
      case 'k':
        return { text: 'It waits. You can still press Continue or Start fresh.' };
    }
  }

  #goOn(turn: TurnRow, by: Actor): HoldReply {
    const { store, lanes, clock } = this.#deps;
    const closed = attemptsOf(store, turn);
    const begin = lanes.prepare(turn, 'continue');
    if (!begin) return { text: 'I am just starting or stopping. Press it again in a minute.' };
    closeHold(store, turn, `Going on with it (Continue, ${plain(by.name, 60)}).`, clock.now(), closed);
    return { text: 'Going on.', after: () => void begin() };
  }

  #startFresh(turn: TurnRow, by: Actor): HoldReply {
    const { store, lanes, clock, endProcesses } = this.#deps;
    closeHold(
      store,
      turn,
      `Not taken up again: a new session begins (Start fresh, ${plain(by.name, 60)}).`,
      clock.now(),
    );
    const session = store.sessions.get(turn.session);
    const ended = session ? endSession(this.#deps, session) : '';
    const after = () => {
      lanes.stop(turn.session, 'reset');
      endProcesses(turn.session);
    };
    return { text: `New session.${ended}`, after };
  }

  #giveUp(): void {
    const { store, clock, log, lifeMs, wake } = this.#deps;
    try {
      const now = clock.now();
      const old = store.turns.unfinished().filter((turn) => {
        const since = heldBy(turn) === null ? undefined : heldSince(store, turn);
        return since !== undefined && now - since >= lifeMs();
      });
      for (const turn of old) store.tx(() => this.#drop(turn, now));
      if (old.length > 0) wake();
    } catch (error) {
      log.error({ error }, 'held turns could not be given up; it is tried again in an hour');
    }
  }

  #drop(turn: TurnRow, now: number): void {
    const { store } = this.#deps;
    closeHold(store, turn, 'Given up: nobody said what to do with what was interrupted here.', now);
    dropTurn(store, turn, 'abandoned', 'hold_expired', now);
  }
}
