const MAX_LINE = 200;
const TELLING = ['command', 'path', 'url', 'pattern', 'code', 'goal', 'query', 'question'];

/** One line that tells a person what is being called. Pure. */
export function callLine(tool: string, input: unknown): string {
  const word = telling(input);
  const line = word === undefined ? tool : `${tool}: ${word}`;
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1).toWellFormed()}…`;
}

function telling(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const values = input as Readonly<Record<string, unknown>>;
  const word = TELLING.map((key) => values[key]).find((value) => typeof value === 'string');
  return typeof word === 'string' ? word.replace(/\s+/g, ' ').trim() : undefined;
}
