import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Reading, type ReadOptions, readSchedule, readStructured } from '../../src/schedule/read-schedule.ts';
import { EXAMPLES, REFUSAL_CODES, type RefusalCode, refusalText } from '../../src/schedule/refusal.ts';

/** Sunday, 23:00 in Berlin. */
const NOW = Date.parse('2026-11-29T22:00:00Z');
const read = (text: string, more: Partial<ReadOptions> = {}) =>
  readSchedule(text, { now: NOW, zone: 'Europe/Berlin', ...more });
const refusal = (reading: Reading) => {
  if (reading.ok) throw new Error(`was read as ${JSON.stringify(reading.schedule)}`);
  return reading.refusal;
};

const DURATION = 'Whole numbers with s, m, h, d, w, largest first: 1h30m. For 1.5h say 90m.';
const TIME = 'Times look like 9, 9:05, 17:30, 9am, 12:30pm, noon, midnight.';
const NO_TIME = 'At which time? For example "… at 9:00".';
const MONTH = 'Say "every month on the 1st at 9:00", or use a cron line.';
const DATE = 'Write dates as 2026-12-24T18:00.';
const TWO = 'One schedule per job; a count goes into "repeat".';
const FIELDS = 'Five fields: minute hour day month weekday. The zone is a field of its own.';
const LIST = 'Write single values, ranges or steps between commas.';
const PLACE = 'A zone is a place, because offsets hide summer time: Europe/Berlin.';
const OFFERED = '"every 2 weeks" counts from now; a fifth Friday is 0 9 * * 5#5.';
const UNKNOWN = 'I read only a little English here; ask me in a sentence and I will set it up.';
const HOUR = 'use 0-23, *, */n, a-b or a-b/n.';
const WEEKDAY = 'use 0-7, SUN-SAT, *, */n, a-b or a-b/n, MON#1 to MON#5, MON#L or MONL.';

