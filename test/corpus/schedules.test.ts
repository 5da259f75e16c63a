import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { REFUSAL_CODES } from '../../src/schedule/refusal.ts';
import { readSchedule } from '../../src/schedule/read-schedule.ts';
import { nextRuns } from '../../src/schedule/when.ts';

/** Every line and options croner is made with. */
const made = vi.hoisted(() => [] as { expr: string; options: Record<string, unknown> }[]);
vi.mock('croner', async (original) => {
  const { Cron } = await original<typeof import('croner')>();
  return {
    Cron: class extends Cron {
      constructor(expr: string, options: Record<string, unknown>) {
        made.push({ expr, options: { ...options } });
        super(expr, options);
      }
    },
  };
});

interface Row {
  readonly text: string;
  readonly tz: string;
  readonly now: string;
  readonly expect: readonly string[] | 'error';
  readonly canonical?: Readonly<Record<string, string>>;
  readonly why: string;
  /** Only in our own rows: which refusal, and words of its hint. */
  readonly code?: string;
  readonly hint?: string;
}

const rowsOf = (file: string) =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
// Further rows of the same kinds: forms by hand from the grammar, instants by a walk over Python's zoneinfo.
const rows = [...rowsOf('schedules.jsonl'), ...rowsOf('schedules-further.jsonl')];
const name = ({ text, tz, now, why }: Row) => `${JSON.stringify(text)} in ${tz} at ${now}: ${why}`;
const iso = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');
const times = rows.filter((row) => row.expect !== 'error').map((row) => [name(row), row] as const);
const errors = rows.filter((row) => row.expect === 'error').map((row) => [name(row), row] as const);

beforeEach(() => {
  made.length = 0;
});

describe(`the schedules of the corpus, tz ${process.versions['tz']} (schedule 1)`, () => {
  it('are all there', () => {
    expect([times.length, errors.length]).toEqual([104 + 133, 45 + 128]);
  });

  it.each(times)('%s', (_, row) => {
    const now = Date.parse(row.now);
    const reading = readSchedule(row.text, { now, zone: row.tz });
    if (!reading.ok) throw new Error(`refused: ${reading.refusal.code} ${reading.refusal.hint}`);
    const { schedule } = reading;
    const runs = schedule.kind === 'at' ? [schedule.at] : nextRuns(schedule, now, row.expect.length);
    expect(runs.map(iso)).toEqual(row.expect);
    const own: Record<string, unknown> = { ...schedule };
    if (schedule.kind === 'every') own['anchor'] = iso(schedule.anchorAt);
    for (const [field, value] of Object.entries(row.canonical ?? {})) expect([field, own[field]]).toEqual([field, value]);
    const rule = { paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' };
    for (const { expr, options } of made) {
      const { timezone, ...rest } = options as { timezone: string };
      expect([expr, rest]).toEqual([row.canonical?.['expr'], rule]);
      expect([schedule.tz, 'UTC']).toContain(timezone);
    }
  });

  it.each(errors)('%s', (_, row) => {
    const reading = readSchedule(row.text, { now: Date.parse(row.now), zone: row.tz });
    expect(reading).toMatchObject({ ok: false, refusal: { hint: expect.stringMatching(/\S/) as string } });
    if (!reading.ok) expect(REFUSAL_CODES).toContain(reading.refusal.code);
    const { code, hint } = row;
    if (code !== undefined)
      expect(reading).toMatchObject({ refusal: { code, hint: expect.stringContaining(hint ?? '') as string } });
    // Only a line whose fields are good may reach it, to find that it never comes.
    expect(made.map(({ expr }) => expr)).toEqual(code === 'never' ? [row.text] : []);
  });
});
