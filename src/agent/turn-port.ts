import type { Clock } from '../contract/clock.ts';
import type { ApprovalId, SessionId } from '../contract/ids.ts';
import type { AttemptReport, ModelFailure, ModelRequest, TurnModel } from '../contract/model.ts';
import type { EndReason, RunContext } from '../contract/run.ts';
import type { Store } from '../store/store.ts';
import type { NewMessage } from '../store/transcript.ts';
import type { TurnRow } from '../store/turns.ts';
import type { Conversations } from './conversations.ts';
import type { Prompt } from './prompt.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** What a person may see of a turn while it runs. Nothing here throws or blocks. */
export interface TurnSink {
  text(delta: string): void;
  /** Forget the text of this step: it broke and is asked again. */
  restart(): void;
  /** This step's text is written down and stays; what follows is a new paragraph. */
  step(): void;
  /** One line: what is being called, or what a tool says while it works. */
  tool(line: string): void;
  notice(line: string): void;
  /** The turn waits for a person (true), or goes on (false). */
  waiting(on: boolean): void;
}

export type TurnResult =
  /** `message` is for the caller to record with the end of the turn; undefined: it is recorded already. */
  | { readonly kind: 'replied'; readonly text: string; readonly message: NewMessage | undefined }
  /** By `shutdown` nothing is settled: the same turn goes on after the next boot. */
  | { readonly kind: 'stopped'; readonly by: EndReason; readonly partial: string }
  | { readonly kind: 'parked'; readonly approval: ApprovalId }
  /** `text` is what the person reads. */
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly text: string };

/** What the person writes while a turn runs. Nothing here waits. */
export interface TurnInput {
  /** The person wants something else: calls that have not begun are not to begin. Asked before each. */
  waits(): boolean;
  /** What waits becomes messages of this turn. Called before each step, in no transaction. */
  take(): void;
  /** Calls `fn` when the question a model is working on is no longer what the person said; the result ends that. */
  changed(fn: () => void): () => void;
}

export interface TurnTask {
  readonly turn: TurnRow;
  readonly run: RunContext;
  /** Absent: nobody can add anything. */
  readonly input?: TurnInput;
}

/** Turns a conversation into one reply. */
export interface TurnRunner {
  /**
   * Runs a turn, or goes on with one: where it stands is read from its transcript. Call it inside `withRun(run, ...)`; ends
   * within 100 ms of the run's signal. Rejects only when the store fails.
   */
  run(order: TurnTask, sink: TurnSink): Promise<TurnResult>;
}

export interface TurnLimits {
  /** `agent.max_steps`, `agent.cron_max_steps`. */
  readonly maxSteps: number;
  readonly cronMaxSteps: number;
  /** `model.max_output_tokens`, `model.reasoning` or what the session chose. */
  readonly maxOutputTokens: number;
  readonly reasoning?: NonNullable<ModelRequest['reasoning']>;
  /** `agent.result_bytes`. */
  readonly resultBytes: number;
}

export interface TurnRunnerDeps {
  readonly store: Pick<Store, 'transcript' | 'tx'>;
  readonly clock: Clock;
  readonly registry: ToolRegistry;
  readonly prompt: Prompt;
  readonly conversations: Conversations;
  /** A new turn's road to its models. */
  readonly model: (run: RunContext) => TurnModel;
  /** Told after each attempt at a model. */
  readonly used: (run: RunContext, report: AttemptReport) => void;
  /** Takes secrets out of what a person is shown of a call. */
  readonly redact: (text: string) => string;
  /** Of a session; without one as configured. */
  readonly limits: (session?: SessionId) => TurnLimits;
}
