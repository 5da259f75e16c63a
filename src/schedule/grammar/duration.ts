import type { At, Every } from '../../contract/schedule.ts';
import { refuse } from '../refusal.ts';
import { type Place, twoThings, zoneOr, zoneOrUtc } from './place.ts';

type Unit = 's' | 'm' | 'h' | 'd' | 'w';

interface Part {
  readonly count: number;
  readonly unit: Unit;
}

const WORDS: Readonly<Record<Unit, string>> = {
  s: 's sec secs second seconds',
  m: 'm min mins minute minutes',
  h: 'h hr hrs hour hours',
  d: 'd day days',
  w: 'w wk wks week weeks',
};
const ORDER: readonly Unit[] = ['w', 'd', 'h', 'm', 's'];
const SECONDS: Readonly<Record<Unit, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const LAST_MS = 8.64e15;
const YEAR_MS = 31_556_952_000;

/** `in 2h`: that much time from now, whatever clocks do meanwhile. */
export function readRelative(text: string, place: Place): At | undefined {
  const rest = /^in(?: (.*))?$/.exec(text);
  if (!rest) return undefined;
  const parts = wholeDuration(rest[1] ?? '');
  return { kind: 'at', at: reachable(place.now, secondsIn(parts)), tz: zoneOrUtc(place) };
}

/** `every 90 minutes`, `every 3 days`, `every week`, `hourly`. Calendar days keep a wall clock, so they need a zone. */
export function readInterval(text: string, place: Place): Every | undefined {
  const period = text === 'hourly' ? 'PT1H' : periodIn(text);
  if (period === undefined) return undefined;
  const tz = period.startsWith('PT') ? zoneOrUtc(place) : zoneOr(undefined, place);
  return { kind: 'every', period, anchorAt: place.now, tz };
}

/** A duration that stands alone says neither once nor again and again. */
export function refuseBareDuration(text: string): void {
  const parts = leading(text);
  if (parts && parts.rest === '' && fault(parts.found) === undefined)
    refuse('bare_duration', `Once or again and again? Say "in ${text}" or "every ${text}".`);
  if (parts || /^\d[\d.]* ?[a-z]+$/.test(text)) badDuration();
}

function periodIn(text: string): string | undefined {
  const rest = /^every(?: (.*))?$/.exec(text)?.[1];
  if (text === 'every') badDuration();
  if (rest === undefined) return undefined;
  const single = /^(second|minute|hour|day|week)$/.exec(rest);
  if (single) return isoOf([{ count: 1, unit: (single[1] as string)[0] as Unit }]);
  if (/^\d+ ?(?:months?|years?|quarters?)\b|^(?:month|year|quarter)$/.test(rest)) refuse('month_interval', MONTHS);
  if (NUMBER_WORDS.test(rest)) badDuration();
  return /^[-+.\d]/.test(rest) ? isoOf(wholeDuration(rest)) : undefined;
}

const NUMBER_WORDS =
  /^(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|sixty|ninety|half|quarter|few|couple)\b.*\b(?:seconds?|minutes?|hours?|days?|weeks?)$/;

export const MONTHS = 'Say "every month on the 1st at 9:00", or use a cron line.';

/** Days and weeks count calendar days; clock units are kept as typed. */
function isoOf(parts: readonly Part[]): string {
  const days = parts.filter(({ unit }) => unit === 'd' || unit === 'w');
  if (days.length === 0) return `PT${parts.map(({ count, unit }) => `${count}${unit.toUpperCase()}`).join('')}`;
  if (days.length < parts.length) refuse('mixed_units', `Say "every ${clockUnits(parts)}", or name a time of day.`);
  return `P${secondsIn(parts) / SECONDS.d}D`;
}

function clockUnits(parts: readonly Part[]): string {
  const total = secondsIn(parts);
  const unit = (['h', 'm', 's'] as const).find((one) => total % SECONDS[one] === 0) ?? 's';
  return `${total / SECONDS[unit]}${unit}`;
}

function wholeDuration(text: string): readonly Part[] {
  const parts = leading(text);
  if (!parts || fault(parts.found) !== undefined) return badDuration();
  if (parts.rest === '') return parts.found;
  return /^(?:and\b|[\d.,+-])/.test(parts.rest) ? badDuration() : twoThings();
}

/** The number-unit pairs a text begins with. */
function leading(text: string): { readonly found: readonly Part[]; readonly rest: string } | undefined {
  const found: Part[] = [];
  const pair = /(\d+) ?([a-z]+) ?/y;
  let end = 0;
  for (let match = pair.exec(text); match; match = pair.exec(text)) {
    const unit = ORDER.find((one) => WORDS[one].split(' ').includes(match?.[2] as string));
    if (unit === undefined) return undefined;
    found.push({ count: Number(match[1]), unit });
    end = pair.lastIndex;
  }
  return found.length === 0 ? undefined : { found, rest: text.slice(end) };
}

/** Whole numbers from 1, largest unit first, each once. */
function fault(parts: readonly Part[]): string | undefined {
  const places = parts.map(({ unit }) => ORDER.indexOf(unit));
  const falls = places.every((place, i) => i === 0 || place > (places[i - 1] as number));
  return falls && parts.every(({ count }) => count >= 1) ? undefined : 'order or zero';
}

function badDuration(): never {
  return refuse('duration', 'Whole numbers with s, m, h, d, w, largest first: 1h30m. For 1.5h say 90m.');
}

function secondsIn(parts: readonly Part[]): number {
  return parts.reduce((sum, { count, unit }) => sum + count * SECONDS[unit], 0);
}

/** Dates end in the year 275760; nobody waits that long anyway. */
function reachable(now: number, seconds: number): number {
  const at = now + seconds * 1000;
  if (at > LAST_MS) refuse('horizon', `The first run would be in ${Math.floor(1970 + at / YEAR_MS)}.`);
  return at;
}
