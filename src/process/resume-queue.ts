import type { TurnId } from '../contract/ids.ts';
import type { TurnRow } from '../store/turns.ts';
import type { TurnRule } from './breaker.ts';

/** An interrupted turn that waits for its place. */
export interface Waiting {
  readonly turn: TurnRow;
  readonly rule: TurnRule;
  /** Dispatches so far. */
  readonly attempts: number;
}

export interface ResumeQueueDeps {
  /** `resume.parallel`. */
  readonly parallel: () => number;
  /** Dispatches a turn; resolves when that attempt has ended. Undefined: there was nothing to go on with any more. */
  readonly dispatch: (waiting: Waiting) => Promise<void> | undefined;
}

/**
 * Goes on with interrupted turns: those a person has answered at once, the others a few at a time, a suspect one alone and
 * last. Each waits until its platform has handed over what was written meanwhile.
 */
export class ResumeQueue {
  readonly #deps: ResumeQueueDeps;
  readonly #waiting = new Map<TurnId, Waiting>();
  readonly #running = new Set<Waiting>();
  readonly #platforms = new Set<string>();
  #started = false;

  constructor(deps: ResumeQueueDeps) {
    this.#deps = deps;
  }

  add(waiting: Waiting): void {
    this.#waiting.set(waiting.turn.id, waiting);
    this.#next();
  }

  has(turn: TurnId): boolean {
    return this.#waiting.has(turn);
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Lanes are open: whatever may go, goes. */
  start(): void {
    this.#started = true;
    this.#next();
  }

  /** What was written on this platform meanwhile is stored. */
  open(platform: string): void {
    this.#platforms.add(platform);
    this.#next();
  }

  /** Nothing more is dispatched. */
  stop(): void {
    this.#started = false;
    this.#waiting.clear();
  }

  #next(): void {
    if (!this.#started) return;
    const ready = [...this.#waiting.values()].filter((one) => this.#isOpen(one));
    for (const waiting of nextResumes(ready, [...this.#running], this.#deps.parallel())) this.#begin(waiting);
  }

  #isOpen({ turn, rule }: Waiting): boolean {
    return rule === 'answered' || this.#platforms.has(turn.address.platform);
  }

  #begin(waiting: Waiting): void {
    this.#waiting.delete(waiting.turn.id);
    const ended = this.#deps.dispatch(waiting);
    if (ended !== undefined) this.#running.add(waiting);
    void Promise.resolve(ended).then(() => {
      this.#running.delete(waiting);
      this.#next();
    });
  }
}

/** Which of those that may go begin now. Pure. */
export function nextResumes(
  ready: readonly Waiting[],
  running: readonly Waiting[],
  parallel: number,
): readonly Waiting[] {
  const of = (list: readonly Waiting[], rule: TurnRule) => list.filter((one) => one.rule === rule);
  const answered = of(ready, 'answered');
  if (of(running, 'suspect').length > 0) return answered;
  const others = of(ready, 'resume');
  const open = of(running, 'resume').length;
  if (others.length > 0 || open > 0) return [...answered, ...others.slice(0, Math.max(0, parallel - open))];
  const suspects = of(ready, 'suspect').sort((a, b) => a.attempts - b.attempts);
  return [...answered, ...suspects.slice(0, 1)];
}
