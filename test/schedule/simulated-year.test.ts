import { describe, expect, it } from 'vitest';
import { randomFrom } from './random-line.ts';
import { simulate, ZONES } from './simulated-year.ts';

// The whole year, 500 jobs: npm run bench -- jobs-year.
describe('weeks of simulated time in twelve zones', () => {
  it('with stops, kills and changes of the clock leave one record of every slot (schedule 2)', () => {
    const random = randomFrom(20_260_305);
    const span = { jobs: 6, from: Date.parse('2026-03-05T00:00:00Z'), days: 33, stops: 0.0005, kills: 0.05, random };
    const lives = ZONES.map((tz) => simulate({ ...span, tz }));
    const sum = (pick: (one: (typeof lives)[number]) => number) => lives.reduce((total, one) => total + pick(one), 0);
    expect(lives.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(sum(({ slots }) => slots)).toBeGreaterThan(1500);
    expect(
      Math.min(
        sum(({ unknown }) => unknown),
        sum(({ again }) => again),
        sum(({ gaps }) => gaps),
      ),
    ).toBeGreaterThan(20);
  }, 60_000);
});
