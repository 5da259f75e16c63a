import { Refused, refuse } from '../refusal.ts';
import { readZone } from '../zones.ts';
import { twoThings } from './place.ts';

const MORE =
  /^(?:[,.!?]|(?:and|then|or|until|till|for|every|each|at|on|but|from|starting|beginning|to|daily|weekly|sharp|please)\b|\d|(?:in the )?(?:morning|afternoon|evening|night)\b)/;

const OFFSET = /(?:^| )(?:utc|gmt)?[+-]\d\d?(?::?\d\d)?(?= |$)/;

/**
 * The zone that ends a phrase; undefined: nothing is left. `rest` in lower case, `typed` as the person wrote it: other words
 * after a time are another thing, unless they look like a place.
 */
export function zoneIn(rest: string, typed: string): string | undefined {
  if (rest === '') return undefined;
  if (MORE.test(rest)) twoThings();
  if (OFFSET.test(rest) && !/^(?:|utc|gmt)$/.test(rest.replace(OFFSET, '').trim())) twoZones();
  try {
    return readZone(typed);
  } catch (error) {
    const place = /^in | time$/.test(rest) || /^[A-Z]/.test(typed);
    if (error instanceof Refused && error.refusal.code === 'zone_city' && !place) twoThings();
    throw error;
  }
}

export function twoZones(): never {
  return refuse('two_zones', 'A zone is a place, because offsets hide summer time: Europe/Berlin.');
}
