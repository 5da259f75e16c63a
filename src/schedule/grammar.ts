import type { Timed } from '../contract/schedule.ts';
import { readCron } from './cron-fields.ts';
import { readDaily } from './grammar/daily.ts';
import { MONTHS, readInterval, readRelative, refuseBareDuration } from './grammar/duration.ts';
import { readMonthly } from './grammar/monthly.ts';
import { dateForm, readOnce, refuseBareWeekday } from './grammar/once.ts';
import { noTime, type Place, twoThings, unknown, zoneOr } from './grammar/place.ts';
import { EXAMPLES, refuse } from './refusal.ts';

const LONGEST = 200;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

/** The version jobs remember; a later one reads their text anew only when somebody edits it. */
export const GRAMMAR_VERSION = 1;

/**
 * Reads a phrase, a line of cron or a date. Refuses by throwing, with a code and a hint; nothing is guessed. The result is not
 * yet checked against how often and how far ahead a job may run.
 */
export function readText(raw: string, place: Place): Timed {
  const typed = tidy(raw);
  const text = typed.toLowerCase();
  if (typed.startsWith('@')) return readNickname(text, place);
  if (/;|&&|\bfor \d+ times?\b|\b\d+ times?$|\buntil\b/.test(text)) twoThings();
  if (looksLikeCron(typed)) return { kind: 'cron', expr: readCron(typed), tz: zoneOr(undefined, place) };
  refuseWhatIsNotOffered(text);
  const read =
    readRelative(text, place) ??
    readInterval(text, place) ??
    readMonthly(text, typed, place) ??
    readDaily(text, typed, place) ??
    readOnce(text, typed, place);
  return read ?? refuseRest(text);
}

/** Blanks single, ends trimmed, nothing but printable ASCII; refuses anything else. */
export function tidy(raw: string): string {
  if (raw.length > LONGEST) refuse('too_long', EXAMPLES);
  const strange = [...raw].findIndex((char) => !/^[\t -~]$/.test(char));
  if (strange >= 0) refuseCharacter([...raw][strange] as string, strange + 1);
  const text = raw.replace(/[ \t]+/g, ' ').trim();
  return text === '' ? refuse('empty', EXAMPLES) : text;
}

function refuseCharacter(char: string, position: number): never {
  const hex = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return refuse('not_ascii', `Character ${char} (U+${hex}) at position ${position} is not plain ASCII.`);
}

function readNickname(text: string, place: Place): Timed {
  const [name = '', ...more] = text.split(' ');
  const expr = NICKNAMES[name];
  if (expr !== undefined) return more.length > 0 ? twoThings() : { kind: 'cron', expr, tz: zoneOr(undefined, place) };
  if (name === '@every') refuse('nickname', `Say "every ${more.join(' ') || '5m'}".`);
  return refuse(
    'nickname',
    name === '@reboot' ? '@reboot is not a time.' : `I know ${Object.keys(NICKNAMES).join(', ')}.`,
  );
}

/** A star, a field that only cron has, or two fields of digits where a phrase has words. */
function looksLikeCron(text: string): boolean {
  const [first = '', second = '', ...more] = text.split(' ');
  const field = /^\d{1,2}(?:[,/-]\d{1,2})*$/;
  if (/^(?:cron_)?tz=/i.test(text)) return true;
  if ([first, second, ...more].some((word) => /\*|^\?$/.test(word))) return true;
  return (field.test(first) && field.test(second)) || (/^h$/i.test(first) && more.length === 3);
}

const NOT_OFFERED =
  /\bevery other\b|\bevery second (?:day|week|month|[a-z]{3,}day)\b|\bfifth \w+ of every month\b|\b(?:sunrise|sunset|dawn|dusk)\b|\b(?:working|business) ?days?\b|\bworkdays?\b|\bfortnight|^every \d+(?:st|nd|rd|th) (?:day|week|month|[a-z]{3,}day)\b(?! of)/;
const MONTH_NAMES =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const OTHER_DATES = new RegExp(
  `^(?:on )?(?:the )?(?:\\d{1,4}[/.]\\d{1,2}[/.]\\d{1,4}|\\d{1,2}[/.]\\d{1,2}\\.?(?: |$)|\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${MONTH_NAMES})\\b|(?:${MONTH_NAMES}) \\d|\\d{8,}|\\d{1,2}(?:st|nd|rd|th)\\b)`,
);

function refuseWhatIsNotOffered(text: string): void {
  if (NOT_OFFERED.test(text)) refuse('not_offered', '"every 2 weeks" counts from now; a fifth Friday is 0 9 * * 5#5.');
  if (/^every \d+(?:st|nd|rd|th)\b/.test(text)) refuse('month_interval', MONTHS);
  if (OTHER_DATES.test(text) && !/ month\b/.test(text)) dateForm();
}

const DAY_WITHOUT_TIME =
  /^(?:weekly|tonight|this (?:morning|afternoon|evening)|every (?:morning|afternoon|evening|night))$/;

function refuseRest(text: string): never {
  refuseBareTime(text);
  refuseBareDuration(text);
  refuseBareWeekday(text);
  if (DAY_WITHOUT_TIME.test(text)) noTime();
  if (/^(?:yearly|annually|quarterly|every (?:months?|years?|quarters?))\b|\bof (?:every|each|the) month\b/.test(text))
    refuse('month_interval', MONTHS);
  if (/^(?:hourly|every (?:second|minute|hour|week)) /.test(text)) twoThings();
  return unknown();
}

/** A time of day alone says neither once nor daily. */
function refuseBareTime(text: string): void {
  if (!/^(?:\d{1,2}:\d\d ?(?:[ap]m)?|\d{1,2} ?[ap]m|noon|midnight)$/.test(text)) return;
  refuse('unknown', `Say "at ${text}" for once, "every day at ${text}" for daily.`);
}
