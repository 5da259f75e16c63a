import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { truthTable, withTruthTable } from '../../scripts/truth-table.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('the truth table in README.md', () => {
  it('is what decide says today (node scripts/truth-table.ts writes it)', () => {
    expect(readme).toContain(`<!-- truth:begin -->\n${truthTable()}\n<!-- truth:end -->`);
  });

  it('is written between its markers only, and missing markers are named', () => {
    const around = 'before\n<!-- truth:begin -->\nold\n<!-- truth:end -->\nafter\n';
    expect(withTruthTable(around)).toBe(`before\n<!-- truth:begin -->\n${truthTable()}\n<!-- truth:end -->\nafter\n`);
    expect(() => withTruthTable('no markers')).toThrow('README.md needs the lines');
  });
});
