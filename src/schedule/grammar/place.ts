import { refuse } from '../refusal.ts';

/** What a phrase is read against. */
export interface Place {
  readonly now: number;
  /** The zone beside the phrase, spelled as in the list; undefined: none is known. May refuse; asked only when it matters. */
  zone(): string | undefined;
}

/** The zone of a wall clock: the phrase's own, else the one beside it. */
export function zoneOr(own: string | undefined, place: Place): string {
  return own ?? place.zone() ?? refuse('zone_needed', 'I do not know your time zone. Say: /jobs zone Europe/Berlin');
}

/** The zone of what no wall clock decides. */
export function zoneOrUtc(place: Place): string {
  return place.zone() ?? 'UTC';
}

export function twoThings(): never {
  return refuse('two_things', 'One schedule per job; a count goes into "repeat".');
}

/** `rest`: what stands where the time was looked for. A time behind other words is a phrase we do not know. */
export function noTime(rest = ''): never {
  if (/\d|\bnoon\b|\bmidnight\b/.test(rest)) unknown();
  return refuse('no_time', 'At which time? For example "… at 9:00".');
}

export function unknown(): never {
  return refuse('unknown', 'I read only a little English here; ask me in a sentence and I will set it up.');
}
