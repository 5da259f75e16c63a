import type { Address } from './message.ts';

/** Whose move it is: the operator's, the platform's, the model provider's, a tool's, or a bug of ours. */
export type Fault = 'operator' | 'platform' | 'model' | 'tool' | 'us';

/** An error a person reads. `message` is one sentence that ends in what to do next. */
export class HermodError extends Error {
  readonly fault: Fault;
  constructor(fault: Fault, message: string) {
    super(message);
    this.name = 'HermodError';
    this.fault = fault;
  }
}

/** What became of a send; nothing above the adapter reads message text. See the table of failure kinds in README of src/platforms. */
export type SendFailure =
  | { readonly kind: 'wait'; readonly retryAfterMs: number }
  | { readonly kind: 'moved'; readonly to: Address }
  | {
      readonly kind: 'missing';
      /** What the message opens with in the chat around a thread it could not go to: `the thread is locked`. */
      readonly notice?: string;
    }
  | { readonly kind: 'unreached' | 'ambiguous' | 'format' | 'size' | 'gone' | 'auth' };

export class SendError extends Error {
  readonly failure: SendFailure;
  constructor(failure: SendFailure, message: string) {
    super(message);
    this.name = 'SendError';
    this.failure = failure;
  }
}
