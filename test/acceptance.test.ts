import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = import.meta.dirname;

/** Titles that name a line of a specification's acceptance list: `(gateway 12)`, `(schedule 3, schedule 22)`. */
function named(topic: string): ReadonlySet<number> {
  const texts = globSync('**/*.test.ts', { cwd: FOLDER }).map((file) => readFileSync(join(FOLDER, file), 'utf8'));
  const tags = texts.flatMap((text) => [...text.matchAll(new RegExp(`[(,] ?${topic} (\\d+)(?=[),])`, 'g'))]);
  return new Set(tags.map((tag) => Number(tag[1])));
}

it.each([
  ['gateway', 36],
  ['schedule', 28],
])('every acceptance line of %s is named by a test', (topic, lines) => {
  expect([...named(topic)].sort((a, b) => a - b)).toEqual(Array.from({ length: lines }, (_, i) => i + 1));
});
