import type { Clock } from '../../contract/clock.ts';
import type { KeyValue } from '../../contract/platform.ts';

const STATE = 'penalties';
/** Shorter ones are over before a restart is. */
const STORED_FROM_MS = 10_000;
const CROWD = { chats: 3, withinMs: 5_000 };

/** Which chats, methods or the whole bot Telegram has closed, and until when. Long ones survive a restart. */
export class Penalties {
  readonly #clock: Clock;
  readonly #state: KeyValue;
  readonly #until: Map<string, number>;
  #recent: { readonly key: string; readonly at: number }[] = [];

  constructor(clock: Clock, state: KeyValue) {
    this.#clock = clock;
    this.#state = state;
    this.#until = new Map(stored(state.get(STATE)));
  }

  /** Milliseconds until a call is allowed again; 0: now. */
  left(keys: readonly string[]): number {
    const now = this.#clock.now();
    return Math.max(0, ...keys.map((key) => (this.#until.get(key) ?? 0) - now));
  }

  /** Closes `key` for `ms`; several chats closed within seconds close the bot. */
  close(key: string, ms: number): void {
    const now = this.#clock.now();
    this.#extend(key, now + ms);
    if (key.startsWith('chat:')) this.#crowd(key, now, ms);
    this.#forget(now);
    if (ms >= STORED_FROM_MS) this.#store(now);
  }

  #crowd(key: string, now: number, ms: number): void {
    this.#recent = [...this.#recent.filter(({ at }) => now - at < CROWD.withinMs), { key, at: now }];
    const chats = new Set(this.#recent.map((entry) => entry.key));
    if (chats.size >= CROWD.chats) this.#extend('bot', now + ms);
  }

  #extend(key: string, until: number): void {
    this.#until.set(key, Math.max(until, this.#until.get(key) ?? 0));
  }

  #forget(now: number): void {
    for (const [key, until] of this.#until) if (until <= now) this.#until.delete(key);
  }

  #store(now: number): void {
    this.#state.set(STATE, JSON.stringify([...this.#until].filter(([, until]) => until - now >= STORED_FROM_MS)));
  }
}

function stored(json: string | undefined): [string, number][] {
  if (json === undefined) return [];
  try {
    const entries: unknown = JSON.parse(json);
    if (!Array.isArray(entries)) return [];
    return entries.filter(
      (entry): entry is [string, number] => typeof entry?.[0] === 'string' && Number.isFinite(entry?.[1]),
    );
  } catch {
    return [];
  }
}
