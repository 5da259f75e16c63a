const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const SHORT = ['sun', 'mon', 'tue|tues', 'wed', 'thu|thur|thurs', 'fri', 'sat'] as const;

/** One weekday by any of its names, as a pattern with one group. */
export const WEEKDAY = `(${DAYS.map((day, i) => `${day}|${SHORT[i]}`).join('|')})`;
const PLURAL = `(${DAYS.map((day) => `${day}s`).join('|')})`;
const JOIN = '(?: ?, ?(?:and )?| and )';

/** 0 is Sunday. */
export function dayNumber(name: string): number {
  return DAYS.findIndex(
    (day, i) => day === name || `${day}s` === name || (SHORT[i] as string).split('|').includes(name),
  );
}

/** `mon, wed and fri` or `mondays and fridays` at the start of a text; the days ascending, each once. */
export function takeDays(
  text: string,
  plural: boolean,
): { readonly days: readonly number[]; readonly rest: string } | undefined {
  const one = plural ? PLURAL : WEEKDAY;
  const list = new RegExp(`^${one}(?:${JOIN}${one})*(?![^ ])`).exec(text);
  if (!list) return undefined;
  const names = list[0].match(new RegExp(one, 'g')) ?? [];
  const days = [...new Set(names.map(dayNumber))].sort((a, b) => a - b);
  return { days, rest: text.slice(list[0].length).trimStart() };
}
