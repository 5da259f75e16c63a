import { parseEnv } from 'node:util';

export interface Dotenv {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly problems: readonly string[];
}

const QUOTED = /(=[ \t]*)(["'`])[\s\S]*?\2/g;
const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*=/;
const NOTHING = /^\s*(?:#|$)/;

/** Reads `.env`. A line that sets nothing would lose a secret in silence, so it is a problem; its text is never shown. Pure. */
export function readDotenv(text: string): Dotenv {
  // A quoted value may go over several lines; what stands in it is no line of the file.
  const lines = text.replace(
    QUOTED,
    (whole, equals: string) => equals + whole.replace(/[^\n]/g, '').replaceAll('\n', '\n#'),
  );
  const problems = lines.split('\n').flatMap((line, i) => {
    return NOTHING.test(line) || ASSIGNMENT.test(line) ? [] : [`.env:${i + 1} sets nothing; write NAME=value`];
  });
  return { variables: parseEnv(text), problems };
}
