import type { Clock } from '../contract/clock.ts';
import type { ModelEvent, ModelFailure, ModelProvider, ModelRequest, StreamWatch } from '../contract/model.ts';
import { type OutputLimits, OutputWatchdog } from './output-watchdog.ts';
import { untilAborted } from './until-aborted.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;
type Call = Extract<ModelEvent, { type: 'call' }>;

/** A request waits this long in a queue before the person is told. */
const QUEUE_NOTICE_MS = 10_000;

export interface AttemptOptions {
  readonly provider: ModelProvider;
  readonly request: ModelRequest;
  readonly limits: OutputLimits;
  readonly deadline: { readonly at: number; readonly seconds: number };
  readonly clock: Clock;
}

/** What an attempt gave in the end; its calls are whole only now. */
export interface AttemptEnd {
  readonly done: Done;
  readonly calls: readonly Call[];
  readonly firstOutputMs: number | null;
  readonly totalMs: number;
  readonly outputChars: number;
}

type Passed = Extract<ModelEvent, { type: 'text' | 'reasoning' }> | { readonly type: 'waiting' };

const ABORTED: Done = {
  type: 'done',
  reason: 'aborted',
  usage: null,
  failure: { kind: 'aborted', detail: 'our own signal' },
};
const NO_END: Done = {
  type: 'done',
  reason: 'failed',
  usage: null,
  failure: { kind: 'cut', detail: 'the provider ended without saying how' },
};

/** One request under its timers. Text and reasoning pass through as they come; calls are kept until the end. */
export async function* attempt(options: AttemptOptions, signal: AbortSignal): AsyncGenerator<Passed, AttemptEnd> {
  const { clock, provider, request } = options;
  const progress = new Progress(clock);
  const own = new AbortController();
  let limitS: number | undefined;
  const watchdog = new OutputWatchdog(clock, options.limits, options.deadline, (seconds) => {
    limitS = seconds;
    own.abort();
  });
  const queue = new QueueNotice(clock);
  const both = AbortSignal.any([signal, own.signal]);
  const source = untilAborted(opened(provider, request, both, watcher(watchdog, queue, progress)), both, ABORTED);
  let next = source.next();
  try {
    while (true) {
      watchdog.arm();
      const event = await queue.orDue(next);
      watchdog.disarm();
      if (event === 'waiting') {
        yield { type: 'waiting' };
        continue;
      }
      if (event.done) return progress.end(NO_END);
      if (event.value.type === 'done')
        return progress.end(limitS === undefined ? explained(event.value) : timedOut(event.value, limitS));
      progress.note(event.value);
      watchdog.output();
      if (event.value.type !== 'call') yield event.value;
      next = source.next();
    }
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    return progress.end({ ...NO_END, failure: { kind: 'cut', detail: `the provider threw ${name}` } });
  } finally {
    watchdog.disarm();
    queue.left();
    own.abort();
    source.return(undefined).catch(() => {});
  }
}

/** A provider that throws at once is no other than one that throws later. */
async function* opened(provider: ModelProvider, request: ModelRequest, signal: AbortSignal, watch: StreamWatch) {
  yield* provider.stream(request, signal, watch);
}

/** A bad end without a failure would pass for an answer. */
function explained(done: Done): Done {
  if (done.failure || done.reason === 'stop' || done.reason === 'calls' || done.reason === 'length') return done;
  const kind = done.reason === 'failed' ? 'cut' : done.reason;
  return { ...done, failure: { kind, detail: `the provider ended with ${done.reason} and did not say why` } };
}

function watcher(watchdog: OutputWatchdog, queue: QueueNotice, progress: Progress): StreamWatch {
  return {
    waiting: () => {
      queue.entered();
      watchdog.queued();
    },
    sent: () => {
      queue.left();
      progress.sent();
      watchdog.sent();
    },
    output: () => {
      progress.output();
      watchdog.output();
    },
  };
}

function timedOut(done: Done, limitS: number): Done {
  const failure: ModelFailure = { kind: 'timeout', detail: `nothing within ${limitS} s`, limitS };
  return { type: 'done', reason: 'failed', usage: done.usage, failure };
}

/** What came of an attempt so far, and when. */
class Progress {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #sentAt: number;
  #firstOutputMs: number | null = null;
  #chars = 0;
  readonly #calls: Call[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#sentAt = this.#startedAt;
  }

  sent(): void {
    this.#sentAt = this.#clock.now();
  }

  output(): void {
    this.#firstOutputMs ??= this.#clock.now() - this.#sentAt;
  }

  note(event: Exclude<ModelEvent, Done>): void {
    this.output();
    this.#chars += event.type === 'call' ? event.raw.length + event.name.length : event.delta.length;
    if (event.type === 'call') this.#calls.push(event);
  }

  end(done: Done): AttemptEnd {
    return {
      done,
      calls: this.#calls,
      firstOutputMs: this.#firstOutputMs,
      totalMs: this.#clock.now() - this.#startedAt,
      outputChars: this.#chars,
    };
  }
}

/** Says once that a request has queued too long. */
class QueueNotice {
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #state: 'quiet' | 'due' | 'told' = 'quiet';
  #tell: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `next`, or 'waiting' if that is to be said before it comes. One wait at a time; nothing of it is kept when it is over. */
  async orDue<T>(next: Promise<T>): Promise<T | 'waiting'> {
    const wait = Promise.withResolvers<T | 'waiting'>();
    next.then(wait.resolve, wait.reject);
    this.#tell = () => wait.resolve('waiting');
    this.#say();
    try {
      return await wait.promise;
    } finally {
      this.#tell = undefined;
    }
  }

  entered(): void {
    this.#cancel = this.#clock.after(QUEUE_NOTICE_MS, () => {
      if (this.#state === 'quiet') this.#state = 'due';
      this.#say();
    });
  }

  left(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #say(): void {
    if (this.#state !== 'due' || !this.#tell) return;
    this.#state = 'told';
    this.#tell();
  }
}
