import type { At } from '../../contract/schedule.ts';
import { refuse } from '../refusal.ts';
import { dayText, spanText, timeText } from '../time-words.ts';
import { isDate, type LocalTime, localAt, localOf, plusDays, resolve, utcOf, weekdayOf } from '../wall-clock.ts';
import { badTime, inDay, takeTime } from './clock-time.ts';
import { noTime, type Place, zoneOr, zoneOrUtc } from './place.ts';
import { dayNumber, WEEKDAY } from './week.ts';
import { twoZones, zoneIn } from './zone-suffix.ts';

/** An explicit instant this long ago still fires, at once. */
const JUST_NOW_MS = 60_000;
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:(?:t| )(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?(z|[+-]\d\d:\d\d)?)?(?![^ ])(.*)$/;
const WEEKDAY_ONCE = new RegExp(`^(on|next) ${WEEKDAY}(?: (.*))?$`);

/** One instant: a date, a day with a time, or a time. */
export function readOnce(text: string, typed: string, place: Place): At | undefined {
  return (
    readDate(text, typed, place) ??
    readDay(text, typed, place) ??
    readWeekday(text, typed, place) ??
    readTime(text, typed, place)
  );
}

function readDate(text: string, typed: string, place: Place): At | undefined {
  const found = ISO.exec(text);
  if (!found) return /^\d{4}-/.test(text) ? dateForm() : undefined;
  const [, year, month, day, hour, minute, second = '0', ms = '0', offset, more = ''] = found;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  if (!isDate(date.year, date.month, date.day)) refuse('no_such_date', `There is no ${year}-${month}-${day}.`);
  if (hour === undefined) return more.trim() === '' ? noTime() : dateForm();
  const time = { ...inDay(Number(hour), Number(minute)), second: Number(second), ms: Number(ms) };
  if (time.second > 59) badTime();
  const local = { ...date, ...time };
  const rest = more.trimStart();
  const named = zoneIn(rest, typed.slice(typed.length - rest.length));
  if (offset !== undefined) return named === undefined ? atOffset(local, offset, place) : twoZones();
  const zone = zoneOr(named, place);
  return notPast({ kind: 'at', at: instant(zone, local), tz: zone }, local, place.now, localAt(zone, place.now), '');
}

/** An explicit offset wins over every zone. */
function atOffset(local: LocalTime, offset: string, place: Place): At {
  const ms = offsetMs(offset);
  const once: At = { kind: 'at', at: utcOf(local) - ms, tz: zoneOrUtc(place) };
  return notPast(once, local, place.now, localOf(place.now + ms), offset.toUpperCase());
}

function offsetMs(offset: string): number {
  if (offset === 'z') return 0;
  const [hours, minutes] = offset.slice(1).split(':').map(Number) as [number, number];
  if (hours > 14 || minutes > 59) badTime();
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function notPast(once: At, local: LocalTime, now: number, today: LocalTime, offset: string): At {
  if (once.at < now - JUST_NOW_MS) {
    const { year, month, day } = plusDays({ ...today, hour: 0, minute: 0 }, 1);
    const again = [year, month, day].map((part, i) => String(part).padStart(i === 0 ? 4 : 2, '0')).join('-');
    refuse('past', `That was ${spanText(now - once.at)} ago. Did you mean ${again}T${timeText(local)}${offset}?`);
  }
  return once;
}

/** `today` never becomes tomorrow. */
function readDay(text: string, typed: string, place: Place): At | undefined {
  const [, word, rest = ''] = /^(today|tomorrow)(?: (.*))?$/.exec(text) ?? [];
  if (word === undefined) return undefined;
  const { zone, today, time } = dayOf(rest, typed, place);
  const local = plusDays({ ...today, ...time }, word === 'today' ? 0 : 1);
  return notPast({ kind: 'at', at: instant(zone, local), tz: zone }, local, place.now, today, '');
}

function readWeekday(text: string, typed: string, place: Place): At | undefined {
  const [, word, name = '', rest = ''] = WEEKDAY_ONCE.exec(text) ?? [];
  if (word === undefined) return undefined;
  const { zone, today, time } = dayOf(rest, typed, place);
  const ahead = (dayNumber(name) - weekdayOf(today) + 7) % 7;
  const local = { ...today, ...time };
  const days = ahead === 0 && (word === 'next' || earliest(zone, local) <= place.now) ? 7 : ahead;
  return { kind: 'at', at: instant(zone, plusDays(local, days)), tz: zone };
}

/** Today while it is ahead, else tomorrow. */
function readTime(text: string, typed: string, place: Place): At | undefined {
  if (!/^at(?: |$)/.test(text)) return undefined;
  const { zone, today, time } = dayOf(text, typed, place);
  const local = { ...today, ...time };
  return { kind: 'at', at: instant(zone, plusDays(local, earliest(zone, local) > place.now ? 0 : 1)), tz: zone };
}

/** Time and zone that end a phrase, and the date there now. */
function dayOf(rest: string, typed: string, place: Place) {
  const found = takeTime(rest) ?? noTime(rest);
  const zone = zoneOr(zoneIn(found.rest, typed.slice(typed.length - found.rest.length)), place);
  const time = { hour: found.hour, minute: found.minute, second: 0, ms: 0 };
  return { zone, today: localAt(zone, place.now), time };
}

/** The first instant that could be meant, gaps included. */
function earliest(tz: string, local: LocalTime): number {
  const found = resolve(tz, local);
  return found.kind === 'gap' ? found.firstValid : found.kind === 'once' ? found.at : found.first;
}

/** The instant of a wall time; a time in a gap is refused with its neighbours. */
function instant(tz: string, local: LocalTime): number {
  const found = resolve(tz, local);
  if (found.kind === 'once') return found.at;
  if (found.kind === 'twice') return found.first;
  const before = timeText(localAt(tz, found.firstValid - 60_000));
  const after = timeText(localAt(tz, found.firstValid));
  return refuse('gap', `${timeText(local)} does not exist on ${dayText(local)} in ${tz}. Say ${before} or ${after}.`);
}

export function dateForm(): never {
  return refuse('date_form', 'Write dates as 2026-12-24T18:00.');
}

export function refuseBareWeekday(text: string): void {
  const [, name, rest = ''] = new RegExp(`^(?:on |every )?${WEEKDAY}s?(?:,? (.*))?$`).exec(text) ?? [];
  if (name === undefined) return;
  const time = /^(?:at )?([\d:]+ ?(?:am|pm)?|noon|midnight)/.exec(rest)?.[1] ?? '9:00';
  refuse('bare_weekday', `Say "on ${name} at ${time}" for once, "every ${name} at ${time}" for weekly.`);
}
