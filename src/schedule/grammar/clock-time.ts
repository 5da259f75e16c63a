import { refuse } from '../refusal.ts';

export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
}

/** A time of day at the start of a text, its `at` included, and what follows. Undefined: no time stands there. */
export function takeTime(text: string): (ClockTime & { readonly rest: string }) | undefined {
  const [, at, body = ''] = /^(at(?: |$))?(.*)$/.exec(text) ?? [];
  const word = /^(noon|midnight)(?![^ ,])/.exec(body);
  if (word) return { hour: word[1] === 'noon' ? 12 : 0, minute: 0, rest: after(body, word[0]) };
  const half = /^(\d{1,2})(?::(\d\d))? ?([ap])m(?![^ ,])/.exec(body);
  if (half) return { ...halfDay(half), rest: after(body, half[0]) };
  const full = /^(\d{1,2})(?::(\d\d))?(?! ?(?:[ap]\.m|o'?clock|h\b))(?![^ ,])/.exec(body);
  if (full) return { ...inDay(Number(full[1]), Number(full[2] ?? 0)), rest: after(body, full[0]) };
  return at !== undefined || /^\d/.test(body) ? badTime() : undefined;
}

function halfDay([, hour, minute = '0', half]: readonly (string | undefined)[]): ClockTime {
  const twelve = Number(hour);
  if (twelve < 1 || twelve > 12) badTime();
  return inDay((twelve % 12) + (half === 'p' ? 12 : 0), Number(minute));
}

export function inDay(hour: number, minute: number): ClockTime {
  return hour > 23 || minute > 59 ? badTime() : { hour, minute };
}

export function badTime(): never {
  return refuse('time', 'Times look like 9, 9:05, 17:30, 9am, 12:30pm, noon, midnight.');
}

function after(text: string, taken: string): string {
  return text.slice(taken.length).trimStart();
}
