/** A date and time as a clock on a wall shows it, without a zone. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second?: number;
  readonly ms?: number;
}

/** What instants a wall time stands for: none in a gap, two in an overlap. */
export type Resolved =
  | { readonly kind: 'once'; readonly at: number }
  /** `firstValid`: the first instant after the gap. */
  | { readonly kind: 'gap'; readonly firstValid: number }
  | { readonly kind: 'twice'; readonly first: number; readonly second: number };

const DAY_MS = 86_400_000;
const MOST_FORMATS = 100;
/** `11/30/2026, 09:00:00` */
const SHOWN = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/;
type Shown = [unknown, number, number, number, number, number, number];
const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds to add to UTC for the wall clock of `tz` at an instant. */
export function offsetAt(tz: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  return utcOf(localAt(tz, second)) - second;
}

/** What the wall clock of `tz` shows at an instant, to the second. */
export function localAt(tz: string, at: number): Required<LocalTime> {
  const shown = SHOWN.exec(formatOf(tz).format(at)) as RegExpExecArray;
  const [, month, day, year, hour, minute, second] = shown.map(Number) as Shown;
  return { year, month, day, hour, minute, second, ms: ((at % 1000) + 1000) % 1000 };
}

/** The wall time read as if it were UTC: comparable, countable, no instant. */
export function utcOf({ year, month, day, hour, minute, second = 0, ms = 0 }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** The wall time of what `utcOf` returned. */
export function localOf(utc: number): Required<LocalTime> {
  const date = new Date(utc);
  return {
    ...{ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() },
    ...{ hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() },
    ms: date.getUTCMilliseconds(),
  };
}

/** 0 is Sunday. */
export function weekdayOf(local: LocalTime): number {
  return new Date(utcOf(local)).getUTCDay();
}

/** The same wall time `days` later, whatever the clocks do meanwhile. */
export function plusDays(local: LocalTime, days: number): Required<LocalTime> {
  return localOf(utcOf(local) + days * DAY_MS);
}

export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** The instants at which the clock of `tz` shows `local`. */
export function resolve(tz: string, local: LocalTime): Resolved {
  const wall = utcOf(local);
  const offsets = new Set([offsetAt(tz, wall - DAY_MS), offsetAt(tz, wall + DAY_MS)]);
  const found = [...offsets].map((offset) => wall - offset).filter((at) => at + offsetAt(tz, at) === wall);
  const [first, second] = found.sort((a, b) => a - b);
  if (first === undefined) return { kind: 'gap', firstValid: changeBefore(tz, wall - Math.min(...offsets)) };
  return second === undefined ? { kind: 'once', at: first } : { kind: 'twice', first, second };
}

/** The instant at which the offset of `at` began to hold, looking back two days. */
function changeBefore(tz: string, at: number): number {
  const offset = offsetAt(tz, at);
  let [before, after] = [at - 2 * DAY_MS, at];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(tz, middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}

function formatOf(tz: string): Intl.DateTimeFormat {
  const known = formats.get(tz);
  if (known) return known;
  if (formats.size >= MOST_FORMATS) formats.delete(formats.keys().next().value as string);
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: tz, ...day, ...time });
  formats.set(tz, made);
  return made;
}
