import { UNKNOWN } from './marks.ts';
import { type Goal, reached } from './recipes.ts';

const HEADER = /^@?([a-zA-Z_][\w-]*)((?:\s[^:]*)?):(?!=)(.*)$/;
const VALUE = /^(?:export\s+)?([a-zA-Z_][\w-]*)\s*:=\s*(?:'([^']*)'|"([^"]*)")\s*$/;

/** The shell texts that just runs out of a justfile for these words; of a recipe that begins with `#!`, all of it as one. */
export function justTexts(text: string, words: readonly string[]): readonly string[] {
  const values = new Map<string, string>();
  const goals: Goal[] = [];
  let lines: string[] = [];
  for (const line of text.replace(/\\\n[ \t]*/g, ' ').split('\n')) {
    if (/^(?:[ \t]|#|$)/.test(line)) lines.push(line);
    else lines = begin(line, values, goals) ?? [];
  }
  const names = words.filter((word) => goals.some((goal) => goal.names.includes(word)));
  return reached(goals, names).flatMap((goal) => bodyOf(goal, values));
}

function begin(line: string, values: Map<string, string>, goals: Goal[]): string[] | undefined {
  const value = VALUE.exec(line);
  if (value) values.set(value[1] as string, (value[2] ?? value[3]) as string);
  const header = value ? null : HEADER.exec(line);
  if (!header) return undefined;
  const lines: string[] = [];
  goals.push({ names: [header[1] as string], needs: (header[3] ?? '').match(/[\w-]+/g) ?? [], lines });
  return lines;
}

function bodyOf({ lines }: Goal, values: ReadonlyMap<string, string>): readonly string[] {
  const texts = lines.map((line) =>
    line.trim().replace(/\{\{\s*([\w-]{0,100})[^}]{0,200}\}\}/g, (_, name: string) => values.get(name) ?? UNKNOWN),
  );
  if (texts[0]?.startsWith('#!')) return [texts.join('\n')];
  return texts.map((line) => line.replace(/^[@-]+/, '')).filter(Boolean);
}
