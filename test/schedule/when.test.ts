import { describe, expect, it } from 'vitest';
import { readSchedule } from '../../src/schedule/read-schedule.ts';
import { lastRun, nextRun, nextRuns } from '../../src/schedule/when.ts';
import { changesOf, type Day, daysOf, minutesOf, runsIn } from './oracle.ts';
import { randomFrom, randomLine } from './random-line.ts';

const DAY = 86_400_000;
const ZONES = [
  ...['Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'Atlantic/Azores', 'America/New_York', 'America/Los_Angeles'],
  ...['America/St_Johns', 'America/Havana', 'America/Santiago', 'America/Nuuk', 'Africa/Cairo', 'Africa/Casablanca'],
  ...[
    'Asia/Beirut',
    'Asia/Jerusalem',
    'Australia/Lord_Howe',
    'Pacific/Auckland',
    'Pacific/Chatham',
    'Antarctica/Troll',
  ],
];
const EXPRESSIONS = 5_000;
const RUNS = 6;
const START = Date.parse('2026-01-01T00:00:00Z');

interface Window {
  readonly tz: string;
  readonly days: readonly Day[];
  readonly from: number;
  readonly to: number;
}

/** Days on both sides of each change of the clock in a year; walked when first needed. */
function windowsOf(tz: string): readonly (() => Window)[] {
  return changesOf(tz, START, START + 365 * DAY).map((change) => {
    let made: Window | undefined;
    return () => {
      made ??= walked(tz, change);
      return made;
    };
  });
}

function walked(tz: string, change: number): Window {
  const middle = Math.floor(change / DAY) * DAY;
  const days = daysOf(minutesOf(tz, middle - 3 * DAY, middle + 4 * DAY));
  return { tz, days, from: middle - 2 * DAY, to: middle + 3 * DAY };
}

describe('the next runs of a cron line', () => {
  it(`equal those of a walk over the minutes: ${EXPRESSIONS} lines in ${ZONES.length} zones around changes of the clock (schedule 1)`, () => {
    const random = randomFrom(20_261_130);
    const windows = ZONES.map(windowsOf);
    const wrong: unknown[] = [];
    for (let i = 0; i < EXPRESSIONS; i++) {
      const ofZone = windows[i % ZONES.length] as readonly (() => Window)[];
      const { tz, days, from, to } = (ofZone[Math.floor(random() * ofZone.length)] as () => Window)();
      const { expr, wanted } = randomLine(random);
      const now = from + Math.floor(random() * (to - from - DAY));
      const due = runsIn(days, wanted).filter((at) => at > now && at < to);
      const runs = nextRuns({ kind: 'cron', expr, tz }, now, Math.min(RUNS, due.length));
      // The run behind the window is dear for rare days; one in ten is enough.
      const whole = due.length < RUNS && i % 10 === 0;
      const after = whole ? nextRun({ kind: 'cron', expr, tz }, due.at(-1) ?? now) : to;
      const same = JSON.stringify(runs) === JSON.stringify(due.slice(0, RUNS)) && (after === null || after >= to);
      if (!same)
        wrong.push([expr, tz, iso(now), runs.slice(0, 6).map(iso), due.slice(0, 6).map(iso), after && iso(after)]);
      expect(runs.every((at, k) => at > (runs[k - 1] ?? now))).toBe(true);
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(wrong).toHaveLength(0);
  }, 120_000);
});

describe('a run', () => {
  const read = (text: string, tz: string, now: string) => {
    const reading = readSchedule(text, { now: Date.parse(now), zone: tz });
    if (!reading.ok) throw new Error(reading.refusal.hint);
    return reading.schedule;
  };

  it.each([
    ['30 2,14 * * *', 'Europe/Berlin', '2026-03-28T20:00:00Z', ['2026-03-29T01:00', '2026-03-29T12:30']],
    ['0 2-4 * * *', 'Europe/Berlin', '2026-03-28T20:00:00Z', ['2026-03-29T01:00', '2026-03-29T02:00']],
    [
      '0 2-4 * * *',
      'Europe/Berlin',
      '2026-10-24T20:00:00Z',
      ['2026-10-25T00:00', '2026-10-25T02:00', '2026-10-25T03:00'],
    ],
    ['every day at 23:30', 'America/Nuuk', '2026-03-28T12:00:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['every day', 'America/Nuuk', '2026-03-28T01:30:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
    ['every day', 'Europe/Berlin', '2026-10-24T00:30:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      '*/30 * * * *',
      'Australia/Lord_Howe',
      '2026-04-04T14:00:00Z',
      ['2026-04-04T14:30', '2026-04-04T15:00', '2026-04-04T15:30'],
    ],
  ])('of %s in %s after %s', (text, tz, now, expected) => {
    const runs = nextRuns(read(text, tz, now), Date.parse(now), expected.length);
    expect(runs.map((at) => iso(at).slice(0, 16))).toEqual(expected);
  });

  it.each(['*/7 * * * *', 'every 90 minutes', 'every 3 days', '30 2 * * *', '0 2-4 * * *', '15 1,2 L * *'])(
    'before an instant, for %s, is the one from which the next lies after it',
    (text) => {
      for (const day of ['2026-03-29', '2026-10-25', '2026-06-30']) {
        for (let minute = 0; minute < 1440; minute += 37) {
          const schedule = read(text, 'Europe/Berlin', '2026-01-31T01:30:00Z');
          const at = Date.parse(`${day}T00:00:00Z`) + minute * 60_000;
          const last = lastRun(schedule, at);
          expect(last).toBeLessThanOrEqual(at);
          expect(nextRun(schedule, last ?? 0)).toBeGreaterThan(at);
          expect(nextRun(schedule, (last ?? 0) - 1)).toBe(last);
        }
      }
    },
  );

  it('of an interval before its first is none', () => {
    const schedule = read('every 2h', 'UTC', '2026-01-01T00:00:00Z');
    expect(lastRun(schedule, Date.parse('2026-01-01T01:59:59Z'))).toBeNull();
    expect(lastRun(schedule, Date.parse('2026-01-01T02:00:00Z'))).toBe(Date.parse('2026-01-01T02:00:00Z'));
  });
});

const iso = (at: number) => new Date(at).toISOString();
