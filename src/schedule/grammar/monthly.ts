import type { CronLine } from '../../contract/schedule.ts';
import { refuse } from '../refusal.ts';
import { atTime } from './daily.ts';
import { MONTHS } from './duration.ts';
import type { Place } from './place.ts';
import { dayNumber, WEEKDAY } from './week.ts';

const ORDINALS = ['first', 'second', 'third', 'fourth', 'last'];
const NTH = new RegExp(`^(first|second|third|fourth|last) ${WEEKDAY} of every month(?: (.*))?$`);

/** A day of every month, by number or by weekday, at a time of day. */
export function readMonthly(text: string, typed: string, place: Place): CronLine | undefined {
  return byNumber(text, typed, place) ?? byWeekday(text, typed, place);
}

function byNumber(text: string, typed: string, place: Place): CronLine | undefined {
  const month = /^(?:every month|monthly)(?: (.*))?$/.exec(text);
  if (!month) return undefined;
  const named = /^on the (?:(\d+)(st|nd|rd|th)|(last day))(?: (.*))?$/.exec(month[1] ?? '');
  if (!named) return refuse('month_interval', MONTHS);
  const [, number = '', suffix = '', last, rest = ''] = named;
  const day = last ? 'L' : dayIn(number, suffix);
  return atTime(rest, typed, place, (minute, hour) => `${minute} ${hour} ${day} * *`);
}

function dayIn(number: string, suffix: string): number {
  const day = Number(number);
  if (day < 1 || day > 31 || suffix !== suffixOf(day)) refuse('no_such_date', `There is no ${number}${suffix}.`);
  return day;
}

/** `st` for 1, 21 and 31, and so on. */
export function suffixOf(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

function byWeekday(text: string, typed: string, place: Place): CronLine | undefined {
  const [, nth, name, rest = ''] = NTH.exec(text) ?? [];
  if (nth === undefined || name === undefined) return undefined;
  const turn = ORDINALS.indexOf(nth) + 1;
  const day = `${dayNumber(name)}${nth === 'last' ? 'L' : `#${turn}`}`;
  return atTime(rest, typed, place, (minute, hour) => `${minute} ${hour} * * ${day}`);
}
