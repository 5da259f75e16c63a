import { Cron } from 'croner';
import type { CronLine, Every, Timed } from '../contract/schedule.ts';
import { isFixedTime } from './cron-fields.ts';
import { periodOf } from './period.ts';
import { type LocalTime, localAt, localOf, plusDays, resolve, utcOf } from './wall-clock.ts';

/** One instance costs 81 KB; 10,000 jobs may not cost 820 MB. */
const MOST_LINES = 200;
const lines = new Map<string, Cron>();
const DAY_MS = 86_400_000;
const LONGEST_OVERLAP_MS = 3 * 3_600_000;

/** The first run strictly after an instant; null: there is none. Throws when the calculation does not move on. */
export function nextRun(schedule: Timed, after: number): number | null {
  switch (schedule.kind) {
    case 'at':
      return schedule.at > after ? schedule.at : null;
    case 'every':
      return nextOfInterval(schedule, after);
    case 'cron':
      return nextOfLine(schedule, after);
  }
}

/** The first runs after an instant, at most `count`. */
export function nextRuns(schedule: Timed, after: number, count: number): readonly number[] {
  const runs: number[] = [];
  for (let from = after; runs.length < count; ) {
    const next = nextRun(schedule, from);
    if (next === null) break;
    runs.push(next);
    from = next;
  }
  return runs;
}

/** The last run at or before an instant; of an interval not before its first. Null: there is none. */
export function lastRun(schedule: Timed, upTo: number): number | null {
  switch (schedule.kind) {
    case 'at':
      return schedule.at <= upTo ? schedule.at : null;
    case 'every':
      return lastOfInterval(schedule, upTo);
    case 'cron':
      return lastOfLine(schedule, upTo);
  }
}

function nextOfInterval(every: Every, after: number): number {
  const period = periodOf(every.period);
  if ('ms' in period) {
    const passed = Math.floor((after - every.anchorAt) / period.ms);
    return every.anchorAt + Math.max(1, passed + 1) * period.ms;
  }
  let count = Math.max(1, passedDays(every, after, period.days));
  while (runOf(every, count * period.days) <= after) count++;
  return runOf(every, count * period.days);
}

function lastOfInterval(every: Every, upTo: number): number | null {
  const period = periodOf(every.period);
  if ('ms' in period) {
    const passed = Math.floor((upTo - every.anchorAt) / period.ms);
    return passed < 1 ? null : every.anchorAt + passed * period.ms;
  }
  let count = passedDays(every, upTo, period.days) + 2;
  while (count >= 1 && runOf(every, count * period.days) > upTo) count--;
  return count < 1 ? null : runOf(every, count * period.days);
}

/** Whole periods between the anchor and an instant, at most one too few. */
function passedDays({ anchorAt }: Every, at: number, days: number): number {
  return Math.floor((at - anchorAt) / (days * DAY_MS)) - 1;
}

/** The anchor's wall clock `days` later: in a gap its first valid instant, in an overlap the first pass. */
function runOf({ anchorAt, tz }: Every, days: number): number {
  return firstInstant(tz, plusDays(localAt(tz, anchorAt), days));
}

function firstInstant(tz: string, local: LocalTime): number {
  const found = resolve(tz, local);
  if (found.kind === 'gap') return found.firstValid;
  return found.kind === 'once' ? found.at : found.first;
}

/**
 * croner counts the matching wall times. A fixed time that is skipped or comes twice is an instant by the rule of `runOf`;
 * other lines follow elapsed time, which croner knows.
 */
function nextOfLine(line: CronLine, after: number): number | null {
  if (!isFixedTime(line.expr)) return forward(line, after);
  const { tz } = line;
  const onWall = { ...line, tz: 'UTC' };
  let wall: number | null = utcOf(localAt(tz, after));
  for (;;) {
    wall = forward(onWall, wall);
    if (wall === null) return null;
    const at = firstInstant(tz, localOf(wall));
    if (at > after) return at;
  }
}

function lastOfLine(line: CronLine, upTo: number): number | null {
  if (!isFixedTime(line.expr)) return back(line, upTo);
  const { tz } = line;
  const onWall = { ...line, tz: 'UTC' };
  let wall: number | null = utcOf(localAt(tz, upTo)) + LONGEST_OVERLAP_MS;
  for (;;) {
    wall = back(onWall, wall);
    if (wall === null) return null;
    const at = firstInstant(tz, localOf(wall));
    if (at <= upTo) return at;
    wall -= 1;
  }
}

function forward(line: CronLine, after: number): number | null {
  const next = cronOf(line).nextRun(new Date(after))?.getTime() ?? null;
  if (next !== null && next <= after)
    throw new Error(`the next run of "${line.expr}" in ${line.tz} does not lie after ${new Date(after).toISOString()}`);
  return next;
}

function back(line: CronLine, upTo: number): number | null {
  return (
    cronOf(line)
      .previousRuns(1, new Date(upTo + 1))[0]
      ?.getTime() ?? null
  );
}

/** croner only calculates here: no callback, no timer, no option of its own but those. */
function cronOf({ expr, tz }: CronLine): Cron {
  const key = `${tz} ${expr}`;
  const known = lines.get(key);
  const line = known ?? new Cron(expr, { paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard', timezone: tz });
  lines.delete(key);
  lines.set(key, line);
  if (lines.size > MOST_LINES) lines.delete(lines.keys().next().value as string);
  return line;
}
