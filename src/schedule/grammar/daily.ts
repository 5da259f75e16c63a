import type { CronLine } from '../../contract/schedule.ts';
import { takeTime } from './clock-time.ts';
import { noTime, type Place, zoneOr } from './place.ts';
import { takeDays } from './week.ts';
import { zoneIn } from './zone-suffix.ts';

/** Days of the week at a time of day. `typed`: the phrase as the person wrote it. */
export function readDaily(text: string, typed: string, place: Place): CronLine | undefined {
  const named = takeDayset(text);
  if (!named) return undefined;
  return atTime(named.rest, typed, place, (minute, hour) => `${minute} ${hour} * * ${named.days}`);
}

/** A line of cron from the time and the zone that end a phrase. */
export function atTime(
  rest: string,
  typed: string,
  place: Place,
  line: (minute: number, hour: number) => string,
): CronLine {
  const time = takeTime(rest) ?? noTime(rest);
  const zone = zoneIn(time.rest, typed.slice(typed.length - time.rest.length));
  return { kind: 'cron', expr: line(time.minute, time.hour), tz: zoneOr(zone, place) };
}

/** The weekday field and what follows the days. */
function takeDayset(text: string): { readonly days: string; readonly rest: string } | undefined {
  const set = /^(?:(?:every day|daily)|(?:every )?(weekdays|weekends)|every (weekday|weekend))(?: (.*))?$/.exec(text);
  if (set) return { days: fieldOf(set[1] ?? set[2]), rest: set[3] ?? '' };
  const found = text.startsWith('every ') ? takeDays(text.slice('every '.length), false) : takeDays(text, true);
  return found && { days: found.days.join(','), rest: found.rest };
}

function fieldOf(set: string | undefined): string {
  if (set === undefined) return '*';
  return set.startsWith('weekday') ? '1-5' : '0,6';
}
