import type { Clock } from '../../contract/clock.ts';

const MOST = 20;
const WITHIN_MS = 5 * 60_000;
const MUTED_MS = 10 * 60_000;
const MAX_BOTS = 1_000;

interface Heard {
  times: readonly number[];
  mutedUntil: number;
}

/** Two bots that answer each other never stop: a reply is a mention. One that comes too often is not heard for a while. */
export class BotGuard {
  readonly #clock: Clock;
  readonly #bots = new Map<string, Heard>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one message of a bot that is for us; false: it is muted. */
  hears(bot: string): boolean {
    const now = this.#clock.now();
    const { times, mutedUntil } = this.#bots.get(bot) ?? { times: [], mutedUntil: 0 };
    if (now < mutedUntil) return false;
    const recent = [...times.filter((at) => now - at < WITHIN_MS), now];
    const over = recent.length > MOST;
    this.#remember(bot, over ? { times: [], mutedUntil: now + MUTED_MS } : { times: recent, mutedUntil: 0 });
    return !over;
  }

  #remember(bot: string, heard: Heard): void {
    this.#bots.delete(bot);
    this.#bots.set(bot, heard);
    const oldest = this.#bots.keys().next().value;
    if (this.#bots.size > MAX_BOTS && oldest !== undefined) this.#bots.delete(oldest);
  }
}
