import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Health } from '../../contract/platform.ts';
import { PLATFORM } from './place.ts';

const FINE = 'connected';

/** Why something is wrong although the socket may be fine. */
export type Trouble = 'rest' | 'store';

/** Tells core how the connection is, from what has happened and from nothing else: every proof and every change. */
export class HealthBoard {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tell: (health: Health) => void;
  readonly #troubles = new Map<Trouble, string>();
  /** What is wrong with the socket; undefined: READY or RESUMED was seen and nothing after it. */
  #socket: string | undefined = 'starting';
  #health: Health = { state: 'starting', reason: 'starting', proofAt: null };

  constructor(clock: Clock, log: Log, tell: (health: Health) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#tell = tell;
    tell(this.#health);
  }

  /** READY, RESUMED: events flow. */
  connected(): void {
    this.#socket = undefined;
    this.#proved(this.#clock.now());
  }

  /** A heartbeat was acknowledged, or a peer said hello; it proves a connection only once events flow. */
  proof(): void {
    if (this.#socket === undefined) this.#proved(this.#clock.now());
  }

  disconnected(reason: string): void {
    this.#socket = reason;
    this.#proved(this.#health.proofAt);
  }

  trouble(of: Trouble, reason: string): void {
    this.#troubles.set(of, reason);
    this.#proved(this.#health.proofAt);
  }

  over(of: Trouble): void {
    if (this.#troubles.delete(of)) this.#proved(this.#health.proofAt);
  }

  fatal(reason: string): void {
    this.#set({ ...this.#health, state: 'fatal', reason });
  }

  #proved(proofAt: number | null): void {
    const wrong = this.#socket ?? [...this.#troubles.values()][0];
    this.#set({ state: wrong === undefined ? 'connected' : 'degraded', reason: wrong ?? FINE, proofAt });
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
    const sentence = state === 'connected' ? 'Discord is connected.' : `Discord is ${state}: ${reason}.`;
    if (state === 'connected') this.#log.info({ platform: PLATFORM, before: before.state }, sentence);
    else this.#log.warn({ platform: PLATFORM, before: before.state }, sentence);
  }
}
