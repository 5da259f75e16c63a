import { refuse } from './refusal.ts';

interface Field {
  readonly name: string;
  readonly lo: number;
  readonly hi: number;
  /** How many different values there are. */
  readonly values: number;
  readonly names: readonly string[];
  readonly forms: string;
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const DAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');
const STEPS = '*, */n, a-b or a-b/n';

const minute: Field = { name: 'minute', lo: 0, hi: 59, values: 60, names: [], forms: `0-59, ${STEPS}` };
const hour: Field = { name: 'hour', lo: 0, hi: 23, values: 24, names: [], forms: `0-23, ${STEPS}` };
const day: Field = { name: 'day', lo: 1, hi: 31, values: 31, names: [], forms: `1-31, ${STEPS}, L, 15W or LW` };
const month: Field = { name: 'month', lo: 1, hi: 12, values: 12, names: MONTHS, forms: `1-12, JAN-DEC, ${STEPS}` };
const weekday: Field = {
  ...{ name: 'weekday', lo: 0, hi: 7, values: 7, names: DAYS },
  forms: `0-7, SUN-SAT, ${STEPS}, MON#1 to MON#5, MON#L or MONL`,
};
const FIELDS = [minute, hour, day, month, weekday];

/** What the five fields of an accepted line hold. */
export interface CronFields {
  readonly minute: string;
  readonly hour: string;
  readonly day: string;
  readonly month: string;
  /** Without the `+`. */
  readonly weekday: string;
  /** Both day fields must fit (`+`); else one of them is enough where both are restricted. */
  readonly both: boolean;
}

/** The line with single blanks; refuses what croner would read in its own way. */
export function readCron(text: string): string {
  const fields = text.split(' ');
  if (fields.length !== FIELDS.length || /^(?:cron_)?tz=/i.test(text)) {
    refuse('cron_fields', 'Five fields: minute hour day month weekday. The zone is a field of its own.');
  }
  for (const [i, field] of FIELDS.entries()) checkField(fields[i] as string, field);
  return text;
}

export function splitCron(expr: string): CronFields {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expr.split(' ');
  return { minute, hour, day, month, weekday: weekday.replace(/^\+/, ''), both: weekday.startsWith('+') };
}

export const isAny = (field: string): boolean => field === '*' || field === '?';

/** A time on the clock, as far as summer time is concerned: no wildcard and no step in minute and hour. */
export function isFixedTime(expr: string): boolean {
  const { minute, hour } = splitCron(expr);
  return !/[*?/]/.test(`${minute}${hour}`);
}

/** The plain numbers of a field (values, ranges, steps), ascending; what has `L`, `W` or `#` is left out. */
export function numbersOf(name: 'minute' | 'hour' | 'day' | 'month' | 'weekday', text: string): readonly number[] {
  const field = FIELDS.find((one) => one.name === name) as Field;
  const found = text.split(',').flatMap((item) => spread(isAny(item) ? '*/1' : item, field));
  return [...new Set(found.map((value) => (field === weekday ? value % 7 : value)))].sort((a, b) => a - b);
}

function spread(item: string, field: Field): readonly number[] {
  const [, from = '', to, step = '1'] = /^(\*|\w+?)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? [];
  const hi = field === weekday ? 6 : field.hi;
  const lo = from === '*' ? field.lo : valueIn(from, field);
  const end = from === '*' ? hi : to === undefined ? lo : rangeEnd(to, field);
  if (lo === undefined || end === undefined) return [];
  const count = Math.floor((end - lo) / Number(step)) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => lo + i * Number(step));
}

function checkField(text: string, field: Field): void {
  const plus = field === weekday && text.startsWith('+') && text.length > 1;
  const body = plus ? text.slice(1) : text;
  if (isAny(body) || (field === day && /^LW$/i.test(body))) return;
  const items = body.split(',');
  if (items.length > 1 && items.some((item) => item === '' || isAny(item) || /^LW$/i.test(item))) list();
  for (const item of items) checkItem(item, field);
}

function checkItem(item: string, field: Field): void {
  const star = /^\*\/(\d+)$/.exec(item);
  if (star) {
    checkStep(Number(star[1]), field.values, field, undefined);
    return;
  }
  const prefix = /^(\w+)\/(\d+)$/.exec(item);
  if (prefix && isValue(prefix[1] as string, field))
    refuse('cron_prefix_step', `Say ${prefix[1]}-${field === weekday ? 6 : field.hi}/${prefix[2]}.`);
  const range = /^(\w+)-(\w+)(?:\/(\d+))?$/.exec(item);
  if (range && !startsAtLast(item)) checkRange(range, item, field);
  else if (!checkSpecial(item, field)) mustBeValue(item, item, field);
}

