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
  /** `health.proof_s`, ms: an adapter that gives proof of life is not up without one that is younger. Absent: not watched. */
  readonly proofMs?: number;
  /** `health.attention_s`, ms. */
  readonly attentionMs?: number;
  /** Told once when it has been down for so long; `since` is when it was last up. */
  readonly attention?: (since: number, reason: string) => void;
  /** From 0 to 1; spreads retries. */
  readonly random?: () => number;
}

/** A connection that lasted so long begins again with short pauses. */
const PROVEN_MS = 60_000;

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
  #events: PlatformEvents | undefined;
  #cancelWatch: () => void = () => {};
  #upSince: number | undefined;
  #downSince: number;
  #attended = false;

  constructor(adapter: PlatformAdapter, deps: ConnectionDeps) {
    this.adapter = adapter;
    this.#deps = deps;
    this.#downSince = deps.clock.now();
  }

  get health(): Health {
    return this.#health;
  }

  /** Resolves after the first attempt, whatever came of it; never rejects. */
  start(events: PlatformEvents): Promise<void> {
    this.#events = events;
    return outsideRun(() => this.#try(events));
  }

  /** Something inside the adapter's library broke: it is built anew, and nothing else is. */
  broke(reason: string): void {
    if (this.#abort.signal.aborted || this.#health.state === 'fatal') return;
    this.#deps.log.error(
      { platform: this.adapter.name, reason },
      'the library of a platform broke; it is connected anew',
    );
    this.#become({ ...this.#health, state: 'degraded', reason });
    this.#later();
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
    this.#cancelWatch();
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
      this.#later();
      this.#become({ state: 'degraded', reason, proofAt: this.#health.proofAt });
    }
  }

  #become(health: Health): void {
    const now = this.#deps.clock.now();
    if (health.state === 'connected') {
      this.#upSince ??= now;
      this.#attended = false;
    } else if (this.#upSince !== undefined) {
      if (now - this.#upSince >= PROVEN_MS) this.#tries = 0;
      this.#upSince = undefined;
      this.#downSince = now;
    }
    this.#health = health;
    this.#watch();
    this.#tell(health);
  }

  /** Whoever listens does not end what keeps the platform connected. */
  #tell(health: Health): void {
    const { changed, log } = this.#deps;
    try {
      changed(health);
    } catch (error) {
      log.error({ platform: this.adapter.name, error }, 'a change of a connection could not be passed on');
    }
  }

  /** Up means a proof that is young enough; down for long means that somebody is told and that it is built anew. */
  #watch(): void {
    const { clock, proofMs, attentionMs } = this.#deps;
    const { state, proofAt } = this.#health;
    this.#cancelWatch();
    if (this.#abort.signal.aborted || state === 'fatal') return;
    const up = state === 'connected';
    const ms = up ? proofMs : attentionMs;
    const since = up ? (this.#spoke ? proofAt : null) : this.#downSince;
    if (ms === undefined || since === null || (!up && this.#attended)) return;
    this.#cancelWatch = clock.after(Math.max(0, since + ms - clock.now()), () => this.#silent(ms));
  }

  #silent(ms: number): void {
    if (this.#health.state === 'connected') {
      this.#become({ ...this.#health, state: 'degraded', reason: `no sign of life for ${ms / 1000} s` });
    } else {
      this.#attended = true;
      this.#deps.attention?.(this.#downSince, this.#health.reason);
    }
    this.#later();
  }

  /** A successor starts only when its predecessor can deliver nothing more. */
  #later(): void {
    const events = this.#events;
    if (this.#cancelRetry || !events) return;
    const { clock, random = () => 0.5 } = this.#deps;
    const pause = LADDER_MS[Math.min(this.#tries++, LADDER_MS.length - 1)] as number;
    this.#cancelRetry = clock.after(pause * (0.8 + 0.4 * random()), () => {
      void this.#stopAdapter().then(() => {
        this.#cancelRetry = undefined;
        return this.#abort.signal.aborted ? undefined : this.#try(events);
      });
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
