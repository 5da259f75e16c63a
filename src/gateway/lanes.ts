import type { TurnResult, TurnRunner, TurnSink } from '../agent/turn-port.ts';
import { outsideRun, withRun } from '../context/run-context.ts';
import { pause } from '../contract/clock.ts';
import { type InboxId, newId, type RunId, type SessionId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { InboundMessage } from '../contract/message.ts';
import type { ChatRun, EndReason } from '../contract/run.ts';
import type { AttemptKind } from '../store/attempts.ts';
import type { TurnRow } from '../store/turns.ts';
import { LiveInput } from './live-input.ts';
import { type Dispatch, TurnRows, type TurnRowsDeps } from './turn-rows.ts';
import type { TurnView } from './turn-view.ts';
import { TurnWatch, type WatchLimits } from './turn-watch.ts';

export interface LaneDeps extends TurnRowsDeps {
  readonly log: Log;
  readonly runner: TurnRunner;
  readonly maxTurns: () => number;
  /** What the person sees while the turn runs; undefined: its platform is not here. */
  readonly view: (turn: TurnRow, said: string) => TurnView | undefined;
  readonly wake: () => void;
  readonly limits: () => WatchLimits;
  /** `inbox.fold_s`, ms. */
  readonly foldMs: () => number;
}

interface Running extends Dispatch {
  readonly abort: AbortController;
  readonly input: LiveInput;
  readonly startedAt: number;
  readonly resumed: boolean;
  view: TurnView | undefined;
  /** How many of its calls wait for a person. */
  waits: number;
  /** Somebody has seen something of it, or it has called something. */
  shown: boolean;
  /** What it says when it does not come to an answer. */
  closing: string | undefined;
  watch: TurnWatch | undefined;
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
    return dispatch && (() => outsideRun(() => this.#dispatch(dispatch, kind)));
  }

  running(session: SessionId): { readonly turn: TurnRow; readonly startedAt: number } | undefined {
    return this.#running.get(session);
  }

  get count(): number {
    return this.#running.size;
  }

  /** Running turns that wait for nobody: what a planned restart waits for. */
  get busy(): number {
    return [...this.#running.values()].filter(({ waits }) => waits === 0).length;
  }

  /** No new turn starts; what comes in is stored. Running turns go on. */
  pause(): void {
    this.#open = false;
  }

  /**
   * Ends the session's running turn; false: none ran. Nothing of it is shown from now on; it settles within its tools' bounds,
   * and says `closing` then.
   */
  stop(session: SessionId, reason: EndReason, closing?: string): boolean {
    const running = this.#running.get(session);
    if (running) end(running, reason, closing);
    return running !== undefined;
  }

  /** Whether this continues what the running turn has taken, and comes early enough to be a part of it. */
  mayFold(session: SessionId, { join, by }: Pick<InboundMessage, 'join' | 'by'>): boolean {
    const running = this.#running.get(session);
    if (!join || !running || running.shown || running.resumed || running.abort.signal.aborted) return false;
    if (this.#deps.clock.now() - running.startedAt > this.#deps.foldMs() || by.id !== running.turn.actor.id)
      return false;
    return this.#deps.store.inbox.ofTurn(running.turn.id).some(({ message }) => message.join?.key === join.key);
  }

  /** Makes a stored message a part of the running turn. Call it inside the caller's transaction, the result after it. */
  fold(session: SessionId, id: InboxId): () => void {
    const running = this.#running.get(session);
    if (!running) return () => this.kick(session);
    this.#rows.fold(running.turn, id);
    return () => running.input.change();
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
      if (dispatch) void this.#dispatch(dispatch, 'first');
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

  #dispatch(dispatch: Dispatch, kind: AttemptKind): Promise<void> {
    const startedAt = this.#deps.clock.now();
    const abort = new AbortController();
    const running: Running = {
      ...dispatch,
      resumed: kind === 'resume' || kind === 'continue',
      abort,
      startedAt,
      input: new LiveInput(this.#rows, dispatch.turn),
      view: undefined,
      waits: 0,
      shown: kind !== 'first',
      closing: undefined,
      watch: undefined,
      done: Promise.resolve(),
    };
    this.#running.set(dispatch.turn.session, running);
    running.done = this.#turn(running).then(() => this.#ended(running));
    return running.done;
  }

  async #turn(running: Running): Promise<void> {
    const result = await this.#run(running);
    running.watch?.stop();
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
      running.watch = this.#watch(running);
      const run = chatRun(running);
      const task = { turn, run, input: running.input };
      return await withRun(run, () => this.#deps.runner.run(task, this.#sink(running)));
    } catch (error) {
      this.#deps.log.error({ turn: turn.id, error }, 'a turn broke; this is a bug in hermod');
      return BROKE;
    }
  }

  #sink(running: Running): TurnSink {
    const view = running.view ?? SILENT;
    return {
      text: (delta) => {
        running.shown = true;
        running.watch?.moved('the model');
        view.text(delta);
      },
      restart: () => view.restart(),
      step: () => {
        running.shown = true;
        running.watch?.moved('the model');
        view.step();
      },
      tool: (line) => {
        running.shown = true;
        running.watch?.moved(line);
        view.tool(line);
      },
      notice: (line) => view.notice(line),
      waiting: (on) => {
        running.waits += on ? 1 : -1;
        running.watch?.waiting(running.waits > 0);
        view.waiting(on);
        if (on && this.#closed) end(running, 'shutdown');
      },
    };
  }

  #watch(running: Running): TurnWatch {
    return new TurnWatch({
      clock: this.#deps.clock,
      limits: this.#deps.limits(),
      note: (line) => running.view?.working(line),
      end: (sentence) => end(running, 'idle', sentence),
    });
  }

  /** The end must become rows; until it has, its lane waits. A process that ends first leaves the attempt open. */
  async #record(running: Running, result: TurnResult): Promise<void> {
    const { clock, log } = this.#deps;
    for (let ms = STORE_RETRY_MS; ; ms = Math.min(2 * ms, STORE_RETRY_MAX_MS)) {
      try {
        return this.#rows.finish(running, result, running.closing);
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

function end(running: Running, reason: EndReason, closing?: string): void {
  if (!running.abort.signal.aborted) running.closing = closing;
  running.abort.abort(reason);
  void running.view?.close();
}

function chatRun({ turn, abort, resumed }: Running): ChatRun {
  const runId = newId<RunId>();
  const { session, actor, address: replyTo } = turn;
  return { kind: 'chat', runId, rootId: runId, session, depth: 0, signal: abort.signal, actor, replyTo, resumed };
}
