import type { ApprovalId, CallId, TurnId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { RunContext } from '../contract/run.ts';
import type { Finding } from '../contract/tool.ts';
import type { ApprovalDetails, ApprovalKind, CancelReason, Choice, Guard } from '../store/approvals.ts';

/** A question to people about one call. What it needs of the run is copied at once; the run itself is kept nowhere. */
export interface ApprovalRequest {
  readonly kind: Exclude<ApprovalKind, 'offer'>;
  readonly run: RunContext;
  readonly turn: TurnId | null;
  /** Null: the call has no row of its own (a script's call). */
  readonly call: CallId | null;
  readonly guard: Guard;
  readonly tool: string;
  /** The exact text that is judged and shown. */
  readonly command: string;
  /** What runs after a yes; JSON. */
  readonly input: unknown;
  readonly cwd: string;
  readonly backend: string;
  readonly digest: string;
  readonly scriptHash: string | null;
  readonly findings: readonly Finding[];
  /** What may be offered, given whether the whole command stands on the card. */
  readonly choices: (whole: boolean) => readonly Choice[];
  readonly requester: Actor;
  readonly to: { readonly address: Address; readonly direct: boolean };
  readonly details: Omit<ApprovalDetails, 'votes' | 'copies'>;
  readonly timeoutMs: number;
}

/** How a question ended for the call that asked it. */
export type ApprovalOutcome =
  | {
      readonly kind: 'granted';
      readonly approval: ApprovalId;
      readonly by: Actor;
      readonly choice: Choice;
      readonly follower: boolean;
    }
  | { readonly kind: 'denied'; readonly approval: ApprovalId; readonly by: Actor; readonly reason?: string }
  | { readonly kind: 'answered'; readonly approval: ApprovalId; readonly by: Actor; readonly text: string }
  | {
      readonly kind: 'expired';
      readonly approval: ApprovalId;
      readonly restarted: boolean;
      readonly decidedAt: number | null;
    }
  | { readonly kind: 'cancelled'; readonly by: CancelReason }
  /** The process ends while the row waits. */
  | { readonly kind: 'parked'; readonly approval: ApprovalId }
  /** It could not be asked; nothing was written. */
  | { readonly kind: 'unasked'; readonly rule: string; readonly why: string };