const REFUSED: readonly (readonly [RefusalCode, string, string])[] = [
  ['empty', '', EXAMPLES],
  ['empty', ' \t ', EXAMPLES],
  ['too_long', `in 2h${' '.repeat(200)}`, EXAMPLES],
  ['not_ascii', 'in 2\u00a0h', 'Character \u00a0 (U+00A0) at position 5 is not plain ASCII.'],
  ['not_ascii', '\u{1f600} in 2h', 'Character \u{1f600} (U+1F600) at position 1 is not plain ASCII.'],
  ['not_ascii', 'in 2h\n', 'Character \n (U+000A) at position 6 is not plain ASCII.'],
  ['bare_duration', '30m', 'Once or again and again? Say "in 30m" or "every 30m".'],
  ['bare_duration', '2 hours', 'Once or again and again? Say "in 2 hours" or "every 2 hours".'],
  ['bare_weekday', 'monday at 9am', 'Say "on monday at 9am" for once, "every monday at 9am" for weekly.'],
  ['bare_weekday', 'on fridays at 17:30', 'Say "on friday at 17:30" for once, "every friday at 17:30" for weekly.'],
  ...[
    '2026-12-24',
    'daily',
    'weekly',
    'mondays',
    'tomorrow',
    'next monday',
    'every month on the 1st',
    'every weekday in Tokyo',
  ].map((text) => ['no_time', text, NO_TIME] as const),
  ...[
    'in 5',
    'in 5 parsecs',
    'every 1.5h',
    'every -5m',
    'in 0m',
    'in 30m1h',
    'in 1h1h',
    'in 1 hour and 5 minutes',
    'every',
    '1.5h',
  ].map((text) => ['duration', text, DURATION] as const),
  ['mixed_units', 'every 1d2h', 'Say "every 26h", or name a time of day.'],
  ['mixed_units', 'every 1w 30m', 'Say "every 10110m", or name a time of day.'],
  ...[
    'every month',
    'every year',
    'every 3 months',
    'monthly at 9',
    'yearly',
    'every 1st of the month at 9',
    'every 15th',
  ].map((text) => ['month_interval', text, MONTH] as const),
  ['too_often', 'every 30s', 'Runs must be at least 60 s apart.'],
  ...['every day at 9:60', 'at 0am', 'at 13pm', 'at 24:00', 'at 9:5', 'at 9.30', 'tomorrow at 9h', "at 9 o'clock"].map(
    (text) => ['time', text, TIME] as const,
  ),
  ['past', 'today at 18:00', 'That was 5 h ago. Did you mean 2026-11-30T18:00?'],
  ['past', '2026-11-27T09:30', 'That was 2 d 13 h ago. Did you mean 2026-11-30T09:30?'],
  ['past', '2026-11-29T21:00:00Z', 'That was 1 h ago. Did you mean 2026-11-30T21:00Z?'],
  ['no_such_date', '2026-02-30T09:00', 'There is no 2026-02-30.'],
  ['no_such_date', '2026-13-01T09:00', 'There is no 2026-13-01.'],
  ['no_such_date', 'every month on the 32nd at 9', 'There is no 32nd.'],
  ['gap', '2027-03-28T02:30', '02:30 does not exist on Sun 28 Mar 2027 in Europe/Berlin. Say 01:59 or 03:00.'],
  ...[
    '12/24/2026 18:00',
    '24.12.2026',
    'dec 24 at 6pm',
    '24 december at 18:00',
    '1795989600',
    '2026-12-24T9:00',
    '2026-12-24 at 18:00',
  ].map((text) => ['date_form', text, DATE] as const),
  ['horizon', '9999-12-31T23:59', 'The first run would be in 9999.'],
  ['horizon', '0 0 * 2 MON#5', 'The first run would be in 2044.'],
  ['horizon', 'every 4000 days', 'The first run would be in 2037.'],
  ['horizon', 'in 99999999999 days', 'The first run would be in 273792727.'],
  ['never', '0 0 30 2 *', 'That day never comes: February has no 30th.'],
  ['never', '0 0 31 4,6 *', 'That day never comes: April has no 31st.'],
  ...[
    '0 9 * * *; 0 18 * * *',
    'in 2h && in 3h',
    'every 30m for 3 times',
    'every day at 9 until friday',
    'every day at 9 and at 10',
    'hourly at 5',
    'in 2h Berlin time',
    '@daily at 9',
    'every monday at 9, tuesday at 10',
  ].map((text) => ['two_things', text, TWO] as const),
  ...['* * * * * *', '0 9 * *', '0 9', 'CRON_TZ=UTC 0 9 * * *', '0 9 * * * UTC'].map(
    (text) => ['cron_fields', text, FIELDS] as const,
  ),
  ['cron_range', '60 * * * *', 'minute is 0-59.'],
  ['cron_range', '0 9 * 13 *', 'month is 1-12.'],
  ['cron_range', '0 9 32W * *', 'day is 1-31.'],
  ['cron_range', '0 9 * * 8', 'weekday is 0-7.'],
  ['cron_token', '0 H * * *', `"H" is not an hour; ${HOUR}`],
  ['cron_token', '0 009 * * *', `"009" is not an hour; ${HOUR}`],
  ['cron_token', '0 9 * * monday', `"monday" is not a weekday; ${WEEKDAY}`],
  ['cron_token', '0 9 * * 5#6', `"5#6" is not a weekday; ${WEEKDAY}`],
  ['cron_token', '0 9 L-3 * *', '"L-3" is not a day; use 1-31, *, */n, a-b or a-b/n, L, 15W or LW.'],
  ['cron_step', '*/90 * * * *', 'Say "every 90 minutes".'],
  ['cron_step', '*/60 * * * *', 'Say "0 * * * *".'],
  ['cron_step', '*/0 * * * *', 'A step is 1 or more.'],
  ['cron_step', '10-20/11 * * * *', 'Say 10.'],
  ['cron_prefix_step', '5/15 * * * *', 'Say 5-59/15.'],
  ['cron_wrap', '0 9 * * FRI-MON', 'Say FRI-SUN,MON.'],
  ['cron_wrap', '0 22-3 * * *', 'Say 22-23,0-3.'],
  ['cron_wrap', '0 9 * NOV-FEB *', 'Say NOV-DEC,JAN-FEB.'],
  ...['0 9 1,,3 * *', '0 9 1,* * *', '0 9 1-5W * *', '0 9 1,LW * *', '0 9 * * 1-5#2'].map(
    (text) => ['cron_list', text, LIST] as const,
  ),
  ['nickname', '@every 5m', 'Say "every 5m".'],
  ['nickname', '@reboot', '@reboot is not a time.'],
  ...['every day at 9 +02:00', 'every day at 9 GMT+2', 'every day at 9 Etc/GMT+2'].map(
    (text) => ['zone_offset', text, PLACE] as const,
  ),
  ['two_zones', '2026-12-24T18:00+01:00 Europe/Berlin', PLACE],
  ['two_zones', 'every day at 9 +01:00 Berlin', PLACE],
  ...['CST', 'BST', 'EST', 'Japan'].map(
    (zone) =>
      [
        'zone_abbreviation',
        `every day at 9am ${zone}`,
        `"${zone}" means different places. Say a city, for example "9am London time".`,
      ] as const,
  ),
  ['zone_unknown', 'every day at 9am Europe/Berlim', 'Closest: Europe/Berlin, Europe/Dublin, Europe/Jersey.'],
  ['zone_city', 'every day at 9am Berlim time', 'Closest: Europe/Berlin, America/Belem, America/Belize.'],
  ...[
    'every other tuesday at 8am',
    'fifth friday of every month at 9',
    'every sunrise',
    'every working day at 9',
    'every 3rd day at 9',
    'every 2nd friday at 9',
  ].map((text) => ['not_offered', text, OFFERED] as const),
  ...['heute um 18 Uhr', 'whenever you like', 'a b c d e'].map((text) => ['unknown', text, UNKNOWN] as const),
  ['unknown', '18:00', 'Say "at 18:00" for once, "every day at 18:00" for daily.'],
];

