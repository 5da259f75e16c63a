import type { Clock } from '../contract/clock.ts';
import { age } from './words.ts';

export interface WatchLimits {
  /** `turns.note_s`, `turns.idle_s`, `turns.total_s` in milliseconds. */
  readonly noteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

export interface WatchDeps {
  readonly clock: Clock;
  readonly limits: WatchLimits;
  /** A line for the person: the turn still works. */
  readonly note: (line: string) => void;
  /** The turn has to end; the sentence says why. Called once. */
  readonly end: (sentence: string) => void;
}

/** Looks after a turn: says that it still works, and ends one in which nothing moves or that takes too long. */
export class TurnWatch {
  readonly #deps: WatchDeps;
  #startedAt: number;
  #movedAt: number;
  #notedAt: number;
  /** Since when it waits for a person, and how long it has waited before. */
  #waitsSince: number | undefined;
  #waited = 0;
  #doing = 'the model';
  #cancel: (() => void) | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#movedAt = this.#startedAt;
    this.#notedAt = this.#startedAt;
    this.#arm();
  }

  /** Something came out of it. `doing`: what it does now. */
  moved(doing?: string): void {
    this.#movedAt = this.#now();
    if (doing !== undefined) this.#doing = doing;
  }

  /** A person is being waited for: that is neither idleness nor the turn's own time. */
  waiting(on: boolean): void {
    const now = this.#now();
    if (on) this.#waitsSince ??= now;
    else if (this.#waitsSince !== undefined) {
      this.#waited += now - this.#waitsSince;
      this.#waitsSince = undefined;
      this.#movedAt = now;
      this.#notedAt = now;
    }
    this.#arm();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    this.stop();
    if (this.#waitsSince !== undefined) return;
    const { clock, limits } = this.#deps;
    const now = this.#now();
    const dues = [this.#notedAt + limits.noteMs, this.#movedAt + limits.idleMs, this.#totalAt()];
    this.#cancel = clock.after(Math.max(0, Math.min(...dues) - now), () => this.#look());
  }

  /** What seems to have happened later than now: the clock was put back, and all of it is by so much nearer. */
  #now(): number {
    const now = this.#deps.clock.now();
    const ahead = Math.max(this.#startedAt, this.#movedAt, this.#notedAt, this.#waitsSince ?? now) - now;
    if (ahead <= 0) return now;
    this.#startedAt -= ahead;
    this.#movedAt -= ahead;
    this.#notedAt -= ahead;
    if (this.#waitsSince !== undefined) this.#waitsSince -= ahead;
    return now;
  }

  #totalAt(): number {
    return this.#startedAt + this.#waited + this.#deps.limits.totalMs;
  }

  #look(): void {
    const { limits, note, end } = this.#deps;
    const now = this.#now();
    const over = this.#over(now);
    if (over !== undefined) return void end(over);
    if (now >= this.#notedAt + limits.noteMs) {
      this.#notedAt = now;
      note(`Still working: ${this.#doing}, ${age(now - this.#startedAt)}`);
    }
    this.#arm();
  }

  /** Why it has to end now. */
  #over(now: number): string | undefined {
    const { idleMs, totalMs } = this.#deps.limits;
    if (now >= this.#totalAt())
      return `I stopped: a turn may take ${age(totalMs)} (turns.total\\_s). /retry begins again.`;
    if (now >= this.#movedAt + idleMs) return `I stopped: nothing had moved for ${age(idleMs)}. /retry tries again.`;
    return undefined;
  }
}
