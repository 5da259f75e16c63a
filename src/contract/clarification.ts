import type { ApprovalId } from './ids.ts';

/** What the model asks the person. */
export interface Clarification {
  readonly question: string;
  readonly choices: readonly string[];
  /** Several choices may be named. */
  readonly multi: boolean;
}

/** What became of a question. */
export type Clarified =
  | { readonly kind: 'answered'; readonly text: string }
  /** Nobody is at the other end of this run. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'late' }
  | { readonly kind: 'closed'; readonly why: string }
  /** The process ends while the question waits; asked again with the same call, it is the same question. */
  | { readonly kind: 'parked'; readonly question: ApprovalId };
