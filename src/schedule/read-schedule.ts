import type { Timed } from '../contract/schedule.ts';
import { numbersOf, readCron, splitCron } from './cron-fields.ts';
import { suffixOf } from './grammar/monthly.ts';
import { dateForm } from './grammar/once.ts';
import { type Place, zoneOr, zoneOrUtc } from './grammar/place.ts';
import { readText, tidy } from './grammar.ts';
import { readPeriod } from './period.ts';
import { type Refusal, Refused, refuse } from './refusal.ts';
import { daysIn, localOf, utcOf } from './wall-clock.ts';
import { nextRuns } from './when.ts';
import { readZone } from './zones.ts';

/** Bounds of a schedule: `cron.min_interval_s`, `cron.horizon_years`. */
export interface ScheduleLimits {
  readonly minIntervalS: number;
  readonly horizonYears: number;
}

export const DEFAULT_LIMITS: ScheduleLimits = { minIntervalS: 60, horizonYears: 10 };

export type ZoneSource = 'phrase' | 'argument' | 'person' | 'chat' | 'config' | 'none';

/** What a text is read against. */
export interface ReadOptions {
  readonly now: number;
  /** A zone beside the text, as somebody wrote it: a name or a city. Used unless the text names one. */
  readonly zone?: string | undefined;
  /** The zone of the person, the chat or the configuration, known to be good. */
  readonly fallback?: { readonly tz: string; readonly source: ZoneSource } | undefined;
  readonly limits?: ScheduleLimits;
}

export type Reading =
  | {
      readonly ok: true;
      readonly schedule: Timed;
      readonly zoneSource: ZoneSource;
      /** The next ten runs at most. An instant of the last minute stands here though it lies before `now`. */
      readonly next: readonly number[];
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** A schedule in parts, as the agent gives it. Same checks as a text. */
export type Structured =
  | { readonly at: string; readonly tz?: string | undefined }
  | { readonly every: string; readonly tz?: string | undefined }
  | { readonly cron: string; readonly tz?: string | undefined };

const RUNS = 10;

/** A person's phrase as a schedule with its next runs, or the refusal with its hint. Never throws. */
export function readSchedule(text: string, options: ReadOptions): Reading {
  return reading(options, (place) => readText(text, place));
}

export function readStructured(parts: Structured, options: ReadOptions): Reading {
  const zone = parts.tz ?? options.zone;
  return reading({ ...options, zone }, (place) => fromParts(parts, place));
}

function fromParts(parts: Structured, place: Place): Timed {
  if ('cron' in parts) return { kind: 'cron', expr: readCron(tidy(parts.cron)), tz: zoneOr(undefined, place) };
  if ('at' in parts) return dateOnly(readText(parts.at, place), parts.at);
  const period = readPeriod(parts.every) ?? refuse('duration', 'Periods look like P1D, P2W, PT90M or PT1H30M.');
  const base = { kind: 'every', anchorAt: place.now } as const;
  if ('ms' in period) return { ...base, period: parts.every, tz: zoneOrUtc(place) };
  return { ...base, period: `P${period.days}D`, tz: zoneOr(undefined, place) };
}

function dateOnly(read: Timed, text: string): Timed {
  return read.kind === 'at' && /^\d{4}-/.test(text.trim()) ? read : dateForm();
}

function reading(
  { now, zone, fallback, limits = DEFAULT_LIMITS }: ReadOptions,
  read: (place: Place) => Timed,
): Reading {
  let zoneSource: ZoneSource = 'phrase';
  const given = () => {
    zoneSource = zone === undefined ? (fallback?.source ?? 'none') : 'argument';
    return zone === undefined ? fallback?.tz : readZone(zone);
  };
  try {
    const schedule = read({ now, zone: given });
    return { ok: true, schedule, zoneSource, next: checked(schedule, now, limits) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

/** The next runs, or a refusal: none at all, too far away, too close together. */
function checked(schedule: Timed, now: number, { minIntervalS, horizonYears }: ScheduleLimits): readonly number[] {
  if (schedule.kind === 'at' && schedule.at <= now) return [schedule.at];
  const [first] = nextRuns(schedule, now, 1);
  if (first === undefined) return refuse('never', neverText(schedule));
  const { year, ...rest } = localOf(now);
  if (first > utcOf({ ...rest, year: year + horizonYears }))
    refuse('horizon', `The first run would be in ${new Date(first).getUTCFullYear()}.`);
  const next = nextRuns(schedule, now, RUNS);
  const close = next.some((at, i) => i > 0 && at - (next[i - 1] as number) < minIntervalS * 1000);
  return close ? refuse('too_often', `Runs must be at least ${minIntervalS} s apart.`) : next;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Which month of the line lacks which day. */
function neverText(schedule: Timed): string {
  if (schedule.kind !== 'cron') return 'That day never comes.';
  const { day, month } = splitCron(schedule.expr);
  const [wanted] = numbersOf('day', day);
  const lacking = numbersOf('month', month).find((one) => wanted !== undefined && wanted > daysIn(2028, one));
  if (wanted === undefined || lacking === undefined) return 'That day never comes.';
  return `That day never comes: ${MONTHS[lacking - 1]} has no ${wanted}${suffixOf(wanted)}.`;
}
