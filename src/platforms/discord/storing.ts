import { type Clock, pause } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import { PLATFORM } from './place.ts';

const FIRST_MS = 1_000;
const MOST_MS = 30_000;
const GIVE_UP_AFTER = 10;

export interface StoringDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** No event after this. */
  readonly over: AbortSignal;
  /** Something cannot be stored (true), or everything is again. */
  readonly stuck: (stuck: boolean) => void;
}

/** What came of telling core an event: its answer, that it is kept raw, or that we were stopped before. */
export type Told<T> =
  | { readonly kind: 'told'; readonly value: T }
  | { readonly kind: 'hopeless' }
  | { readonly kind: 'stopped' };

/** A socket brings nothing twice: what could not be stored is told again, and again, until it is. */
export class Storing {
  readonly #deps: StoringDeps;
  readonly #failing = new Set<string>();
  #commits = 0;

  constructor(deps: StoringDeps) {
    this.#deps = deps;
  }

  /** `hopeless`: it failed ten times while others were stored; it is the event, not the store. Never rejects. */
  async tell<T>(eventId: string, event: () => Promise<T>): Promise<Told<T>> {
    const { over, clock } = this.#deps;
    const commitsBefore = this.#commits;
    for (let attempt = 1, ms = FIRST_MS; !over.aborted; attempt++, ms = Math.min(MOST_MS, ms * 2)) {
      try {
        const value = await event();
        this.#commits++;
        this.#settled(eventId);
        return { kind: 'told', value };
      } catch (error) {
        this.#failed(eventId, error);
      }
      if (attempt >= GIVE_UP_AFTER && this.#commits > commitsBefore) {
        this.#settled(eventId);
        return { kind: 'hopeless' };
      }
      await pause(clock, ms, over);
    }
    return { kind: 'stopped' };
  }

  #failed(eventId: string, error: unknown): void {
    const facts = { platform: PLATFORM, event: eventId, error: String(error).slice(0, 200) };
    this.#deps.log.warn(facts, 'An event could not be stored; it is tried again.');
    this.#failing.add(eventId);
    this.#deps.stuck(true);
  }

  #settled(eventId: string): void {
    if (this.#failing.delete(eventId) && this.#failing.size === 0) this.#deps.stuck(false);
  }
}
