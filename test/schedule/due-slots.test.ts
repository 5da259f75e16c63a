import { describe, expect, it } from 'vitest';
import { REAL_RUNS } from '../../src/schedule/claims.ts';
import { type DueJob, dueSlots } from '../../src/schedule/due-slots.ts';

const at = (time: string) => Date.parse(`2026-11-30T${time}:00Z`);
const base = { misfire: 'once', busy: false, notBefore: null, held: false, oneShotGraceMs: 600_000 } as const;
const daily: DueJob = { ...base, schedule: { kind: 'cron', expr: '0 9 * * *', tz: 'UTC' }, nextRunAt: at('09:00') };
const hourly: DueJob = { ...base, schedule: { kind: 'cron', expr: '0 * * * *', tz: 'UTC' }, nextRunAt: at('09:00') };
const minutely: DueJob = {
  ...base,
  schedule: { kind: 'every', period: 'PT1M', anchorAt: at('08:59'), tz: 'UTC' },
  nextRunAt: at('09:00'),
};
const once: DueJob = { ...base, schedule: { kind: 'at', at: at('09:00'), tz: 'UTC' }, nextRunAt: at('09:00') };

const tomorrow = at('09:00') + 86_400_000;
const fire = (slot: string, trigger: 'schedule' | 'catch_up', latenessMs = 0) => ({
  slotAt: at(slot),
  trigger,
  latenessMs,
});
const gap = (first: string, last: string, count: number | null, reason: string) => ({
  firstSlotAt: at(first),
  lastSlotAt: at(last),
  count,
  reason,
});

describe('due slots', () => {
  it.each([
    [
      'on time',
      daily,
      '09:00',
      { fire: fire('09:00', 'schedule'), gaps: [], accountedTo: at('09:00'), nextRunAt: tomorrow },
    ],
    ['late within half its period, at most 2 h', daily, '11:00', { fire: fire('09:00', 'schedule', 7_200_000) }],
    ['later than that', daily, '11:01', { fire: fire('09:00', 'catch_up', 7_260_000), nextRunAt: tomorrow }],
    [
      'later, and missed ones are skipped',
      { ...daily, misfire: 'skip' },
      '11:01',
      { gaps: [gap('09:00', '09:00', 1, 'missed')] },
    ],
    [
      'late, though missed ones are skipped',
      { ...daily, misfire: 'skip' },
      '10:59',
      { fire: fire('09:00', 'schedule', 7_140_000) },
    ],
    [
      'several at once',
      hourly,
      '12:10',
      {
        fire: fire('12:00', 'schedule', 600_000),
        gaps: [gap('09:00', '11:00', 3, 'collapsed')],
        nextRunAt: at('13:00'),
      },
    ],
    [
      'the newest beyond its grace',
      hourly,
      '12:31',
      { fire: fire('12:00', 'catch_up', 1_860_000), gaps: [gap('09:00', '11:00', 3, 'collapsed')] },
    ],
    [
      'a grace of at least 2 minutes',
      minutely,
      '09:02',
      { fire: fire('09:02', 'schedule'), gaps: [gap('09:00', '09:01', 2, 'collapsed')] },
    ],
    [
      'more than 100',
      minutely,
      '11:00',
      { fire: fire('11:00', 'schedule'), gaps: [gap('09:00', '10:59', null, 'collapsed')], nextRunAt: at('11:01') },
    ],
    [
      'while it runs',
      { ...hourly, busy: true },
      '10:05',
      { gaps: [gap('09:00', '10:00', 2, 'busy')], nextRunAt: at('11:00') },
    ],
    ['while its provider is held', { ...hourly, held: true }, '09:00', { gaps: [gap('09:00', '09:00', 1, 'held')] }],
    [
      'before the next try',
      { ...hourly, notBefore: at('09:30') },
      '09:00',
      { gaps: [gap('09:00', '09:00', 1, 'backoff')] },
    ],
    [
      'after the next try',
      { ...hourly, notBefore: at('09:30') },
      '10:00',
      { fire: fire('10:00', 'schedule'), gaps: [gap('09:00', '09:00', 1, 'collapsed')] },
    ],
    ['a one-shot', once, '09:00', { fire: fire('09:00', 'schedule'), nextRunAt: null }],
    ['a one-shot within its grace', once, '09:10', { fire: fire('09:00', 'schedule', 600_000) }],
    ['a one-shot beyond it', once, '09:11', { late: 'ask', gaps: [gap('09:00', '09:00', 1, 'missed')] }],
    ['a one-shot that runs anyway', { ...once, misfire: 'run' }, '09:11', { fire: fire('09:00', 'catch_up', 660_000) }],
    ['a one-shot that is let go', { ...once, misfire: 'drop' }, '09:11', { late: 'drop' }],
  ] as const)('%s', (_, job, now, expected) => {
    const slots = dueSlots(job as DueJob, at(now), REAL_RUNS);
    expect(slots).toMatchObject(expected);
    expect(slots?.fire !== undefined).toBe('fire' in expected);
    expect(slots?.accountedTo).toBeLessThanOrEqual(at(now));
  });

  it('leave a one-shot due while a run by hand of it is not over, or its provider is held', () => {
    expect(dueSlots({ ...once, busy: true }, at('09:00'), REAL_RUNS)).toBeUndefined();
    expect(dueSlots({ ...once, held: true }, at('09:00'), REAL_RUNS)).toBeUndefined();
  });
});
