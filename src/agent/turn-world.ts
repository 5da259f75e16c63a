import type { ApprovalId, CallId } from '../contract/ids.ts';
import type { StepEvent } from '../contract/model.ts';
import type { MessageRow } from '../store/transcript.ts';

/** A call about to be made. */
export interface CallOrder {
  readonly call: CallId;
  readonly tool: string;
  readonly input: unknown;
  /** Most bytes of its result. */
  readonly bytes: number;
  /** A line of hermod's after its result. */
  readonly note: string | undefined;
}

/** What the checks and the gate said of it. `ready`: it has begun, `run` must follow at once. */
export type Admitted = 'ready' | 'ended' | 'stopped' | Parked;

/** The process ends while a person is being asked; the call's row is as it was and goes on after the next boot. */
export interface Parked {
  readonly parked: ApprovalId;
}

/** What a model answered, as it is written down: calls are planned, those with an `end` are over already. */
export interface Recording {
  readonly text: string;
  readonly keep: unknown;
  readonly calls: readonly {
    readonly providerId: string;
    readonly name: string;
    readonly raw: string;
    readonly end?: { readonly state: 'skipped' | 'failed'; readonly text: string };
  }[];
}

/**
 * Everything a turn touches outside itself. All of it is data, so that the turn may live in another thread: there each method
 * is a message, served in the run the turn belongs to.
 */
export interface TurnWorld {
  /** Tools that only read: neighbouring calls of them may overlap. */
  readonly readers: readonly string[];
  /** This turn's own messages, oldest first. */
  rows(): Promise<readonly MessageRow[]>;
  /** One step of the model over the conversation; `said` is what it has said of this message so far. Ends with one `done`. */
  ask(tools: 'auto' | 'none', said: string): AsyncIterable<StepEvent>;
  /** In one transaction, before anything of it runs. */
  record(answer: Recording): Promise<void>;
  admit(order: CallOrder): Promise<Admitted>;
  /** Runs an admitted call; its result is stored when this resolves, unless it parked. */
  run(call: CallId): Promise<Parked | undefined>;
  skip(order: CallOrder, text: string): Promise<void>;
  /** Calls that never began are `not run`, and what was said so far stays, marked. */
  settle(partial: string): Promise<void>;
}
