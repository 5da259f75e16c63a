import type { TurnResult, TurnRunner, TurnSink } from '../agent/turn-port.ts';
import { outsideRun, withRun } from '../context/run-context.ts';
import { pause } from '../contract/clock.ts';
import { newId, type RunId, type SessionId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { ChatRun, EndReason } from '../contract/run.ts';
import type { AttemptKind } from '../store/attempts.ts';
import type { TurnRow } from '../store/turns.ts';
import { type Dispatch, TurnRows, type TurnRowsDeps } from './turn-rows.ts';
import type { TurnView } from './turn-view.ts';

export interface LaneDeps extends TurnRowsDeps {
  readonly log: Log;
  readonly runner: TurnRunner;
  readonly maxTurns: () => number;
  /** What the person sees while the turn runs; undefined: its platform is not here. */
  readonly view: (turn: TurnRow, said: string) => TurnView | undefined;
  readonly wake: () => void;
}

interface Running extends Dispatch {
  readonly abort: AbortController;
  readonly startedAt: number;
  readonly resumed: boolean;
  view: TurnView | undefined;
  /** How many of its calls wait for a person. */
  waits: number;
  done: Promise<void>;
}

const STORE_RETRY_MS = 1_000;
const STORE_RETRY_MAX_MS = 30_000;

/** One lane a session, one turn a lane at a time; what waits are rows, never closures. */
export class Lanes {
  readonly #deps: LaneDeps;
  readonly #rows: TurnRows;
  readonly #running = new Map<SessionId, Running>();
  readonly #timers = new Map<SessionId, () => void>();
  /** Sessions that met the cap, the longest waiting first. */
  readonly #queue = new Set<SessionId>();
  readonly #draining = new AbortController();
  #open = false;

  constructor(deps: LaneDeps) {
    this.#deps = deps;
    this.#rows = new TurnRows(deps);
  }

  /** Takes up everything that waits. Called once, at boot, after interrupted turns were given back with `resume`. */
  start(): void {
    this.#open = true;
    for (const session of this.#deps.store.inbox.sessions()) this.kick(session);
  }

  /** Something may wait for this session: look. Safe from any context, never throws. */
  kick(session: SessionId): void {
    outsideRun(() => this.#next(session));
  }

  /**
   * Dispatches an unfinished turn again: after a boot, or because a person answered its question. Resolves when that attempt has
   * ended; undefined: the turn has ended, or cannot run now.
   */
  resume(turn: TurnRow, kind: Exclude<AttemptKind, 'first'>): Promise<void> | undefined {
    return this.prepare(turn, kind)?.();
  }

  /** The same in two steps: the attempt is written now, inside the caller's transaction; what is returned runs it afterwards. */
  prepare(turn: TurnRow, kind: Exclude<AttemptKind, 'first'>): (() => Promise<void>) | undefined {
    if (!this.#open || this.#closed || this.#running.has(turn.session)) return undefined;
    const dispatch = this.#rows.again(turn.id, kind);
    return dispatch && (() => outsideRun(() => this.#dispatch(dispatch, kind !== 'approval')));
  }

  running(session: SessionId): { readonly turn: TurnRow; readonly startedAt: number } | undefined {
    return this.#running.get(session);
  }

  get count(): number {
    return this.#running.size;
  }

  /** Ends the session's running turn; false: none ran. Nothing of it is shown from now on; it settles within its tools' bounds. */
  stop(session: SessionId, reason: EndReason): boolean {
    const running = this.#running.get(session);
    if (running) end(running, reason);
    return running !== undefined;
  }

  /**
   * No new turn starts; turns that wait for a person, now or later, park at once; the others get `ms`, then are told to shut
   * down. Resolves when all have ended.
   */
  async drain(ms: number): Promise<void> {
    this.#draining.abort();
    for (const cancel of this.#timers.values()) cancel();
    for (const running of this.#running.values()) if (running.waits > 0) end(running, 'shutdown');
    const cancel = this.#deps.clock.after(ms, () => {
      for (const running of this.#running.values()) end(running, 'shutdown');
    });
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map((running) => running.done));
    cancel();
  }

  get #closed(): boolean {
    return this.#draining.signal.aborted;
  }

  #next(session: SessionId): void {
    if (!this.#open || this.#closed || this.#running.has(session)) return;
    if (this.#running.size >= this.#deps.maxTurns()) return void this.#queue.add(session);
    try {
      const dispatch = this.#rows.claim(session);
      if (dispatch) void this.#dispatch(dispatch, false);
      else this.#later(session, this.#deps.store.inbox.nextReadyAt(session));
    } catch (error) {
      this.#deps.log.error({ session, error }, 'a waiting message could not be taken up; it is tried again');
      this.#later(session, this.#deps.clock.now() + STORE_RETRY_MS);
    }
  }

  /** Looks again at `at`; in the past means something else holds the lane and will call. */
  #later(session: SessionId, at: number | undefined): void {
    const { clock } = this.#deps;
    this.#timers.get(session)?.();
    this.#timers.delete(session);
    if (at === undefined || at <= clock.now()) return;
    const look = () => {
      this.#timers.delete(session);
      this.kick(session);
    };
    this.#timers.set(session, clock.after(at - clock.now(), look));
  }

  #dispatch(dispatch: Dispatch, resumed: boolean): Promise<void> {
    const startedAt = this.#deps.clock.now();
    const abort = new AbortController();
    const running: Running = {
      ...dispatch,
      resumed,
      abort,
      startedAt,
      view: undefined,
      waits: 0,
      done: Promise.resolve(),
    };
    this.#running.set(dispatch.turn.session, running);
    running.done = this.#turn(running).then(() => this.#ended(running));
    return running.done;
  }

  async #turn(running: Running): Promise<void> {
    const result = await this.#run(running);
    // Nothing new is shown from here on, and the end is written before anything is waited for.
    const quiet = running.view?.close();
    await this.#record(running, result);
    this.#deps.wake();
    await quiet;
  }

  async #run(running: Running): Promise<TurnResult> {
    const { turn } = running;
    try {
      running.view = this.#deps.view(turn, this.#rows.said(turn.id));
      const run = chatRun(running);
      return await withRun(run, () => this.#deps.runner.run({ turn, run }, this.#sink(running)));
    } catch (error) {
      this.#deps.log.error({ turn: turn.id, error }, 'a turn broke; this is a bug in hermod');
      return BROKE;
    }
  }

  #sink(running: Running): TurnSink {
    const view = running.view ?? SILENT;
    return {
      text: (delta) => view.text(delta),
      restart: () => view.restart(),
      step: () => view.step(),
      tool: (line) => view.tool(line),
      notice: (line) => view.notice(line),
      waiting: (on) => {
        running.waits += on ? 1 : -1;
        view.waiting(on);
        if (on && this.#closed) end(running, 'shutdown');
      },
    };
  }

  /** The end must become rows; until it has, its lane waits. A process that ends first leaves the attempt open. */
  async #record(running: Running, result: TurnResult): Promise<void> {
    const { clock, log } = this.#deps;
    for (let ms = STORE_RETRY_MS; ; ms = Math.min(2 * ms, STORE_RETRY_MAX_MS)) {
      try {
        return this.#rows.finish(running, result);
      } catch (error) {
        log.error({ turn: running.turn.id, error }, 'the end of a turn could not be stored; it is tried again');
        if (this.#closed) return;
        await pause(clock, ms, this.#draining.signal);
      }
    }
  }

  /** Lanes that met the cap go first, then the one that just ended. */
  #ended({ turn }: Running): void {
    this.#running.delete(turn.session);
    this.#queue.add(turn.session);
    for (const session of [...this.#queue]) {
      if (this.#running.size >= this.#deps.maxTurns()) return;
      this.#queue.delete(session);
      this.#next(session);
    }
  }
}

const SILENT: TurnSink = { text() {}, restart() {}, step() {}, tool() {}, notice() {}, waiting() {} };

const BROKE: TurnResult = {
  kind: 'failed',
  failure: { kind: 'request', detail: 'internal error' },
  text: 'Something broke inside hermod while I worked on this; the log has the details. Send the message again; if it happens twice, please report it.',
};

function end(running: Running, reason: EndReason): void {
  running.abort.abort(reason);
  void running.view?.close();
}

function chatRun({ turn, abort, resumed }: Running): ChatRun {
  const runId = newId<RunId>();
  const { session, actor, address: replyTo } = turn;
  return { kind: 'chat', runId, rootId: runId, session, depth: 0, signal: abort.signal, actor, replyTo, resumed };
}
