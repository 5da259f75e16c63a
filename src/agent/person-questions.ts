import type { ApprovalOutcome } from '../approvals/approval-request.ts';
import type { Broker } from '../approvals/broker.ts';
import type { Clarification, Clarified } from '../contract/clarification.ts';
import type { ToolUse } from '../contract/tool.ts';
import type { CancelReason } from '../store/approvals.ts';
import type { Transcript } from '../store/transcript.ts';

const WHY: Readonly<Record<CancelReason, string>> = {
  stop: 'the person stopped this',
  run: 'the turn was ended',
  reset: 'the session was reset',
  restart: 'hermod restarted while this waited',
  access: 'who asked may no longer use hermod',
  undeliverable: 'the question could not be shown',
};

/** Questions of a turn to its requester, as rows of the broker. Only a chat's own turn has somebody who answers. */
export function createPersonQuestions(
  broker: Pick<Broker, 'question'>,
  transcript: Pick<Transcript, 'call'>,
): (clarification: Clarification, use: ToolUse) => Promise<Clarified> {
  return async ({ question: text, choices: options, multi }, use) => {
    const { run, call, signal } = use;
    const turn = transcript.call(call)?.turn;
    if (run.kind !== 'chat' || run.depth > 0 || turn === undefined) return { kind: 'nobody' };
    use.progress('Waiting for your answer.');
    use.asking(true);
    try {
      return clarified(await broker.question({ run, turn, call, text, options, multi }, signal));
    } finally {
      use.asking(false);
    }
  };
}

function clarified(outcome: ApprovalOutcome): Clarified {
  switch (outcome.kind) {
    case 'answered':
      return { kind: 'answered', text: outcome.text };
    case 'expired':
      return { kind: 'late' };
    case 'parked':
      return { kind: 'parked', question: outcome.approval };
    case 'cancelled':
      return { kind: 'closed', why: WHY[outcome.by] };
    case 'unasked':
      return { kind: 'closed', why: outcome.why };
    case 'granted':
    case 'denied':
      return { kind: 'closed', why: 'it was no question' };
  }
}