describe('a text that is no schedule', () => {
  it.each(REFUSED)('is refused as %s: %j (schedule 1)', (code, text, hint) => {
    expect(refusal(read(text))).toEqual({ code, hint });
  });

  it('may be refused for its zone: empty, unknown, an offset', () => {
    const by = (zone: string) => refusal(read('0 9 * * *', { zone }));
    expect(by('')).toEqual({ code: 'zone_empty', hint: PLACE });
    expect(by('+02:00')).toEqual({ code: 'zone_offset', hint: PLACE });
    expect(by('Europe/Nowhere').code).toBe('zone_unknown');
    expect(refusal(read('in 2h', { zone: '' })).code).toBe('zone_empty');
  });

  it('may lack a zone nobody knows; elapsed time needs none', () => {
    const hint = 'I do not know your time zone. Say: /jobs zone Europe/Berlin';
    for (const text of ['every day at 9', 'at 18:00', 'every 2 days', '0 9 * * *'])
      expect(refusal(read(text, { zone: undefined }))).toEqual({ code: 'zone_needed', hint });
    for (const text of ['in 2h', 'every 15m', '2026-12-24T18:00+01:00', 'every day at 9 Berlin time'])
      expect(read(text, { zone: undefined }).ok).toBe(true);
  });

  it('is shown with its hint', () => {
    expect(refusalText('30m', refusal(read('30m')))).toBe(
      'I cannot use "30m" as a time. Once or again and again? Say "in 30m" or "every 30m".',
    );
  });

  it('has a row here for every code (schedule 1)', () => {
    const here = new Set<string>([...REFUSED.map(([code]) => code), 'zone_empty', 'zone_needed']);
    expect(REFUSAL_CODES.filter((code) => !here.has(code))).toEqual([]);
  });
});

