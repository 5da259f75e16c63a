import type { Field } from './field.ts';
import { UNKNOWN } from './marks.ts';

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};
const MAX_OUTPUT = 65_536;

/** What `echo` prints; parts that are not known stay marked. */
export function echoOutput(args: readonly Field[]): string {
  let i = 0;
  let newline = true;
  let escapes = false;
  for (; i < args.length; i++) {
    const text = (args[i] as Field).text;
    if (!/^-[neE]+$/.test(text)) break;
    newline &&= !text.includes('n');
    if (text.includes('e')) escapes = true;
    if (text.includes('E')) escapes = false;
  }
  const text = args
    .slice(i)
    .map((arg) => arg.text)
    .join(' ');
  const body = escapes ? resolveEscapes(text, true) : text;
  return newline ? `${body}\n` : body;
}

/** What `printf` prints; null where the format is not known. */
export function printfOutput(args: readonly Field[]): string | null {
  const list = args[0]?.text === '--' ? args.slice(1) : args;
  if (list[0]?.text === '-v') return '';
  const format = list[0]?.text;
  if (format === undefined || format.includes(UNKNOWN)) return null;
  const values = list.slice(1).map((arg) => arg.text);
  let out = '';
  let at = 0;
  do {
    const before = at;
    out += formatOnce(format, () => values[at++] ?? '');
    if (at === before) break;
  } while (at < values.length && out.length < MAX_OUTPUT);
  return at < values.length && out.length >= MAX_OUTPUT ? null : out;
}

function formatOnce(format: string, next: () => string): string {
  let out = '';
  for (let i = 0; i < format.length; i++) {
    const char = format[i] as string;
    if (char === '\\') {
      const [text, length] = escapeAt(format, i, false);
      out += text;
      i += length - 1;
    } else if (char === '%') {
      let end = i + 1;
      while (end < format.length && '-+ #0123456789.*l'.includes(format[end] as string)) end++;
      const kind = format[end];
      if (kind === '%') out += '%';
      else if (kind === 'b') out += resolveEscapes(next(), true);
      else if (kind === 'c') out += next().slice(0, 1);
      else if (kind !== undefined) out += formatNumber(kind, next());
      i = end;
    } else out += char;
  }
  return out;
}

function formatNumber(kind: string, value: string): string {
  if (kind === 's' || kind === 'q') return value;
  const number = Number(value);
  if (!Number.isInteger(number)) return value;
  if (kind === 'x') return number.toString(16);
  if (kind === 'o') return number.toString(8);
  return value;
}

/** Resolves backslash escapes; `zero`: octal as `\0nnn`, as echo -e and %b have it. */
export function resolveEscapes(text: string, zero: boolean): string {
  if (!text.includes('\\')) return text;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') {
      out += text[i];
      continue;
    }
    const [value, length] = escapeAt(text, i, zero);
    out += value;
    i += length - 1;
  }
  return out;
}

function escapeAt(text: string, at: number, zero: boolean): readonly [value: string, length: number] {
  const next = text[at + 1];
  if (next === undefined) return ['\\', 1];
  if (next === 'x') return numeric(text, at + 2, /^[0-9A-Fa-f]{1,2}/, 16, 2);
  if (next === 'u') return numeric(text, at + 2, /^[0-9A-Fa-f]{1,4}/, 16, 2);
  if (next === 'U') return numeric(text, at + 2, /^[0-9A-Fa-f]{1,8}/, 16, 2);
  if (zero && next === '0') return numeric(text, at + 2, /^[0-7]{0,3}/, 8, 2);
  if (/[0-7]/.test(next)) return numeric(text, at + 1, /^[0-7]{1,3}/, 8, 1);
  const simple = SIMPLE[next];
  return simple === undefined ? [`\\${next}`, 2] : [simple, 2];
}

function numeric(text: string, at: number, digits: RegExp, radix: number, skip: number): readonly [string, number] {
  const found = digits.exec(text.slice(at, at + 8))?.[0] ?? '';
  const code = found === '' ? 0 : Number.parseInt(found, radix);
  const value =
    found === '' && skip === 2 && radix === 16
      ? text.slice(at - 2, at)
      : code <= 0x10ffff
        ? String.fromCodePoint(code)
        : '';
  return [value, skip + found.length];
}
