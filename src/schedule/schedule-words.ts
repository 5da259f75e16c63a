import type { CronLine, Schedule } from '../contract/schedule.ts';
import { isAny, numbersOf, splitCron } from './cron-fields.ts';
import { suffixOf } from './grammar/monthly.ts';
import { periodOf } from './period.ts';
import { elapsedText, instantText, timeText } from './time-words.ts';

const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const NTH = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

/** A schedule as people say it, without its zone: `every weekday at 09:00`. */
export function scheduleWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'at':
      return `once, ${instantText(schedule.tz, schedule.at)}`;
    case 'every':
      return `every ${periodWords(schedule.period)}`;
    case 'cron':
      return lineWords(schedule);
    case 'after':
      return `after each good run of job ${schedule.job}`;
  }
}

function periodWords(text: string): string {
  const period = periodOf(text);
  if ('ms' in period) return elapsedText(period.ms);
  if (period.days === 1) return 'day';
  return period.days % 7 === 0 ? weeks(period.days / 7) : `${period.days} days`;
}

function weeks(count: number): string {
  return count === 1 ? 'week' : `${count} weeks`;
}

/** Only shapes that a phrase could have made are put in words. */
function lineWords({ expr }: CronLine): string {
  const { minute, hour, day, month, weekday, both } = splitCron(expr);
  const days = both || !isAny(month) ? undefined : dayWords(day, weekday);
  if (days === undefined || !/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return `cron line ${expr}`;
  return `${days} at ${timeText({ hour: Number(hour), minute: Number(minute) })}`;
}

function dayWords(day: string, weekday: string): string | undefined {
  if (isAny(day)) return isAny(weekday) ? 'every day' : weekdayWords(weekday);
  if (!isAny(weekday)) return undefined;
  if (/^L$/i.test(day)) return 'on the last day of every month';
  return /^\d+$/.test(day) ? `on the ${Number(day)}${suffixOf(Number(day))} of every month` : undefined;
}

function weekdayWords(field: string): string | undefined {
  if (field === '1-5') return 'every weekday';
  if (field === '0,6') return 'every Saturday and Sunday';
  const nth = /^(\d)(?:#([1-5])|L)$/.exec(field);
  if (nth)
    return `every ${nth[2] === undefined ? 'last' : NTH[Number(nth[2])]} ${DAYS[Number(nth[1]) % 7]} of the month`;
  if (!/^\d(?:,\d)*$/.test(field)) return undefined;
  const names = numbersOf('weekday', field).map((one) => DAYS[one] as string);
  const last = names.pop() as string;
  return `every ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}`;
}

/** What a reader of a line would get wrong: days joined by or, months that lack a day. */
export function lineNotes(schedule: Schedule): readonly string[] {
  if (schedule.kind !== 'cron') return [];
  const { day, weekday, both } = splitCron(schedule.expr);
  const notes: string[] = [];
  if (!isAny(day) && !isAny(weekday) && !both)
    notes.push(`Runs ${dayPart(day)} **or** ${weekdayPart(weekday)}, not only where both fit.`);
  const days = isAny(day) ? [] : numbersOf('day', day);
  if (days.length > 0 && days.every((one) => one >= 29))
    notes.push(`Only in months that have a ${days.map((one) => `${one}${suffixOf(one)}`).join(' or ')}.`);
  return notes;
}

function dayPart(day: string): string {
  return /^\d+$/.test(day) ? `on the ${Number(day)}${suffixOf(Number(day))}` : `on days ${day}`;
}

function weekdayPart(weekday: string): string {
  const days = numbersOf('weekday', weekday);
  return days.length === 0 ? `on ${weekday}` : `any ${days.map((one) => DAYS[one]).join(' or ')}`;
}
