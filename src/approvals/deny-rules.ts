import type { Analysis, ResolvedCommand } from './analysis.ts';

/** What deny rules are held against: every spelling of every command, every line of code, the raw text when unreadable. */
export function denyTexts(text: string, analysis: Analysis | undefined): readonly string[] {
  if (!analysis) return lines(text);
  return [
    ...analysis.commands.flatMap(spellings),
    ...analysis.code.flatMap(lines),
    ...(analysis.readable ? [] : [text, ...lines(text)]),
  ];
}

/** The first rule that fits any of the texts. `*` stands for any characters; case does not count. */
export function denyRule(rules: readonly string[], texts: readonly string[]): string | undefined {
  const lower = texts.map((text) => text.toLowerCase());
  return rules.find((rule) => lower.some((text) => fits(rule.trim().toLowerCase(), text)));
}

/** `git push *` also means `git push`. */
function fits(rule: string, text: string): boolean {
  return glob(rule, text) || (rule.endsWith(' *') && glob(rule.slice(0, -2), text));
}

/** Whole text against a pattern; time is bounded by the product of their lengths. */
function glob(pattern: string, text: string): boolean {
  let [p, t, star, mark] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.length && pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Inner words joined by blanks, the program as written and as basename, with and without what wraps it. */
function spellings({ argv, wrappers }: ResolvedCommand): readonly string[] {
  const [first, ...rest] = argv.map((word) => word ?? UNKNOWN_WORD);
  if (first === undefined) return [];
  const base = first.slice(Math.max(first.lastIndexOf('/'), first.lastIndexOf('\\')) + 1);
  const inner = [...new Set([first, base])].map((program) => [program, ...rest].join(' '));
  const around = wrappers.map(({ program }) => program);
  return inner.flatMap((text) => [text, ...around.map((_, i) => [...around.slice(i), text].join(' '))]);
}

/** Stands for a word that only running it would tell; no pattern but `*` fits it. */
const UNKNOWN_WORD = '\u0000';

function lines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
