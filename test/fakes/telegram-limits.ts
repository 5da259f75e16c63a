import type { Clock } from '../../src/contract/clock.ts';
import { Refusal } from './telegram-refusal.ts';

interface Rule {
  readonly count: number;
  readonly windowMs: number;
}

const PRIVATE: Rule = { count: 6, windowMs: 3_000 };
const GROUP: Rule = { count: 20, windowMs: 60_000 };
const BOT: Rule = { count: 30, windowMs: 1_000 };

/** Flood control: a window for each chat and one for the bot; a call inside a penalty makes the penalty longer. */
export class FloodControl {
  readonly #clock: Clock;
  readonly #calls = new Map<string, number[]>();
  readonly #penalties = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one call to a chat, or refuses it with 429. */
  pass(chatId: number): void {
    this.#pass('bot', BOT);
    this.#pass(String(chatId), chatId > 0 ? PRIVATE : GROUP);
  }

  /** Closes a chat for `seconds`, as if it had been flooded. */
  punish(chatId: number, seconds: number): void {
    this.#penalties.set(String(chatId), this.#clock.now() + seconds * 1000);
  }

  /** Seconds until a chat is open again. */
  penalty(chatId: number): number {
    return Math.max(0, Math.ceil(((this.#penalties.get(String(chatId)) ?? 0) - this.#clock.now()) / 1000));
  }

  #pass(key: string, rule: Rule): void {
    const now = this.#clock.now();
    const until = this.#penalties.get(key) ?? 0;
    if (until > now) this.#refuse(key, until + 5_000);
    const recent = (this.#calls.get(key) ?? []).filter((at) => now - at < rule.windowMs);
    if (recent.length >= rule.count) this.#refuse(key, now + rule.windowMs);
    this.#calls.set(key, [...recent, now]);
  }

  #refuse(key: string, until: number): never {
    this.#penalties.set(key, until);
    const retry_after = Math.ceil((until - this.#clock.now()) / 1000);
    throw new Refusal(429, `Too Many Requests: retry after ${retry_after}`, { retry_after });
  }
}
