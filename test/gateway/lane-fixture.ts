import type { TurnInput, TurnResult, TurnRunner, TurnSink, TurnTask } from '../../src/agent/turn-port.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { InboundMessage } from '../../src/contract/message.ts';
import type { PlatformLimits } from '../../src/contract/platform.ts';
import type { RunContext } from '../../src/contract/run.ts';
import { Delivery } from '../../src/gateway/delivery.ts';
import { type LaneDeps, Lanes } from '../../src/gateway/lanes.ts';
import { RateGate } from '../../src/gateway/rate-gate.ts';
import { TurnView } from '../../src/gateway/turn-view.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { person } from '../fakes/runs.ts';
import { inbound } from './inbound.ts';
import { RecordingAdapter } from './recording-adapter.ts';

/** A turn that a test holds in its hands. */
export interface Played {
  readonly turn: TurnRow;
  readonly run: RunContext;
  readonly sink: TurnSink;
  readonly input: TurnInput | undefined;
  /** What the person said. */
  readonly words: string;
  reply(text: string): void;
  end(result: TurnResult): void;
  throws(error: Error): void;
}

/** A runner whose turns end when a test says so. A turn that is aborted ends as a real one does, unless it is deaf. */
export class PlayedRunner implements TurnRunner {
  readonly turns: Played[] = [];
  deaf = false;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  run({ turn, run, input }: TurnTask, sink: TurnSink): Promise<TurnResult> {
    return new Promise((resolve, reject) => {
      const { session } = turn;
      const rows = this.#store.transcript.ofTurn(turn.id);
      const words = rows.find((row) => row.role === 'user')?.content ?? '';
      const reply = (text: string) => {
        const message = { session, turn: turn.id, step: 1, role: 'assistant', content: text } as const;
        resolve({ kind: 'replied', text, message });
      };
      this.turns.push({ turn, run, sink, input, words, reply, end: resolve, throws: reject });
      run.signal.addEventListener('abort', () => {
        if (!this.deaf) resolve({ kind: 'stopped', by: run.signal.reason, partial: '' });
      });
    });
  }

  /** The turns so far, by what was said. */
  get said(): readonly string[] {
    return this.turns.map(({ words }) => words);
  }

  get last(): Played {
    const last = this.turns.at(-1);
    if (!last) throw new Error('no turn began');
    return last;
  }
}

/** Lanes over a store in memory; `say` is what the router does with a message. */
export function laneFixture(more: Partial<LaneDeps> = {}, store = openStore(':memory:'), clock = new FakeClock()) {
  const { log, lines } = quietLog();
  const boot = store.boots.begin(1, clock.now()).id;
  const runner = new PlayedRunner(store);
  let wakes = 0;
  const deps: LaneDeps = {
    store,
    boot,
    clock,
    log,
    runner,
    maxTurns: () => 64,
    view: () => undefined,
    head: (name, note) => `[${[name ?? 'now', ...(note === undefined ? [] : [note])].join(', ')}]`,
    time: (at) => new Date(at).toISOString().slice(11, 16),
    wake: () => void wakes++,
    ageLabelMs: () => 120_000,
    foldMs: () => 2_000,
    limits: () => ({ noteMs: 180_000, idleMs: 600_000, totalMs: 7_200_000 }),
    ...more,
  };
  const lanes = new Lanes(deps);
  return {
    store,
    clock,
    boot,
    runner,
    lanes,
    log: lines,
    wakes: () => wakes,
    session: (chat = 'c1') => store.sessions.open(chat, person('ann'), inbound('').address, true, clock.now()).id,
    say(text: string, said: Partial<InboundMessage> & { chat?: string } = {}): SessionId {
      const message = inbound(text, said);
      const session = this.session(said.chat);
      const readyAt = clock.now() + (message.join?.waitMs ?? 0);
      store.inbox.put({ kind: 'message', event: message, session }, clock.now(), readyAt);
      if (message.join) store.inbox.defer(session, message.join.key, readyAt);
      lanes.kick(session);
      return session;
    },
    /** State and rule of every turn, oldest first. */
    turns: () =>
      store.db
        .prepare<[], { line: string }>(`SELECT state || coalesce(' ' || rule, '') AS line FROM turns ORDER BY rowid`)
        .all()
        .map(({ line }) => line),
    attempts: () =>
      store.db
        .prepare<[], { line: string }>(
          `SELECT kind || ' ' || coalesce(outcome, 'open') AS line FROM attempts ORDER BY rowid`,
        )
        .all()
        .map(({ line }) => line),
    inbox: () =>
      store.db
        .prepare<[], { state: string }>('SELECT state FROM inbox ORDER BY seq')
        .all()
        .map(({ state }) => state),
    outbox: () =>
      store.db
        .prepare<[], { line: string }>(
          `SELECT kind || ' ' || state || ': ' || json_extract(body, '$.text') AS line FROM outbox ORDER BY seq`,
        )
        .all()
        .map(({ line }) => line),
  };
}

/** Lanes whose turns are shown on a platform in memory, over a real delivery. */
export function shownLane(limits: Partial<PlatformLimits> = {}) {
  const telegram = new RecordingAdapter('telegram', { maxText: 100, ...limits });
  let delivery: Delivery | undefined;
  const wake = () => delivery?.wake();
  const lane = laneFixture({
    wake,
    view: (turn, said) => {
      return new TurnView(turn, said, 'tools', { store: lane.store, clock: lane.clock, rate, adapter: telegram, wake });
    },
  });
  const { store, clock } = lane;
  const rate = new RateGate(clock, store.penalties);
  delivery = new Delivery({ store, clock, rate, log: quietLog().log, maxAgeMs: () => 86_400_000, time: String });
  delivery.add(telegram);
  delivery.setUp('telegram', true);
  lane.lanes.start();
  return { ...lane, telegram, delivery };
}
