import type { Facts } from '../analysis.ts';
import { mightBe } from '../shell/glob-match.ts';
import { ANY, CLOSE, OPEN, STAR } from '../shell/marks.ts';
import { basenameOf, resolvePath } from '../shell/paths.ts';

const NAMES = ['hermod', 'hermes', 'gateway'];
const NAMED = new RegExp(NAMES.join('|'), 'i');
/** Stands where a name was: what is found in a line with it, is found whoever the line belongs to. */
const NOBODY = '\u0001';
/** More choices than a person writes: what is too much to judge may be hermod. */
const MAX_CHOICES = 32;
const MAX_PATTERN = 160;

/** Whether an extended regular expression, as pkill takes it, finds hermod by its name or by where it lies. */
export function matchesDaemon(pattern: string, { installation }: Pick<Facts, 'installation'>): boolean {
  const folder = installation ?? '/opt/hermod';
  const own = basenameOf(resolvePath(folder, null)).toLowerCase();
  const line = `node ${folder.toLowerCase()}/src/main.ts start`;
  const lines = [...NAMES.map((name) => [name, name] as const), [line, own] as const];
  const names = (choice: string) =>
    lines.some(([text, name]) => found(choice, text) && !found(choice, text.replaceAll(name, NOBODY)));
  return NAMED.test(pattern) || (choicesOf(pattern)?.some(names) ?? true);
}

/** Whether the expression finds any program that node runs, as hermod is one; `full`: in the whole command line. */
export function matchesRuntime(pattern: string, full: boolean): boolean {
  return choicesOf(pattern)?.some((choice) => found(choice, full ? 'node ' : 'node')) ?? true;
}

function found(choice: string, text: string): boolean {
  const begin = choice.startsWith('^') ? choice.slice(1) : STAR + choice;
  return mightBe(begin.endsWith('$') ? begin.slice(0, -1) : begin + STAR, text);
}

/**
 * The texts an expression takes in, as patterns of marks: a repetition is one time or none. Short ones say nothing. Null where
 * there is too much to judge.
 */
function choicesOf(pattern: string): readonly string[] | null {
  if (pattern.length > MAX_PATTERN) return /[[(|*+?{]/.test(pattern) ? null : [];
  const reader = { text: pattern.toLowerCase(), at: 0, tooMany: false };
  const choices = alternatives(reader).filter((choice) => fixedCount(choice) >= 3);
  return reader.tooMany ? null : choices;
}

interface Reader {
  readonly text: string;
  at: number;
  tooMany: boolean;
}

function fixedCount(choice: string): number {
  const one = choice.replace(/\uE003[^\uE004]*\uE004/g, 'x');
  return [...one].filter((char) => /[a-z0-9]/.test(char)).length;
}

function alternatives(reader: Reader): readonly string[] {
  const all: string[] = [];
  let now: readonly string[] = [''];
  while (reader.at < reader.text.length && reader.text[reader.at] !== ')') {
    if (reader.text[reader.at] === '|') {
      all.push(...now);
      now = [''];
      reader.at++;
    } else {
      const unit = repeated(unitOf(reader), reader);
      now = few(
        now.flatMap((before) => unit.map((one) => before + one)),
        reader,
      );
    }
  }
  reader.at++;
  return few([...all, ...now], reader);
}

function few(choices: readonly string[], reader: Reader): readonly string[] {
  reader.tooMany ||= choices.length > MAX_CHOICES;
  return choices.slice(0, MAX_CHOICES);
}

function unitOf(reader: Reader): readonly string[] {
  const char = reader.text[reader.at++] as string;
  if (char === '(') return alternatives(reader);
  if (char === '.') return [ANY];
  if (char === '\\') return escaped(reader.text[reader.at++] ?? '');
  if (char !== '[') return [char];
  const end = reader.text.indexOf(']', reader.at + 1);
  if (end < 0) return [char];
  const set = reader.text.slice(reader.at, end);
  reader.at = end + 1;
  return [OPEN + set + CLOSE];
}

function escaped(char: string): readonly string[] {
  if (/[b<>]/.test(char)) return [''];
  if (char === 's') return [' '];
  return [/[a-z]/.test(char) ? ANY : char];
}

function repeated(unit: readonly string[], reader: Reader): readonly string[] {
  const mark = /^(?:[*+?]|\{(\d+)[^}]*\})/.exec(reader.text.slice(reader.at, reader.at + 12));
  if (!mark) return unit;
  reader.at += mark[0].length;
  if (mark[1] !== undefined) return unit.map((one) => times(one, Number(mark[1])));
  const many = /[*+]/.test(mark[0]) && unit.every((one) => one === ANY || one.startsWith(OPEN));
  const once = many ? unit.map((one) => (one === ANY ? STAR : one + STAR)) : unit;
  return mark[0] === '+' ? once : ['', ...once];
}

/** No name is longer than this many of anything. */
function times(one: string, count: number): string {
  return one.length * count > MAX_CHOICES ? one : one.repeat(count);
}
