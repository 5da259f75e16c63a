import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { Health, PlatformAdapter, PlatformEvents } from '../contract/platform.ts';

const LADDER_MS = [2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000];

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Bound of one attempt to connect, ms. */
  readonly connectMs: number;
  /** Told of every change; messages leave only while the state is `connected` or `degraded`. */
  readonly changed: (health: Health) => void;
}

/** Keeps one adapter connected: tries again for ever, with growing pauses, and knows how it is. */
export class Connection {
  readonly adapter: PlatformAdapter;
  readonly #deps: ConnectionDeps;
  readonly #abort = new AbortController();
  #health: Health = { state: 'starting', reason: '', proofAt: null };
  #cancelRetry: (() => void) | undefined;
  #tries = 0;

  constructor(adapter: PlatformAdapter, deps: ConnectionDeps) {
    this.adapter = adapter;
    this.#deps = deps;
  }

  get health(): Health {
    return this.#health;
  }

  /** Resolves after the first attempt, whatever came of it; never rejects. */
  start(events: PlatformEvents): Promise<void> {
    return outsideRun(() => this.#try(events));
  }

  /** What the adapter itself says of its connection. */
  heard(health: Health): void {
    if (health.state === 'connected') this.#tries = 0;
    this.#health = health;
    this.#deps.changed(health);
  }

  async stop(ms: number): Promise<void> {
    this.#abort.abort('shutdown');
    this.#cancelRetry?.();
    await within(this.#deps.clock, ms, this.adapter.stop());
  }

  async #try(events: PlatformEvents): Promise<void> {
    const { clock, connectMs, log } = this.#deps;
    try {
      const started = this.adapter.start(events, this.#abort.signal);
      if (!(await within(clock, connectMs, started))) throw new Error(`no connection within ${connectMs / 1000} s`);
      if (this.#health.state === 'starting') this.heard({ state: 'connected', reason: '', proofAt: clock.now() });
    } catch (error) {
      if (this.#abort.signal.aborted || this.#health.state === 'fatal') return;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { platform: this.adapter.name, reason, tries: this.#tries + 1 },
        'a platform could not be reached; it is tried again',
      );
      this.heard({ state: 'degraded', reason, proofAt: null });
      this.#later(events);
    }
  }

  #later(events: PlatformEvents): void {
    const pause = LADDER_MS[Math.min(this.#tries++, LADDER_MS.length - 1)] as number;
    this.#cancelRetry = this.#deps.clock.after(pause, () => {
      void this.adapter.stop().then(() => this.#try(events));
    });
  }
}

/** False when `work` took longer than `ms`; it is abandoned, not awaited. Rejects as `work` does. */
async function within(clock: Clock, ms: number, work: Promise<void>): Promise<boolean> {
  let cancel: () => void = () => {};
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(ms, () => resolve(false));
  });
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    cancel();
  }
}
