import type { Update } from 'grammy/types';

interface Held {
  readonly update: Update;
  state: 'new' | 'pending' | 'done' | 'failed';
  failures: number;
}

const GIVE_UP_AFTER = 10;

/**
 * The updates that were fetched and are not confirmed yet, in order. The offset is the first that is not on disk: asking with
 * it confirms what lies before and nothing else, so a slow or failing one is never lost and holds nobody up who is among the
 * 99 behind it; Telegram shows no more.
 */
export class UpdateWindow {
  readonly #held = new Map<number, Held>();
  #offset: number | undefined;
  #commits = 0;
  #wake: (() => void) | undefined;

  /** What getUpdates is asked with; undefined until something was confirmed. */
  get offset(): number | undefined {
    return this.#held.keys().next().value ?? this.#offset;
  }

  /** Ids start anew after a quiet week: ask without an offset. Only while nothing is held. */
  forgetOffset(): void {
    if (this.#held.size === 0) this.#offset = undefined;
  }

  get pending(): boolean {
    return this.#some('pending');
  }

  get failed(): boolean {
    return this.#some('failed');
  }

  /** Takes in a fetched batch and gives those that have to be told now. */
  take(batch: readonly Update[]): readonly Update[] {
    return batch.filter((update) => {
      const known = this.#held.get(update.update_id);
      if (known && known.state !== 'failed') return false;
      this.#held.set(update.update_id, known ?? { update, state: 'new', failures: 0 });
      return true;
    });
  }

  /** Follows one told update; never rejects. */
  async follow(update: Update, told: Promise<void>): Promise<'done' | 'failed'> {
    const held = this.#held.get(update.update_id);
    if (!held) return 'done';
    held.state = 'pending';
    try {
      await told;
      held.state = 'done';
      this.#commits++;
      return 'done';
    } catch {
      held.state = 'failed';
      held.failures++;
      return 'failed';
    } finally {
      this.#confirm();
      this.#wake?.();
    }
  }

  /** Resolves at the next settled update. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** It failed again and again while others were stored: it is the update, not the store. */
  hopeless(update: Update): boolean {
    const held = this.#held.get(update.update_id);
    return held !== undefined && held.failures >= GIVE_UP_AFTER && this.#commits > 0;
  }

  #confirm(): void {
    for (const [id, held] of this.#held) {
      if (held.state !== 'done') return;
      this.#held.delete(id);
      this.#offset = id + 1;
    }
  }

  #some(state: Held['state']): boolean {
    return [...this.#held.values()].some((held) => held.state === state);
  }
}
