import type { Minute, Wanted } from './oracle.ts';

const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** A small generator with a seed, so that a failure can be seen again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  readonly starred: boolean;
}

/** A cron line and what it means, made side by side. Hours lie near the times at which clocks are set. */
export function randomLine(random: () => number): { readonly expr: string; readonly wanted: Wanted } {
  const minute = field(random, 0, 59, [0, 0, 30, 15, 45, 59, 1]);
  const hour = field(random, 0, 23, [0, 1, 2, 3, 4, 23, 12]);
  const date = random() < 0.35 ? dateField(random) : undefined;
  const weekday = random() < 0.35 ? weekdayField(random) : undefined;
  const both = weekday !== undefined && random() < 0.3;
  const parts = [
    minute.text,
    hour.text,
    date?.text ?? '*',
    '*',
    `${both ? '+' : ''}${weekday?.text ?? (random() < 0.2 ? '?' : '*')}`,
  ];
  const months = new Set(Array.from({ length: 12 }, (_, i) => i + 1));
  const fixed = !minute.starred && !hour.starred;
  const wanted = {
    minutes: minute.values,
    hours: hour.values,
    months,
    date: date?.of,
    weekday: weekday?.fits,
    both,
    fixed,
  };
  return { expr: parts.join(' '), wanted };
}

function field(random: () => number, lo: number, hi: number, liked: readonly number[]): Field {
  const all = (from: number, to: number, step = 1) => {
    const count = Math.floor((to - from) / step) + 1;
    return Array.from({ length: count }, (_, i) => from + i * step);
  };
  const pick = () =>
    random() < 0.7 ? (liked[Math.floor(random() * liked.length)] as number) : lo + Math.floor(random() * (hi - lo + 1));
  const kind = random();
  if (kind < 0.15) return { text: '*', values: new Set(all(lo, hi)), starred: true };
  if (kind < 0.3) {
    const step = 1 + Math.floor(random() * (hi - lo));
    return { text: `*/${step}`, values: new Set(all(lo, hi, step)), starred: true };
  }
  if (kind < 0.45) {
    const [from, to] = [pick(), pick()].sort((a, b) => a - b) as [number, number];
    const step = random() < 0.3 && to > from ? 1 + Math.floor(random() * (to - from)) : undefined;
    const text = `${from}-${to}${step === undefined ? '' : `/${step}`}`;
    return { text, values: new Set(all(from, to, step)), starred: step !== undefined };
  }
  const values = Array.from({ length: kind < 0.6 ? 1 + Math.floor(random() * 3) : 1 }, pick);
  return { text: values.join(','), values: new Set(values), starred: false };
}

function dateField(random: () => number): { text: string; of: (day: string) => ReadonlySet<number> } {
  const day = 1 + Math.floor(random() * 31);
  switch (Math.floor(random() * 5)) {
    case 0:
      return { text: 'L', of: (date) => new Set([last(date)]) };
    case 1:
      return { text: `${day}W`, of: (date) => new Set(day > last(date) ? [] : [nearWeekday(date, day)]) };
    case 2:
      return { text: 'LW', of: (date) => new Set([nearWeekday(date, last(date))]) };
    case 3:
      return { text: `${day}-31`, of: () => new Set(Array.from({ length: 32 - day }, (_, i) => day + i)) };
    default:
      return { text: String(day), of: () => new Set([day]) };
  }
}

function weekdayField(random: () => number): { text: string; fits: (minute: Minute) => boolean } {
  const day = Math.floor(random() * 7);
  const name = random() < 0.5 ? (DAYS[day] as string) : String(day === 0 && random() < 0.5 ? 7 : day);
  switch (Math.floor(random() * 5)) {
    case 0: {
      const nth = 1 + Math.floor(random() * 5);
      return { text: `${name}#${nth}`, fits: (one) => one.weekday === day && Math.ceil(one.date / 7) === nth };
    }
    case 1:
      return {
        text: `${name}${random() < 0.5 ? 'L' : '#L'}`,
        fits: (one) => one.weekday === day && one.date + 7 > last(one.day),
      };
    case 2:
      return { text: 'FRI-SUN', fits: (one) => [5, 6, 0].includes(one.weekday) };
    default:
      return { text: name, fits: (one) => one.weekday === day };
  }
}

function last(date: string): number {
  const [year, month] = date.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** The weekday nearest a date, without leaving its month. */
function nearWeekday(date: string, day: number): number {
  const [year, month] = date.split('-').map(Number) as [number, number];
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === last(date) ? day - 2 : day + 1;
  return day;
}
