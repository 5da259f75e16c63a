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
  /** Told each time the adapter has started: what was written meanwhile is stored. */
  readonly opened?: () => void;
}

/** Keeps one adapter connected: tries again for ever, with growing pauses, and knows how it is. */
export class Connection {
  readonly adapter: PlatformAdapter;
  readonly #deps: ConnectionDeps;
  readonly #abort = new AbortController();
  #health: Health = { state: 'starting', reason: '', proofAt: null };
  #cancelRetry: (() => void) | undefined;
  #tries = 0;
  /** The adapter has said how it is since the last attempt began. */
  #spoke = false;

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
    this.#spoke = true;
    this.#become(health);
  }

  /** Resolves once the adapter has stopped, or after `ms`; never rejects. No attempt follows. */
  async stop(ms: number): Promise<void> {
    this.#abort.abort('shutdown');
    this.#cancelRetry?.();
    await within(this.#deps.clock, ms, this.#stopAdapter());
  }

  async #try(events: PlatformEvents): Promise<void> {
    const { clock, connectMs, log } = this.#deps;
    this.#spoke = false;
    try {
      const started = this.adapter.start(events, this.#abort.signal);
      if (!(await within(clock, connectMs, started))) throw new Error(`no connection within ${connectMs / 1000} s`);
      if (!this.#spoke) this.#become({ state: 'connected', reason: '', proofAt: clock.now() });
      this.#deps.opened?.();
    } catch (error) {
      if (this.#abort.signal.aborted || this.#health.state === 'fatal') return;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { platform: this.adapter.name, reason, tries: this.#tries + 1 },
        'a platform could not be reached; it is tried again',
      );
      this.#become({ state: 'degraded', reason, proofAt: this.#health.proofAt });
      this.#later(events);
    }
  }

  #become(health: Health): void {
    if (health.state === 'connected') this.#tries = 0;
    this.#health = health;
    this.#deps.changed(health);
  }

  /** A successor starts only when its predecessor can deliver nothing more. */
  #later(events: PlatformEvents): void {
    const pause = LADDER_MS[Math.min(this.#tries++, LADDER_MS.length - 1)] as number;
    this.#cancelRetry = this.#deps.clock.after(pause, () => {
      void this.#stopAdapter().then(() => (this.#abort.signal.aborted ? undefined : this.#try(events)));
    });
  }

  async #stopAdapter(): Promise<void> {
    try {
      await this.adapter.stop();
    } catch (error) {
      this.#deps.log.error({ platform: this.adapter.name, error }, 'an adapter could not stop; this is a bug in it');
    }
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
