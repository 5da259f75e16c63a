import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { allFindings } from '../../../src/approvals/rules/all.ts';
import { FACTS } from '../facts.ts';

function found(command: string): readonly string[] {
  return analyze(command, FACTS).findings.map((finding) => finding.rule);
}

describe('every rule holds for its own examples', () => {
  it('has an id of its own, a sentence and at least two examples each way', () => {
    const ids = allFindings.map((rule) => rule.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const rule of allFindings) {
      expect(rule.id).toMatch(/^[a-z]+\.[a-z]+(?:-[a-z]+)*$/);
      expect(rule.why, rule.id).toMatch(/^[a-z].*[^.]$/);
      expect(rule.match.length, rule.id).toBeGreaterThanOrEqual(2);
      expect(rule.notMatch.length, rule.id).toBeGreaterThanOrEqual(2);
    }
  });

  for (const rule of allFindings) {
    it(`${rule.id} matches its examples and nothing near them`, () => {
      for (const command of rule.match)
        expect([command, found(command)], rule.id).toEqual([command, expect.arrayContaining([rule.id])]);
      for (const command of rule.notMatch)
        expect([command, found(command).includes(rule.id)]).toEqual([command, false]);
    });
  }
});
