import type { TurnInput } from '../agent/turn-port.ts';
import type { TurnRow } from '../store/turns.ts';
import type { TurnRows } from './turn-rows.ts';

/** The way from the inbox into a turn that runs. */
export class LiveInput implements TurnInput {
  readonly #rows: TurnRows;
  readonly #turn: TurnRow;
  readonly #listeners = new Set<() => void>();

  constructor(rows: TurnRows, turn: TurnRow) {
    this.#rows = rows;
    this.#turn = turn;
  }

  waits(): boolean {
    return this.#rows.steering(this.#turn).length > 0;
  }

  take(): void {
    this.#rows.steer(this.#turn);
  }

  changed(fn: () => void): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  /** What the person said is something else now: a model that works on it begins again. */
  change(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
