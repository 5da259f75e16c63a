import type { JobFailures } from '../store/jobs.ts';

const MILESTONES = [3, 10];
const AGAIN_MS = 86_400_000;

/** Whether people hear of a failure: of the first, of each new kind, of the third and tenth in a row, then once a day. Pure. */
export function judgeFailure(
  failures: JobFailures,
  streak: number,
  kind: string,
  now: number,
): { readonly tell: boolean; readonly failures: JobFailures } {
  const { told = [], toldAt = 0, muted = [] } = failures;
  const due = !told.includes(kind) || MILESTONES.includes(streak) || (streak > 10 && now - toldAt >= AGAIN_MS);
  const tell = due && !muted.includes(kind);
  if (!tell) return { tell, failures };
  return { tell, failures: { ...failures, told: [...new Set([...told, kind])], toldAt: now } };
}

/** After a success: what was told in the streak is over, what somebody muted stays muted. */
export function recovered({ muted }: JobFailures): JobFailures {
  return muted === undefined ? {} : { muted };
}

const LADDER_MS = [30_000, 60_000, 300_000, 900_000, 3_600_000];

/** How long after the end of a failing firing the next slot waits at least. */
export function backoffMs(streak: number): number {
  return LADDER_MS[Math.min(Math.max(streak, 1), LADDER_MS.length) - 1] as number;
}
