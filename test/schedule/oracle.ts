/** A second opinion on cron lines: walks the minutes of a zone's clock. Shares nothing with what it judges. */

export interface Minute {
  /** UTC ms. */
  readonly at: number;
  readonly day: string;
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
}

const NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Every minute of a zone from `from` up to `to`, as its clock shows them. */
export function minutesOf(tz: string, from: number, to: number): readonly Minute[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: tz, hourCycle: 'h23', weekday: 'short', year: 'numeric', month: '2-digit' },
    ...{ day: '2-digit', hour: '2-digit', minute: '2-digit' },
  } as Intl.DateTimeFormatOptions);
  const shown = (at: number): Minute => {
    const found = /^(\w+), (\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/.exec(format.format(at)) as RegExpExecArray;
    const [, name, date, month, year, hour, minute] = found;
    const numbers = { month: Number(month), date: Number(date), hour: Number(hour), minute: Number(minute) };
    return { at, day: `${year}-${month}-${date}`, weekday: NAMES.indexOf(name as string), ...numbers };
  };
  const minutes: Minute[] = [];
  for (let at = from; at < to; at += HOUR) minutes.push(...hourOf(shown, at));
  return minutes.filter(({ at }) => at < to);
}

/** Sixty minutes. Where the last is shown an hour's length behind the first on the same day, those between run on evenly. */
function hourOf(shown: (at: number) => Minute, from: number): readonly Minute[] {
  const times = Array.from({ length: 60 }, (_, i) => i);
  const [first, last] = [shown(from), shown(from + HOUR - 60_000)];
  const start = first.hour * 60 + first.minute;
  if (first.day !== last.day || last.hour * 60 + last.minute !== start + 59)
    return times.map((i) => shown(from + i * 60_000));
  return times.map((i) => ({
    ...first,
    at: from + i * 60_000,
    hour: Math.floor((start + i) / 60),
    minute: (start + i) % 60,
  }));
}

const HOUR = 3_600_000;
const STEP = 6 * 3_600_000;

/** Instants at which the clock of a zone is set, to the half hour. */
export function changesOf(tz: string, from: number, to: number): readonly number[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: tz, timeZoneName: 'longOffset' });
  const offset = (at: number) => format.format(at).split('GMT')[1];
  const found: number[] = [];
  let before = offset(from);
  for (let at = from + STEP; at < to; at += STEP) {
    const now = offset(at);
    if (now === before) continue;
    let exact = at;
    while (offset(exact - 1_800_000) === now) exact -= 1_800_000;
    found.push(exact);
    before = now;
  }
  return found;
}

/** A line in parts, as the test made it: what each field admits. */
export interface Wanted {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Undefined: any. */
  readonly date?: ((day: string) => ReadonlySet<number>) | undefined;
  readonly weekday?: ((minute: Minute) => boolean) | undefined;
  readonly both: boolean;
  /** No star and no step in minute and hour. */
  readonly fixed: boolean;
}

/** A local day, minute by minute. */
export interface Day {
  readonly minutes: readonly Minute[];
  /** By minute of the day: the first instant at which the clock shows it. */
  readonly first: ReadonlyMap<number, number>;
}

/** All runs within walked days; the outermost days may be cut, so nothing near the edges counts. */
export function runsIn(days: readonly Day[], wanted: Wanted): readonly number[] {
  const fitting = days.filter(
    ({ minutes: [one] }) => one !== undefined && wanted.months.has(one.month) && dayFits(one, wanted),
  );
  const runs = fitting.flatMap((day) => (wanted.fixed ? fixedRuns(day, wanted) : everyRun(day, wanted)));
  return [...new Set(runs)].sort((a, b) => a - b);
}

function everyRun({ minutes }: Day, wanted: Wanted): readonly number[] {
  const due = minutes.filter((one) => wanted.minutes.has(one.minute) && wanted.hours.has(one.hour));
  return due.map(({ at }) => at);
}

/** First pass where a time comes twice, the end of the gap where it does not come. */
function fixedRuns({ minutes, first }: Day, { hours, minutes: wanted }: Wanted): readonly number[] {
  const times = [...hours].flatMap((hour) => [...wanted].map((minute) => hour * 60 + minute));
  return times.map((time) => {
    const later = () => minutes.find((one) => one.hour * 60 + one.minute > time);
    return first.get(time) ?? later()?.at ?? (minutes.at(-1) as Minute).at + 60_000;
  });
}

function dayFits(one: Minute, { date, weekday, both }: Wanted): boolean {
  const byDate = date?.(one.day).has(one.date);
  const byWeekday = weekday?.(one);
  if (byDate === undefined || byWeekday === undefined) return byDate ?? byWeekday ?? true;
  return both ? byDate && byWeekday : byDate || byWeekday;
}

export function daysOf(minutes: readonly Minute[]): readonly Day[] {
  const days = new Map<string, { minutes: Minute[]; first: Map<number, number> }>();
  for (const one of minutes) {
    const day = days.get(one.day) ?? { minutes: [] as Minute[], first: new Map<number, number>() };
    days.set(one.day, day);
    day.minutes.push(one);
    const time = one.hour * 60 + one.minute;
    if (!day.first.has(time)) day.first.set(time, one.at);
  }
  return [...days.values()];
}