/** `L-3`: an offset, not a range. */
function startsAtLast(item: string): boolean {
  return /^L-/i.test(item);
}

function checkRange([, from = '', to = '', step]: readonly (string | undefined)[], item: string, field: Field): void {
  if ((field === day && /W$/i.test(to)) || (field === weekday && /L$/i.test(to) && isValue(to.slice(0, -1), field)))
    list();
  const lo = mustBeValue(from, item, field);
  mustBeValue(to, item, field);
  const hi = rangeEnd(to, field) as number;
  if (hi < lo) refuse('cron_wrap', `Say ${wrapped(from, to, field)}.`);
  if (step !== undefined) checkStep(Number(step), hi - lo + 1, field, from);
}

/** `15W`, `L`, `MON#1`, `5L`: true where the item is one. */
function checkSpecial(item: string, field: Field): boolean {
  if (field === day) {
    const near = /^(\d+)W$/i.exec(item);
    if (near) mustBeValue(near[1] as string, item, field);
    return near !== null || /^L$/i.test(item);
  }
  if (field !== weekday) return false;
  if (/-.*[#L]/i.test(item)) list();
  const nth = /^(\w+)#(?:[1-5]|L)$/i.exec(item) ?? /^(\w+)L$/i.exec(item);
  if (nth) mustBeValue(nth[1] as string, item, field);
  return nth !== null;
}

/** The word's value, or a refusal that names the whole item. */
function mustBeValue(word: string, item: string, field: Field): number {
  const value = valueIn(word, field);
  if (value !== undefined) return value;
  if (/^\d+$/.test(word) && outside(Number(word), field))
    refuse('cron_range', `${field.name} is ${field.lo}-${field.hi}.`);
  return refuse('cron_token', `"${item}" is not ${field === hour ? 'an' : 'a'} ${field.name}; use ${field.forms}.`);
}

function valueIn(word: string, field: Field): number | undefined {
  const named = field.names.indexOf(word.toUpperCase());
  if (named >= 0) return named + (field === month ? 1 : 0);
  const value = /^\d{1,2}$/.test(word) ? Number(word) : -1;
  return outside(value, field) ? undefined : value;
}

const outside = (value: number, { lo, hi }: Field): boolean => value < lo || value > hi;
const isValue = (word: string, field: Field): boolean => valueIn(word, field) !== undefined;

/** Sunday ends a week as well as it begins one. */
function rangeEnd(word: string, field: Field): number | undefined {
  return field === weekday && /^sun$/i.test(word) ? 7 : valueIn(word, field);
}

function wrapped(from: string, to: string, field: Field): string {
  const spelled = /^[a-z]/i.test(from) || /^[a-z]/i.test(to);
  const [first, last] = field === weekday ? (spelled ? ['MON', 'SUN'] : ['1', '7']) : edges(field, spelled);
  const start = from.toUpperCase() === last ? last : `${from.toUpperCase()}-${last}`;
  return `${start},${to.toUpperCase() === first ? first : `${first}-${to.toUpperCase()}`}`;
}

function edges({ lo, hi, names }: Field, spelled: boolean): readonly [string, string] {
  return spelled ? [names[0] as string, names.at(-1) as string] : [String(lo), String(hi)];
}

function checkStep(step: number, values: number, field: Field, from: string | undefined): void {
  if (step >= 1 && step < values) return;
  refuse('cron_step', step === 0 ? 'A step is 1 or more.' : `Say ${instead(step, values, field, from)}.`);
}

const LINES: Readonly<Record<string, string>> = {
  minute: '0 * * * *',
  hour: '0 0 * * *',
  day: '0 0 1 * *',
  month: '0 0 1 1 *',
  weekday: '0 0 * * 0',
};

/** What a step of the whole field or more means. */
function instead(step: number, values: number, { name }: Field, from: string | undefined): string {
  if (from !== undefined) return from;
  const unit = name === 'weekday' ? 'day' : name;
  return step === values || name === 'month' ? `"${LINES[name]}"` : `"every ${step} ${unit}s"`;
}

function list(): never {
  return refuse('cron_list', 'Write single values, ranges or steps between commas.');
}
