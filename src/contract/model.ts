import type { z } from 'zod';
import type { CallId, SessionId } from './ids.ts';

export interface Usage {
  /** Tokens, cached parts included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  /** USD, only where the provider itself names it. */
  readonly cost?: number;
}

export const FAILURE_KINDS = [
  'auth',
  'quota',
  'model',
  'rate',
  'overloaded',
  'server',
  'overflow',
  'filtered',
  'timeout',
  'cut',
  'unreachable',
  'tls',
  'bad_answer',
  'no_tools',
  'no_images',
  'empty',
  'request',
  'aborted',
] as const;
export type ModelFailureKind = (typeof FAILURE_KINDS)[number];

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** For the operator's log: redacted, at most 300 characters, never a prompt. */
  readonly detail: string;
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** `timeout`: the limit that ran out, in seconds. */
  readonly limitS?: number;
  /** How often the model was asked in this step. */
  readonly attempts?: number;
}

export type DoneReason = 'stop' | 'calls' | 'length' | 'filtered' | 'aborted' | 'failed';

export type ModelEvent =
  | { readonly type: 'text' | 'reasoning'; readonly delta: string }
  /** `raw` is the argument text as received; `id` the provider's own, possibly empty or doubled. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly raw: string }
  | {
      readonly type: 'done';
      readonly reason: DoneReason;
      readonly usage: Usage | null;
      readonly failure?: ModelFailure;
      /** Provider data to send back inside the same turn to the same model. JSON. */
      readonly keep?: unknown;
    };

/** What the model is told a tool is. `schema` is JSON Schema made from zod. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
}

export interface ModelCall {
  readonly id: CallId;
  readonly name: string;
  /** Argument text, always valid JSON of an object by the time it is sent back. */
  readonly raw: string;
}

/** What is sent: well-formed, no empty message, a result for every call, results after their calls. */
export type ChatMessage =
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly calls: readonly ModelCall[];
      readonly keep?: unknown;
    }
  | {
      readonly role: 'tool';
      readonly callId: CallId;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    };

export interface ModelRequest {
  readonly model: string;
  readonly system: { readonly stable: string; readonly varying: string };
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: 'auto' | 'none';
  readonly maxOutputTokens: number;
  /** Absent: the model's own. */
  readonly temperature?: number;
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high';
  /** Tells concurrent conversations apart in scripts and logs; never sent. */
  readonly session?: SessionId;
  /** Nobody sits there waiting: in a queue, people who talk go first. Never sent. */
  readonly patient?: true;
}

/** What a caller with timers must know about a request besides its events. */
export interface StreamWatch {
  /** The request queues for a free place at its provider; not called without a queue. */
  waiting(): void;
  /** It left the queue. */
  sent(): void;
  /** A piece of a call's arguments came; the call itself follows when it is whole. */
  output(): void;
}

/** One model API. One call is one step. */
export interface ModelProvider {
  readonly name: string;
  /** Never throws; ends with exactly one `done`, within 100 ms after `signal` aborts. */
  stream(request: ModelRequest, signal: AbortSignal, watch?: StreamWatch): AsyncIterable<ModelEvent>;
}

/** A model and where it lives; people write it `provider:model`. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

/**
 * What a step is made of, over all its attempts. `restart`: forget the text and reasoning of this step so far, it broke and
 * is asked again. `waiting`: the request has queued for 10 s; said once a step.
 */
export type StepEvent = ModelEvent | { readonly type: 'restart' } | { readonly type: 'waiting' };

/** How one attempt ended; reported before the event that follows from it. */
export interface AttemptReport {
  readonly choice: ModelChoice;
  /** 1 for the first attempt at this model. */
  readonly attempt: number;
  readonly reason: DoneReason;
  readonly failure?: ModelFailure;
  readonly usage: Usage | null;
  /** From sending to the first output; null without output. */
  readonly firstOutputMs: number | null;
  readonly totalMs: number;
  /** Characters of text, reasoning and call arguments received: what an estimate is made of. */
  readonly outputChars: number;
}

/** One turn's road to its models. A fallback holds until the turn ends. */
export interface TurnModel {
  /** Who answered last, or is asked next. */
  readonly choice: ModelChoice;
  /** `answered by B; A: rate limited` after a fallback. */
  readonly remark: string | undefined;
  /** The sentence a person reads about a failure of the last step. */
  say(failure: ModelFailure): string;
  /**
   * One step. `build` fits the context to the model that is asked; it is called once a model and never sees another model's
   * `keep` sent. Never throws; ends with exactly one `done`, within 100 ms after `signal` aborts.
   */
  step(
    build: (choice: ModelChoice) => ModelRequest,
    signal: AbortSignal,
    report: (attempt: AttemptReport) => void,
  ): AsyncIterable<StepEvent>;
}