describe('a phrase', () => {
  it.each([
    ['in 2 h 30 min', { kind: 'at', at: NOW + 9_000_000 }],
    ['every 2w', { kind: 'every', period: 'P14D' }],
    ['every 1h30m', { kind: 'every', period: 'PT1H30M' }],
    ['hourly', { kind: 'every', period: 'PT1H' }],
    ['every mon, wed, and fri 9:30', { expr: '30 9 * * 1,3,5' }],
    ['every friday and monday at noon', { expr: '0 12 * * 1,5' }],
    ['sundays and thursdays at 12:05am', { expr: '5 0 * * 0,4' }],
    ['weekends 10pm', { expr: '0 22 * * 0,6' }],
    ['monthly on the last day at 18', { expr: '0 18 L * *' }],
    ['second tues of every month at 9', { expr: '0 9 * * 2#2' }],
    ['last sun of every month midnight', { expr: '0 0 * * 0L' }],
    ['@weekly', { expr: '0 0 * * 0' }],
    ['every day at 9 in san juan', { expr: '0 9 * * *', tz: 'America/Argentina/San_Juan' }],
    ['every day at 9 istanbul time', { tz: 'Europe/Istanbul' }],
    ['every day at 9 europe/kyiv', { tz: 'Europe/Kyiv' }],
    ['every day at 9 Etc/UTC', { tz: 'UTC' }],
    ['every day at 9 Singapore', { tz: 'Asia/Singapore' }],
    ['2026-12-24 18:00:30.250', { at: Date.parse('2026-12-24T17:00:30.250Z') }],
    ['2026-12-24T18:00Z', { at: Date.parse('2026-12-24T18:00:00Z') }],
    ['tomorrow 9 in Tokyo', { at: Date.parse('2026-12-01T00:00:00Z'), tz: 'Asia/Tokyo' }],
    ['on mon at 9', { at: Date.parse('2026-11-30T08:00:00Z') }],
    ['next sunday at 9', { at: Date.parse('2026-12-06T08:00:00Z') }],
    ['0 9 * * fri-sun', { expr: '0 9 * * fri-sun' }],
    ['  0 9  1W,L\t* +MON#1 ', { expr: '0 9 1W,L * +MON#1' }],
  ])('%j is read', (text, expected) => {
    const reading = read(text);
    expect(reading).toMatchObject({ ok: true, schedule: expected });
  });

  it('says where its zone comes from', () => {
    const source = (reading: Reading) => reading.ok && reading.zoneSource;
    const fallback = { tz: 'Asia/Tokyo', source: 'chat' } as const;
    expect(source(read('every day at 9'))).toBe('argument');
    expect(source(read('every day at 9 London time'))).toBe('phrase');
    expect(source(read('every day at 9', { zone: undefined, fallback }))).toBe('chat');
    expect(source(read('in 2h', { zone: undefined }))).toBe('none');
  });

  it('of the last minute is taken as it stands', () => {
    expect(read('2026-11-29T22:59:30')).toMatchObject({ ok: true, next: [NOW - 30_000] });
  });
});

describe('parts of a schedule', () => {
  const parts = (structured: Parameters<typeof readStructured>[0]) =>
    readStructured(structured, { now: NOW, zone: 'Europe/Berlin' });

  it.each([
    [{ at: '2026-12-24T18:00' }, { kind: 'at', at: Date.parse('2026-12-24T17:00:00Z') }],
    [{ every: 'P2W' }, { kind: 'every', period: 'P14D' }],
    [{ every: 'PT1H30M' }, { kind: 'every', period: 'PT1H30M' }],
    [
      { cron: '0 9 * * 1', tz: 'Tokyo' },
      { kind: 'cron', expr: '0 9 * * 1', tz: 'Asia/Tokyo' },
    ],
  ])('%j are read', (structured, expected) => {
    expect(parts(structured)).toMatchObject({ ok: true, schedule: expected });
  });

  it.each([
    [{ at: 'tomorrow at 9' }, 'date_form'],
    [{ at: '2026-02-30T09:00' }, 'no_such_date'],
    [{ every: 'PT30S' }, 'too_often'],
    [{ every: 'P1M' }, 'duration'],
    [{ every: 'PT0H' }, 'duration'],
    [{ every: 'P1DT2H' }, 'duration'],
    [{ cron: 'every day at 9' }, 'cron_fields'],
    [{ cron: '0 9 * * *', tz: '' }, 'zone_empty'],
  ])('%j are refused as %s', (structured, code) => {
    expect(refusal(parts(structured)).code).toBe(code);
  });
});

describe('README.md', () => {
  it('shows only phrases that are read', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, list = ''] = /## Jobs\n[\s\S]*?:\n\n((?:- .*\n)+)/.exec(readme) ?? [];
    const phrases = [...list.matchAll(/`([^`]+)`/g)].map(([, phrase]) => phrase as string);
    expect(phrases.length).toBeGreaterThan(9);
    for (const phrase of phrases) expect([phrase, read(phrase).ok]).toEqual([phrase, true]);
  });
});
