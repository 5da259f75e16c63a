import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import { sessionStreak } from '../../src/process/session-streak.ts';
import type { AttemptRow } from '../../src/store/attempts.ts';

/** An attempt of the `nth` boot. */
function attempt(nth: number, over: Partial<AttemptRow> = {}, end: End = { how: 'vanished', plan: null }): AttemptRow {
  const boot = { nth, ...end };
  return { turn: 't' as TurnId, kind: 'resume', startedAt: nth, outcome: 'interrupted', boot, ...over };
}
type End = Omit<AttemptRow['boot'], 'nth'>;
const signal: End = { how: 'signal', plan: null };
const planned: End = { how: 'restarted', plan: 'restart' };

describe('how often in a row a session was cut off', () => {
  it.each<[string, readonly AttemptRow[], number | null, number]>([
    ['never', [], null, 0],
    ['by anything unplanned', [attempt(3), attempt(2, {}, signal), attempt(1)], 1, 3],
    ['planned ends are passed over', [attempt(3), attempt(2, {}, planned), attempt(1)], 1, 2],
    [
      'a forced end and an overrun of a plan, too',
      [
        attempt(3, {}, { how: 'forced', plan: 'stop' }),
        attempt(2, {}, { how: 'overrun', plan: 'restart' }),
        attempt(1),
      ],
      1,
      1,
    ],
    ['it ends at an attempt that ended', [attempt(3), attempt(2, { outcome: 'ended' }), attempt(1)], 1, 1],
    ['an ended one on top leaves nothing', [attempt(3, { outcome: 'ended' }), attempt(2)], 1, 0],
    ['a parked one says nothing', [attempt(3), attempt(2, { outcome: 'parked' }), attempt(1)], 1, 2],
    ['one that runs says nothing', [attempt(3, { outcome: null }), attempt(2)], 1, 1],
    ['a Continue counts from there', [attempt(3), attempt(2, { kind: 'continue' }), attempt(1)], 1, 2],
    [
      'a Continue that is parked, too',
      [attempt(3), attempt(2, { kind: 'continue', outcome: 'parked' }), attempt(1)],
      1,
      1,
    ],
    ['a message in the boot after the last interruption', [attempt(3), attempt(2)], 4, 0],
    ['a message between two', [attempt(3), attempt(2), attempt(1)], 3, 1],
    ['a message came before the end of its own boot', [attempt(3), attempt(2)], 3, 1],
    ['nobody ever wrote', [attempt(3), attempt(2)], null, 2],
  ])('%s', (_, attempts, personBoot, streak) => {
    expect(sessionStreak(attempts, personBoot)).toBe(streak);
  });

  it.each([10_000, 150_000, 290_000, 900_000, 3_600_000, 7_200_000, -3_600_000])(
    'boots %i ms apart: the same count (gateway 3)',
    (gap) => {
      const attempts = [3, 2, 1].map((n) => attempt(n, { startedAt: 1_000_000_000 + n * gap }));
      expect(sessionStreak(attempts, 1)).toBe(3);
    },
  );
});
