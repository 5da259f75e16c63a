import type { ApprovalId, CallId, TurnId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';
import type { Tool } from '../contract/tool.ts';

/** What the registry needs of the gate in src/approvals. */
export interface GateCall {
  readonly call: CallId;
  /** The turn the call has a row in; null: a worker's or a script's call, which no later boot can go on with. */
  readonly turn: TurnId | null;
  readonly tool: Tool;
  readonly input: unknown;
  readonly run: RunContext;
  /** Told when a person is being waited for (true) and when that is over (false). */
  readonly asking: (waiting: boolean) => void;
}

export type Passage =
  /** `input` is what may run: for an approved call the text of the row. */
  | { readonly kind: 'pass'; readonly input: unknown }
  | {
      readonly kind: 'refused';
      readonly by: 'person' | 'policy' | 'timeout' | 'stop' | 'reset' | 'restart';
      readonly rule: string;
      readonly text: string;
    }
  /** The process ends while a person is asked: the row stays pending. */
  | { readonly kind: 'parked'; readonly approval: ApprovalId };

export interface Gate {
  /** Resolves when it is known whether the call may run; waits for a person where one is asked. */
  pass(call: GateCall): Promise<Passage>;
}
