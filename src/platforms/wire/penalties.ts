import type { Clock } from '../../contract/clock.ts';
import type { KeyValue } from '../../contract/platform.ts';

const STATE = 'penalties';
/** Shorter ones are over before a restart is. */
const STORED_FROM_MS = 10_000;

/** What a platform has closed, and until when. Long ones survive a restart. */
export class Penalties {
  readonly #clock: Clock;
  readonly #state: KeyValue;
  readonly #until: Map<string, number>;

  constructor(clock: Clock, state: KeyValue) {
    this.#clock = clock;
    this.#state = state;
    this.#until = new Map(stored(state.get(STATE)));
  }

  /** Milliseconds until a call that is all of this is allowed again; 0: now. */
  left(keys: readonly string[]): number {
    const now = this.#clock.now();
    return Math.max(0, ...keys.map((key) => (this.#until.get(key) ?? 0) - now));
  }

  close(key: string, ms: number): void {
    const now = this.#clock.now();
    this.#forget(now);
    this.#until.set(key, Math.max(now + ms, this.#until.get(key) ?? 0));
    if (ms >= STORED_FROM_MS) this.#store(now);
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
