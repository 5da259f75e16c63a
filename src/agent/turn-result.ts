import type { ModelFailure, TurnModel } from '../contract/model.ts';
import type { EndReason } from '../contract/run.ts';
import type { NewMessage } from '../store/transcript.ts';
import { budgetClosing } from './step-budget.ts';
import type { TurnEnd } from './turn.ts';
import type { TurnResult } from './turn-port.ts';

const CUT_TEXT = "(cut at the model's output limit)";

export interface TellingDeps {
  readonly model: Pick<TurnModel, 'say' | 'remark'>;
  readonly maxSteps: number;
  readonly signal: AbortSignal;
  readonly message: (content: string, keep: unknown) => NewMessage;
}

/** What the end of a turn is to whoever asked for it. */
export function turnResult(end: TurnEnd, deps: TellingDeps): TurnResult {
  switch (end.kind) {
    case 'finished':
      if (end.partial) return { kind: 'stopped', by: 'stop', partial: end.text };
      return { kind: 'replied', text: end.text, message: undefined };
    case 'stopped':
      return { kind: 'stopped', by: reasonOf(deps.signal), partial: end.partial };
    case 'parked':
      return end;
    case 'failed':
      return failed(end.failure, deps);
    case 'answered': {
      const text = closed(end, deps);
      return { kind: 'replied', text, message: deps.message(text, end.keep) };
    }
  }
}

function failed(failure: ModelFailure, { model }: TellingDeps): TurnResult {
  return { kind: 'failed', failure, text: model.say(failure) };
}

/** The reply with the lines that say why it ends here. */
function closed(end: Extract<TurnEnd, { kind: 'answered' }>, { model, maxSteps }: TellingDeps): string {
  const lines = [
    end.text.trim(),
    end.cut ? CUT_TEXT : '',
    end.spent ? budgetClosing(maxSteps) : '',
    model.remark === undefined ? '' : `(${model.remark})`,
  ];
  return lines.filter((line) => line !== '').join('\n\n');
}

function reasonOf(signal: AbortSignal): EndReason {
  const reason: unknown = signal.reason;
  return reason === 'shutdown' || reason === 'reset' || reason === 'interrupt' || reason === 'idle' ? reason : 'stop';
}
