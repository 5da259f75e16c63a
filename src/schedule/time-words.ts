import { type LocalTime, localAt, offsetAt, weekdayOf } from './wall-clock.ts';

const DAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const two = (value: number): string => String(value).padStart(2, '0');

/** `09:05`; seconds only where there are any. */
export function timeText({ hour, minute, second = 0 }: Pick<LocalTime, 'hour' | 'minute' | 'second'>): string {
  return `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
}

/** `Mon 30 Nov 2026`. */
export function dayText(local: LocalTime): string {
  return `${DAYS[weekdayOf(local)]} ${local.day} ${MONTHS[local.month - 1]} ${local.year}`;
}

/** `+01:00`. */
export function offsetText(ms: number): string {
  const minutes = Math.abs(Math.round(ms / 60_000));
  return `${ms < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `Mon 30 Nov 2026 09:00 (+01:00)`: an instant where somebody is. */
export function instantText(tz: string, at: number): string {
  const local = localAt(tz, at);
  return `${dayText(local)} ${timeText(local)} (${offsetText(offsetAt(tz, at))})`;
}

/** `15 min`, `1 h 30 min`, `36 h`, `1 min 30 s`: to the second, and never days, which summer time changes. */
export function elapsedText(ms: number): string {
  const s = Math.round(ms / 1000);
  const parts = [
    [Math.floor(s / 3600), 'h'],
    [Math.floor(s / 60) % 60, 'min'],
    [s % 60, 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.length === 0 ? '0 s' : shown.join(' ');
}

/** `45 s`, `3 min`, `2 h 5 min`, `3 d 4 h`, `2 years`. */
export function spanText(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`;
  const d = Math.floor(h / 24);
  if (d > 730) return `${Math.floor(d / 365)} years`;
  return h % 24 === 0 ? `${d} d` : `${d} d ${h % 24} h`;
}
