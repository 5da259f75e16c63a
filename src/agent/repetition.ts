import type { CallState } from '../store/transcript.ts';

/** A call of the turn as the guard sees it, oldest first. */
export interface PastCall {
  readonly tool: string;
  /** Tool and canonical arguments. */
  readonly key: string;
  readonly state: CallState;
  readonly result: string | null;
}

export const SAME_AGAIN =
  'Not run: this is the same call a third time and the first two gave the same result. Change the approach, or finish and say what is missing.';
export const GOING_ROUND =
  'Not run: the calls go round in circles. Tools are off now; answer with what you have and say what is open.';

export const CUT_CALL = "Not run: the model's output limit cut this call off. Send it again in smaller pieces.";
export const CUT_AGAIN =
  "Not run: the model's output limit cut this call off once more. Tools are off now; answer with what you have and say what is open.";

const ALTERNATING = 6;
const MAX_FAILURES = 8;

/** Whether the next call may run; else what the model reads instead of a result. Tools stay off after `GOING_ROUND`. */
export function judgeRepetition(
  past: readonly PastCall[],
  key: string,
): 'run' | typeof SAME_AGAIN | typeof GOING_ROUND {
  if (toolsAreOff(past) || alternates([...past.map((call) => call.key), key])) return GOING_ROUND;
  const [last, before] = sameInARow(past, key);
  if (last?.result === SAME_AGAIN) return GOING_ROUND;
  return last && before && last.result !== null && last.result === before.result ? SAME_AGAIN : 'run';
}

/** One last answer without tools is due: the turn went round in circles, a call was cut twice, or one tool failed eight times in a row. */
export function toolsAreOff(past: readonly PastCall[]): boolean {
  if (past.some((call) => [GOING_ROUND, CUT_AGAIN].some((end) => call.result?.startsWith(end)))) return true;
  const last = past.at(-1);
  const runs = last ? past.filter((call) => call.tool === last.tool).slice(-MAX_FAILURES) : [];
  return runs.length === MAX_FAILURES && runs.every((call) => call.state === 'failed');
}

/** The calls equal to `key` that end the list, newest first. */
function sameInARow(past: readonly PastCall[], key: string): readonly PastCall[] {
  const other = past.findLastIndex((call) => call.key !== key);
  return past.slice(other + 1).reverse();
}

/** A-B-A-B-A-B at the end. */
function alternates(keys: readonly string[]): boolean {
  const tail = keys.slice(-ALTERNATING);
  const [a, b] = tail;
  return tail.length === ALTERNATING && a !== b && tail.every((key, i) => key === (i % 2 === 0 ? a : b));
}
