import { type Clock, pause } from '../contract/clock.ts';
import { HermodError } from '../contract/errors.ts';
import type {
  AttemptReport,
  ChatMessage,
  ModelChoice,
  ModelEvent,
  ModelFailure,
  ModelProvider,
  ModelRequest,
  StepEvent,
  TurnModel,
} from '../contract/model.ts';
import { type AttemptEnd, attempt } from './attempt.ts';
import { POLICIES } from './failure-policy.ts';
import { failureText, failureWords, type ProviderFacts } from './failure-text.ts';
import { writeModel } from './model-name.ts';
import type { OutputLimits } from './output-watchdog.ts';

export interface ModelTarget {
  readonly choice: ModelChoice;
  readonly provider: ModelProvider;
  readonly facts: ProviderFacts;
}

export interface StepLimits extends OutputLimits {
  /** Seconds of a step over all its attempts and waits. */
  readonly stepDeadlineS: number;
  /** How often one model is asked. */
  readonly attempts: number;
}

export interface ModelChainOptions {
  /** The primary model, then its fallbacks in order. A practice model is never a fallback. */
  readonly targets: readonly ModelTarget[];
  readonly limits: StepLimits;
  readonly fallbackOnFilter: boolean;
  readonly clock: Clock;
  /** From 0 to below 1, for the jitter of waits. */
  readonly random: () => number;
}

const REST_MS = 300_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 1000;
const JITTER = 0.25;

/** A primary model and its fallbacks; remembers over turns which of them to leave out for a while. */
export class ModelChain {
  readonly options: ModelChainOptions;
  readonly #resting = new Map<ModelTarget, { readonly until: number; readonly failure: ModelFailure }>();

  /** Throws HermodError without a target. */
  constructor(options: ModelChainOptions) {
    const [primary, ...others] = options.targets;
    if (!primary) throw new HermodError('us', 'A model chain needs at least one model; set model.primary.');
    this.options = { ...options, targets: [primary, ...others.filter((target) => target.facts.kind !== 'practice')] };
  }

  /** Starts with the first model that does not rest; all resting, with the primary. */
  turn(): TurnModel {
    const now = this.options.clock.now();
    const awake = this.options.targets.findIndex((target) => (this.#resting.get(target)?.until ?? 0) <= now);
    const skipped = this.options.targets.slice(0, Math.max(awake, 0)).flatMap((target) => {
      const rest = this.#resting.get(target);
      return rest ? [{ target, failure: rest.failure }] : [];
    });
    return new ChainTurn(this, Math.max(awake, 0), skipped);
  }

  rest(target: ModelTarget, failure: ModelFailure): void {
    if (POLICIES[failure.kind].rest) this.#resting.set(target, { until: this.options.clock.now() + REST_MS, failure });
  }
}

interface Failed {
  readonly target: ModelTarget;
  readonly failure: ModelFailure;
}

class ChainTurn implements TurnModel {
  readonly #chain: ModelChain;
  #at: number;
  /** Models that did not answer in this turn, the first of them first. */
  readonly #failed: Failed[];
  #blamed: ModelTarget | undefined;

  constructor(chain: ModelChain, start: number, skipped: readonly Failed[]) {
    this.#chain = chain;
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
    const { limits, clock } = this.#chain.options;
    const deadlineAt = clock.now() + limits.stepDeadlineS * 1000;
    let blamed: Failed | undefined;
    while (true) {
      const target = this.#target;
      const end = yield* this.#ask(target, ownKeep(build(target.choice), target.choice), deadlineAt, signal, report);
      if (!end.done.failure || end.done.reason === 'aborted') return yield* answered(end, target.choice);
      blamed ??= { target, failure: end.done.failure };
      this.#blamed = blamed.target;
      this.#chain.rest(target, end.done.failure);
      if (!this.#fallBack({ target, failure: end.done.failure }, deadlineAt)) {
        return yield { ...end.done, failure: blamed.failure };
      }
      if (end.outputChars > 0) yield { type: 'restart' };
    }
  }

  get #target(): ModelTarget {
    return this.#chain.options.targets[this.#at] as ModelTarget;
  }

  /** All attempts at one model: the end of the last of them. */
  async *#ask(
    target: ModelTarget,
    request: ModelRequest,
    deadlineAt: number,
    signal: AbortSignal,
    report: (attempt: AttemptReport) => void,
  ): AsyncGenerator<StepEvent, AttemptEnd> {
    const { clock, limits } = this.#chain.options;
    const deadline = { at: deadlineAt, seconds: limits.stepDeadlineS };
    for (let count = 1; ; count++) {
      const end = counted(
        yield* attempt({ provider: target.provider, request, limits, deadline, clock }, signal),
        count,
      );
      report(reportOf(target, end, count));
      const waitMs = end.done.failure ? this.#waitBefore(end.done.failure, count, deadlineAt) : undefined;
      if (waitMs === undefined) return end;
      if (end.outputChars > 0) yield { type: 'restart' };
      await pause(clock, waitMs, signal);
      if (signal.aborted) return ABORTED_END;
    }
  }

  /** Milliseconds until the next attempt, or undefined when there is none. */
  #waitBefore(failure: ModelFailure, count: number, deadlineAt: number): number | undefined {
    const { limits, clock, random } = this.#chain.options;
    const { retry } = POLICIES[failure.kind];
    const most = retry === 'never' ? 1 : retry === 'once' ? Math.min(2, limits.attempts) : limits.attempts;
    if (count >= most) return undefined;
    const wanted = failure.retryAfterMs;
    if (wanted !== undefined && wanted > LONGEST_RETRY_AFTER_MS) return undefined;
    const jitter = 1 + JITTER * (2 * random() - 1);
    const waitMs = wanted ?? Math.min(FIRST_WAIT_MS * 4 ** (count - 1), LONGEST_RETRY_AFTER_MS) * jitter;
    return clock.now() + waitMs < deadlineAt ? waitMs : undefined;
  }

  /** Moves to the next model if there is one and this failure lets it answer. */
  #fallBack(failed: Failed, deadlineAt: number): boolean {
    const { targets, clock, fallbackOnFilter } = this.#chain.options;
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
  yield done.keep === undefined ? done : { ...done, keep: { by: writeModel(choice), data: done.keep } };
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

/** Each model gets back only what it gave to keep itself. */
function ownKeep(request: ModelRequest, choice: ModelChoice): ModelRequest {
  const by = writeModel(choice);
  return { ...request, messages: request.messages.map((message) => unwrapped(message, by)) };
}

function unwrapped(message: ChatMessage, by: string): ChatMessage {
  if (message.role !== 'assistant' || message.keep === undefined) return message;
  const { keep, ...rest } = message;
  const kept = keep as { readonly by?: unknown; readonly data?: unknown } | null;
  return kept?.by === by ? { ...rest, keep: kept.data } : rest;
}
