import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../src/contract/ids.ts';
import { sessionStreak } from '../../src/process/session-streak.ts';
import type { AttemptRow } from '../../src/store/attempts.ts';

/** An attempt of a boot that was over at `overAt`. */
function attempt(overAt: number, over: Partial<AttemptRow> = {}): AttemptRow {
  const boot = { how: 'vanished', plan: null } as const;
  return { turn: 't' as TurnId, kind: 'resume', startedAt: overAt - 10, outcome: 'interrupted', overAt, boot, ...over };
}
const signal = { boot: { how: 'signal', plan: null } } as const;
const planned = { boot: { how: 'restarted', plan: 'restart' } } as const;

describe('how often in a row a session was cut off', () => {
  it.each<[string, readonly AttemptRow[], number | null, number]>([
    ['never', [], null, 0],
    ['by anything unplanned', [attempt(300), attempt(200, signal), attempt(100)], 5, 3],
    ['planned ends are passed over', [attempt(300), attempt(200, planned), attempt(100)], 5, 2],
    [
      'a forced end and an overrun of a plan, too',
      [
        attempt(300, { boot: { how: 'forced', plan: 'stop' } }),
        attempt(200, { boot: { how: 'overrun', plan: 'restart' } }),
        attempt(100),
      ],
      5,
      1,
    ],
    ['it ends at an attempt that ended', [attempt(300), attempt(200, { outcome: 'ended' }), attempt(100)], 5, 1],
    ['an ended one on top leaves nothing', [attempt(300, { outcome: 'ended' }), attempt(200)], 5, 0],
    ['a parked one says nothing', [attempt(300), attempt(200, { outcome: 'parked' }), attempt(100)], 5, 2],
    ['one that runs says nothing', [attempt(300, { outcome: null }), attempt(200)], 5, 1],
    ['a Continue counts from there', [attempt(300), attempt(200, { kind: 'continue' }), attempt(100)], 5, 2],
    [
      'a Continue that is parked, too',
      [attempt(300), attempt(200, { kind: 'continue', outcome: 'parked' }), attempt(100)],
      5,
      1,
    ],
    ['a message after the last interruption', [attempt(300), attempt(200)], 301, 0],
    ['a message between two', [attempt(300), attempt(200), attempt(100)], 201, 1],
    ['a message at the very time of an end came before it', [attempt(300), attempt(200)], 300, 1],
    ['nobody ever wrote', [attempt(300), attempt(200)], null, 2],
  ])('%s', (_, attempts, personAt, streak) => {
    expect(sessionStreak(attempts, personAt)).toBe(streak);
  });

  it.each([10_000, 150_000, 290_000, 900_000, 3_600_000, 7_200_000])(
    'boots %i ms apart: the same count (gateway 3)',
    (gap) => {
      const attempts = [3, 2, 1].map((n) => attempt(n * gap));
      expect(sessionStreak(attempts, 5)).toBe(3);
    },
  );
});
