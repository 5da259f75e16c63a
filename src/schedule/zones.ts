import { nearest } from '../contract/nearest.ts';
import { refuse } from './refusal.ts';
import { ZONE_LIST } from './zone-list.ts';

/** Areas whose names end in a city; the Australian ones that are states do not count. */
const AREAS = new Set('Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific'.split(' '));
const STATES = new Set(
  'ACT NSW North Queensland South Tasmania Victoria West'.split(' ').map((name) => `Australia/${name}`),
);
const UTC_NAMES = new Set(['utc', 'gmt', 'etc/utc', 'etc/gmt']);
const ABBREVIATIONS = new Set(
  `acdt acst adt aedt aest akdt akst art ast awst brt bst cat cdt cest cet clt cst ct eat edt eest eet est et gst hkt hst ict
  ist jst kst mdt msk mst mt ndt npt nst nzdt nzst pdt pht pkt pst pt sast sgt wat west wet wib z local my here uk us usa eu eastern central mountain pacific`.split(
    /\s+/,
  ),
);

const families = ZONE_LIST.trim()
  .split('\n')
  .map((row) => row.split(' '));
/** Every name in lower case, with its spelling. */
const names = new Map(families.flat().map((name) => [name.toLowerCase(), name]));
const cities = readCities();
const allCities = [...cities.keys()];

/** What a zone was asked for and the name that is stored; refuses with a code and a hint. A name or a city. */
export function readZone(text: string): string {
  const asked = text.trim().replace(/[ \t]+/g, ' ');
  const word = asked.toLowerCase();
  if (word === '') refuse('zone_empty', PLACE);
  if (UTC_NAMES.has(word)) return 'UTC';
  if (isOffset(word)) refuse('zone_offset', PLACE);
  if (word.includes('/')) return named(word);
  const city = word.replace(/^in (?:the )?/, '').replace(/ time$/, '');
  const zone = cityZone(city);
  if (zone !== undefined) return zone;
  if (names.has(city) || ABBREVIATIONS.has(city))
    refuse('zone_abbreviation', `"${asked}" means different places. Say a city, for example "9am London time".`);
  return refuse(
    'zone_city',
    closest(cities.get(city) ?? nearest(city, allCities, 3).flatMap((near) => cities.get(near) ?? [])),
  );
}

/** The stored spelling of an exact zone name, or undefined. */
export function findZone(name: string): string | undefined {
  const word = name.toLowerCase();
  if (UTC_NAMES.has(word)) return 'UTC';
  const known = word.startsWith('etc/') || !word.includes('/') ? undefined : names.get(word);
  return known !== undefined && constructs(known) ? known : undefined;
}

/** `+02:00`, `GMT+2`, `Etc/GMT+2`: a place is wanted, not a distance. */
export function isOffset(word: string): boolean {
  return /^(?:utc|gmt|etc\/gmt)? ?[+-]\d/i.test(word);
}

const PLACE = 'A zone is a place, because offsets hide summer time: Europe/Berlin.';

function named(word: string): string {
  return findZone(word) ?? refuse('zone_unknown', closest(nearest(word, placeNames(), 3)));
}

/** The one zone of a city; undefined: none, or several. */
function cityZone(city: string): string | undefined {
  const found = cities.get(city) ?? [];
  const zones = new Set(found.map((name) => familyOf(name)[0]));
  if (zones.size !== 1) return undefined;
  const [zone] = zones;
  const name = found.find((one) => one === zone) ?? found[0];
  return name !== undefined && constructs(name) ? name : undefined;
}

function familyOf(name: string): readonly string[] {
  return families.find((family) => family.includes(name)) ?? [];
}

function closest(found: readonly string[]): string {
  return `Closest: ${found.slice(0, 3).join(', ')}.`;
}

function placeNames(): readonly string[] {
  return [...names.values()].filter((name) => name.includes('/') && !name.startsWith('Etc/'));
}

function readCities(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of names.values()) {
    const [area, ...rest] = name.split('/');
    if (rest.length === 0 || !AREAS.has(area as string) || STATES.has(name)) continue;
    const city = (rest.at(-1) as string).replaceAll('_', ' ').toLowerCase();
    found.set(city, [...(found.get(city) ?? []), name]);
  }
  return found;
}

function constructs(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
