import { visible } from './visible.ts';

/** Words of people, models or files inside our own sentence: one line, no markup, no mention, nothing hidden. */
export function plain(text: string, limit = 500): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return cut(line, limit).replace(/[\\`*_[\]<>~@&|]|:(?=\/\/)/g, '\\$&');
}

/** At most `limit` characters, never half of one, with a mark where something is missing. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const half = /[\ud800-\udbff]/.test(text[end - 1] ?? '');
  return `${text.slice(0, half ? end - 1 : end)}…`;
}

/** A code block that nothing inside can close. */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Inline code, one line. */
export function code(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  if (line.trim() === '') return '';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
