import type { TurnResult, TurnRunner } from '../agent/turn-runner.ts';
import { outsideRun, withRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import { type AttemptId, type BootId, newId, type RunId, type SessionId, type TurnId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { ChatRun, EndReason } from '../contract/run.ts';
import type { WaitingMessage } from '../store/inbox.ts';
import type { Store } from '../store/store.ts';
import type { AttemptKind, TurnRow } from '../store/turns.ts';
import { batchText, nextBatch } from './batch.ts';
import { finalKey, previewKey, type TurnView } from './turn-view.ts';

export interface LaneDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: TurnRunner;
  readonly maxTurns: () => number;
  /** What the person sees while the turn runs; undefined: its platform is not here. */
  readonly view: (turn: TurnRow, said: string) => TurnView | undefined;
  /** The line before a person's words: time, and the name in groups. */
  readonly head: (name: string | undefined) => string;
  readonly wake: () => void;
}

interface Running {
  readonly turn: TurnRow;
  readonly abort: AbortController;
  readonly startedAt: number;
  done: Promise<void>;
}

/** One lane a session, one turn a lane at a time; what waits are rows, never closures. */
export class Lanes {
  readonly #deps: LaneDeps;
  readonly #running = new Map<SessionId, Running>();
  readonly #timers = new Map<SessionId, () => void>();
  #open = false;
  #closed = false;

  constructor(deps: LaneDeps) {
    this.#deps = deps;
  }

  /** Takes up everything that waits. Called once, at boot, after interrupted turns were given back with `resume`. */
  start(): void {
    this.#open = true;
    for (const session of this.#deps.store.inbox.sessions()) this.kick(session);
  }

  /** Something may wait for this session: look. Safe from any context. */
  kick(session: SessionId): void {
    outsideRun(() => this.#next(session));
  }

  /** Dispatches an unfinished turn again: after a boot, or because a person answered its question. */
  resume(turn: TurnRow, kind: Exclude<AttemptKind, 'first'>): void {
    if (this.#closed || this.#running.has(turn.session)) return;
    const { store, boot, clock } = this.#deps;
    const attempt = store.tx(() => store.turns.begin(turn, kind, boot, clock.now()));
    outsideRun(() => this.#dispatch(turn, attempt, kind === 'resume'));
  }

  running(session: SessionId): { readonly turn: TurnRow; readonly startedAt: number } | undefined {
    return this.#running.get(session);
  }

  get count(): number {
    return this.#running.size;
  }

  /** Ends the session's running turn; false: none ran. The turn's promise settles within its tools' bounds. */
  stop(session: SessionId, reason: EndReason): boolean {
    const running = this.#running.get(session);
    running?.abort.abort(reason);
    return running !== undefined;
  }

  /** No new turn starts; running ones get `ms`, then are told to shut down. Resolves when all have ended. */
  async drain(ms: number): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    const cancel = this.#deps.clock.after(ms, () => this.#abortAll());
    await this.#settled();
    cancel();
  }

  /** Turns that wait for a person park at once; called when the drain begins. */
  #abortAll(): void {
    for (const running of this.#running.values()) running.abort.abort('shutdown' satisfies EndReason);
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map((running) => running.done));
  }

  #next(session: SessionId): void {
    if (!this.#open || this.#closed || this.#running.has(session)) return;
    if (this.#running.size >= this.#deps.maxTurns()) return;
    const { store, clock } = this.#deps;
    const unfinished = store.turns.unfinishedOf(session);
    if (unfinished.some((turn) => turn.state !== 'held')) return;
    const batch = nextBatch(store.inbox.waiting(session, clock.now()));
    if (batch.length === 0) return this.#later(session);
    const { turn, attempt } = store.tx(() => this.#claim(session, batch, unfinished));
    this.#dispatch(turn, attempt, false);
  }

  #later(session: SessionId): void {
    const { store, clock } = this.#deps;
    const at = store.inbox.nextReadyAt(session);
    this.#timers.get(session)?.();
    this.#timers.delete(session);
    if (at !== undefined)
      this.#timers.set(
        session,
        clock.after(Math.max(0, at - clock.now()), () => this.kick(session)),
      );
  }

  #claim(session: SessionId, batch: readonly WaitingMessage[], held: readonly TurnRow[]) {
    const { store, boot, clock, head } = this.#deps;
    const now = clock.now();
    for (const turn of held) {
      store.turns.end(turn.id, 'superseded', now, 'newer_input');
      store.inbox.finishTurn(turn.id, 'merged', now, 'newer_input');
    }
    const { message } = batch[0] as WaitingMessage;
    const turn = store.turns.create(
      { session, actor: message.by, address: message.address, direct: message.direct, replyTo: message.messageId },
      now,
    );
    store.inbox.take(
      batch.map((row) => row.id),
      turn.id,
    );
    const content = `${head(message.direct ? undefined : message.by.name)}\n${batchText(batch.map((row) => row.message))}`;
    store.transcript.append({ session, turn: turn.id, step: 0, role: 'user', content }, now);
    return { turn, attempt: store.turns.begin(turn, 'first', boot, now) };
  }

  #dispatch(turn: TurnRow, attempt: AttemptId, resumed: boolean): void {
    const abort = new AbortController();
    const running: Running = { turn, abort, startedAt: this.#deps.clock.now(), done: Promise.resolve() };
    this.#running.set(turn.session, running);
    running.done = this.#turn(running, attempt, resumed).finally(() => {
      this.#running.delete(turn.session);
      this.#deps.wake();
      this.#wakeAll(turn.session);
    });
  }

  /** The session that just ended first, then those that met the cap. */
  #wakeAll(ended: SessionId): void {
    this.#next(ended);
    if (this.#running.size >= this.#deps.maxTurns() - 1) {
      for (const session of this.#deps.store.inbox.sessions()) this.#next(session);
    }
  }

  async #turn(running: Running, attempt: AttemptId, resumed: boolean): Promise<void> {
    const { turn, abort } = running;
    const view = this.#deps.view(turn, this.#said(turn.id));
    try {
      const run = chatRun(turn, abort.signal, resumed);
      const result = await withRun(run, () => this.#deps.runner.run({ turn, run }, view ?? SILENT));
      await view?.close();
      this.#finish(turn, attempt, result);
    } catch (error) {
      await view?.close();
      this.#broke(turn, attempt, error);
    }
  }

  /** Everything the turn has said so far, over all its attempts. */
  #said(turn: TurnId): string {
    const rows = this.#deps.store.transcript.ofTurn(turn);
    return rows
      .filter((row) => row.role === 'assistant' && row.content !== '')
      .map((row) => row.content)
      .join('\n\n');
  }

  /** The end of a turn is one transaction. */
  #finish(turn: TurnRow, attempt: AttemptId, result: TurnResult): void {
    const { store, clock } = this.#deps;
    const now = clock.now();
    store.tx(() => {
      switch (result.kind) {
        case 'replied':
          if (result.message) store.transcript.append(result.message, now);
          this.#say(turn, this.#said(turn.id), now);
          return this.#end(turn, attempt, 'answered', now);
        case 'failed':
          this.#say(turn, [this.#said(turn.id), result.text].filter((text) => text !== '').join('\n\n'), now);
          return this.#end(turn, attempt, 'failed', now);
        case 'parked':
          store.turns.endAttempt(attempt, 'parked', now);
          return store.turns.setState(turn.id, 'parked', 'awaiting_person');
        case 'stopped':
          // An attempt left open is what marks the turn as interrupted.
          if (result.by === 'shutdown') return;
          store.outbox.cancelTurn(turn.id);
          return this.#end(turn, attempt, 'stopped', now);
      }
    });
  }

  #end(turn: TurnRow, attempt: AttemptId, state: 'answered' | 'failed' | 'stopped', now: number): void {
    const { store } = this.#deps;
    store.inbox.finishTurn(turn.id, 'answered', now);
    store.turns.endAttempt(attempt, 'ended', now);
    store.turns.end(turn.id, state, now);
  }

  #say(turn: TurnRow, text: string, now: number): void {
    const { address, direct, replyTo } = turn;
    const message = { text, ...(replyTo !== null && !direct ? { replyTo } : {}) };
    const key = finalKey(turn);
    this.#deps.store.outbox.put(
      { key, kind: 'final', address, direct, message, turn: turn.id, edits: previewKey(turn) },
      now,
    );
  }

  #broke(turn: TurnRow, attempt: AttemptId, error: unknown): void {
    const { log } = this.#deps;
    log.error(
      { turn: turn.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      'a turn broke; this is a bug in hermod',
    );
    const text =
      'Something broke inside hermod while I worked on this; the log has the details. Send the message again; if it happens twice, please report it.';
    this.#finish(turn, attempt, { kind: 'failed', failure: { kind: 'request', detail: 'internal error' }, text });
  }
}

const SILENT = { text() {}, restart() {}, tool() {}, notice() {}, waiting() {} };

function chatRun(turn: TurnRow, signal: AbortSignal, resumed: boolean): ChatRun {
  const runId = newId<RunId>();
  const { session, actor, address: replyTo } = turn;
  return { kind: 'chat', runId, rootId: runId, session, depth: 0, signal, actor, replyTo, resumed };
}
