import type { AttemptRow } from '../store/attempts.ts';
import { cutsOff } from './breaker.ts';

/**
 * How often in a row a session's work was cut off, from its newest attempt backwards. Planned ends are passed over. What is
 * before an attempt that ended by itself, before a Continue, or in a boot before the one in which a person last wrote (its number;
 * null: none) does not count any more. No clock has a say. Pure.
 */
export function sessionStreak(newestFirst: readonly AttemptRow[], personBoot: number | null): number {
  let streak = 0;
  for (const attempt of newestFirst) {
    if (attempt.outcome === 'ended') return streak;
    if (attempt.outcome === 'interrupted') {
      if (personBoot !== null && personBoot > (attempt.boot.nth ?? 0)) return streak;
      if (cutsOff(attempt.boot)) streak++;
    }
    if (attempt.kind === 'continue') return streak;
  }
  return streak;
}
