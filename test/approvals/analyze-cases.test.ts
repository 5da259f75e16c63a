import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { FACTS } from './facts.ts';

/** Command lines by what they do, each family a list; files of one grade. */
function casesOf(grade: string): Readonly<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(new URL(`./cases/${grade}.json`, import.meta.url), 'utf8'));
}

for (const grade of ['hardline', 'dangerous', 'safe']) {
  const families = casesOf(grade);
  describe(`command lines that are ${grade}`, () => {
    for (const [family, commands] of Object.entries(families)) {
      it(`${family}: ${commands.length} cases`, () => {
        const wrong = commands
          .map((command) => ({ command, analysis: analyze(command, FACTS) }))
          .filter(({ analysis }) => analysis.grade !== grade)
          .map(({ command, analysis }) => ({
            command,
            grade: analysis.grade,
            rules: analysis.findings.map(({ rule }) => rule),
          }));
        expect(wrong).toEqual([]);
      });
    }
  });
}
