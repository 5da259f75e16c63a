import type { AttemptRow } from '../store/attempts.ts';
import { cutsOff } from './breaker.ts';

/**
 * How often in a row a session's work was cut off, from its newest attempt backwards. Planned ends are passed over. What is
 * before an attempt that ended by itself, before a Continue, or before a person's newest message (UTC ms; null: none) does not
 * count any more. Pure.
 */
export function sessionStreak(newestFirst: readonly AttemptRow[], personAt: number | null): number {
  let streak = 0;
  for (const attempt of newestFirst) {
    if (attempt.outcome === 'ended') return streak;
    if (attempt.outcome === 'interrupted') {
      if (personAt !== null && personAt > attempt.overAt) return streak;
      if (cutsOff(attempt.boot)) streak++;
    }
    if (attempt.kind === 'continue') return streak;
  }
  return streak;
}
