import { pause } from '../contract/clock.ts';
import type {
  AttemptReport,
  ModelChoice,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  StepEvent,
  TurnModel,
} from '../contract/model.ts';
import { type AttemptEnd, attempt } from './attempt.ts';
import { POLICIES, waitBefore } from './failure-policy.ts';
import { failureText, failureWords } from './failure-text.ts';
import { writeModel } from './model-name.ts';
import type { Failed, ModelChainOptions, ModelTarget } from './model-target.ts';
import { ownKeep, signedKeep } from './own-keep.ts';

/** One turn's way along a chain: it only ever moves to later models. */
export class ChainTurn implements TurnModel {
  readonly #options: ModelChainOptions;
  readonly #rest: (failed: Failed) => void;
  #at: number;
  /** Models that did not answer in this turn, the first of them first. */
  readonly #failed: Failed[];
  #blamed: ModelTarget | undefined;

  /** Starts at the target `start`; `skipped` rest. `rest` is told of every model that failed. */
  constructor(options: ModelChainOptions, start: number, skipped: readonly Failed[], rest: (failed: Failed) => void) {
    this.#options = options;
    this.#rest = rest;
    this.#at = start;
    this.#failed = [...skipped];
  }

  get choice(): ModelChoice {
    return this.#target.choice;
  }

  get remark(): string | undefined {
    if (this.#failed.length === 0) return undefined;
    const reasons = this.#failed.map(
      ({ target, failure }) => `${writeModel(target.choice)}: ${failureWords(failure.kind)}`,
    );
    return [`answered by ${writeModel(this.choice)}`, ...reasons].join('; ');
  }

  say(failure: ModelFailure): string {
    const { facts, choice } = this.#blamed ?? this.#target;
    return failureText(failure, facts, choice.model);
  }

  async *step(
    build: (choice: ModelChoice) => ModelRequest,
    signal: AbortSignal,
    report: (attempt: AttemptReport) => void,
  ): AsyncGenerator<StepEvent> {
    const { limits, clock } = this.#options;
    const deadlineAt = clock.now() + limits.stepDeadlineS * 1000;
    let first: ModelEvent | undefined;
    while (true) {
      const target = this.#target;
      const end = yield* this.#ask(target, ownKeep(build(target.choice), target.choice), deadlineAt, signal, report);
      if (!end.done.failure || end.done.reason === 'aborted') return yield* answered(end, target.choice);
      const failed = { target, failure: end.done.failure };
      if (first === undefined) this.#blamed = target;
      first ??= end.done;
      this.#rest(failed);
      if (!this.#fallBack(failed, deadlineAt)) return yield first;
      if (end.outputChars > 0) yield { type: 'restart' };
    }
  }

  get #target(): ModelTarget {
    return this.#options.targets[this.#at] as ModelTarget;
  }

  /** All attempts at one model: the end of the last of them. */
  async *#ask(
    target: ModelTarget,
    request: ModelRequest,
    deadlineAt: number,
    signal: AbortSignal,
    report: (attempt: AttemptReport) => void,
  ): AsyncGenerator<StepEvent, AttemptEnd> {
    const { clock, limits } = this.#options;
    const deadline = { at: deadlineAt, seconds: limits.stepDeadlineS };
    for (let count = 1; ; count++) {
      const end = counted(
        yield* attempt({ provider: target.provider, request, limits, deadline, clock }, signal),
        count,
      );
      report(reportOf(target, end, count));
      const waitMs = end.done.failure ? this.#wait(end.done.failure, count, deadlineAt) : undefined;
      if (waitMs === undefined) return end;
      if (end.outputChars > 0) yield { type: 'restart' };
      await pause(clock, waitMs, signal);
      if (signal.aborted) return ABORTED_END;
    }
  }

  /** Milliseconds until the next attempt; undefined also when the deadline comes first. */
  #wait(failure: ModelFailure, count: number, deadlineAt: number): number | undefined {
    const { limits, clock, random } = this.#options;
    const waitMs = waitBefore(failure, count, limits.attempts, random());
    return waitMs !== undefined && clock.now() + waitMs < deadlineAt ? waitMs : undefined;
  }

  /** Moves to the next model if there is one and this failure lets it answer. */
  #fallBack(failed: Failed, deadlineAt: number): boolean {
    const { targets, clock, fallbackOnFilter } = this.#options;
    const allowed = POLICIES[failed.failure.kind].fallback || (failed.failure.kind === 'filtered' && fallbackOnFilter);
    if (!allowed || clock.now() >= deadlineAt || this.#at + 1 >= targets.length) return false;
    this.#failed.push(failed);
    this.#at++;
    return true;
  }
}

const ABORTED_END: AttemptEnd = {
  done: {
    type: 'done',
    reason: 'aborted',
    usage: null,
    failure: { kind: 'aborted', detail: 'aborted between attempts' },
  },
  calls: [],
  firstOutputMs: null,
  totalMs: 0,
  outputChars: 0,
};

function* answered({ done, calls }: AttemptEnd, choice: ModelChoice): Generator<ModelEvent> {
  if (done.reason !== 'aborted') yield* calls;
  yield done.keep === undefined ? done : { ...done, keep: signedKeep(done.keep, choice) };
}

function counted(end: AttemptEnd, attempts: number): AttemptEnd {
  const { failure } = end.done;
  return failure ? { ...end, done: { ...end.done, failure: { ...failure, attempts } } } : end;
}

function reportOf(target: ModelTarget, end: AttemptEnd, count: number): AttemptReport {
  const { done, firstOutputMs, totalMs, outputChars } = end;
  return {
    choice: target.choice,
    attempt: count,
    reason: done.reason,
    usage: done.usage,
    firstOutputMs,
    totalMs,
    outputChars,
    ...(done.failure && { failure: done.failure }),
  };
}
