import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Health } from '../../contract/platform.ts';

const STALE_MS = 90_000;

/** Tells core how the connection is: every proof, every change, and silence of 90 s. */
export class HealthBoard {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tell: (health: Health) => void;
  #health: Health = { state: 'starting', reason: 'starting', proofAt: null };
  #cancel: () => void = () => {};

  constructor(clock: Clock, log: Log, tell: (health: Health) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#tell = tell;
    tell(this.#health);
    this.#watch();
  }

  /** A poll has completed; `trouble` says what is wrong all the same. */
  proof(trouble?: string): void {
    const state = trouble === undefined ? 'connected' : 'degraded';
    this.#set({ state, reason: trouble ?? 'polling', proofAt: this.#clock.now() });
    this.#watch();
  }

  degraded(reason: string): void {
    this.#set({ ...this.#health, state: 'degraded', reason });
  }

  fatal(reason: string): void {
    this.#cancel();
    this.#set({ ...this.#health, state: 'fatal', reason });
  }

  close(): void {
    this.#cancel();
  }

  #watch(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(STALE_MS, () => this.degraded('no poll has completed for 90 s'));
  }

  #set(health: Health): void {
    const before = this.#health;
    if (before.state === 'fatal') return;
    this.#health = health;
    if (before.state !== health.state) this.#report(before, health);
    if (before.state !== health.state || before.reason !== health.reason || before.proofAt !== health.proofAt)
      this.#tell(health);
  }

  #report(before: Health, { state, reason }: Health): void {
    const sentence = `Telegram is ${state}: ${reason}.`;
    if (state === 'connected') this.#log.info({ platform: 'telegram', before: before.state }, sentence);
    else this.#log.warn({ platform: 'telegram', before: before.state }, sentence);
  }
}
