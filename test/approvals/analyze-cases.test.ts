import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { dangerous } from './cases/dangerous.ts';
import { hardline } from './cases/hardline.ts';
import { safe } from './cases/safe.ts';
import { FACTS } from './facts.ts';

const grades = { hardline, dangerous, safe };

for (const [grade, families] of Object.entries(grades)) {
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
