import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/approvals/analyze.ts';
import { FACTS } from '../approvals/facts.ts';

interface Row {
  readonly cmd: string;
  readonly expect: 'hardline' | 'dangerous' | 'safe';
  readonly why: string;
}

const rows = readFileSync(new URL('./commands.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const graded = rows.map((row) => ({ ...row, grade: analyze(row.cmd, FACTS).grade }));

function share(wanted: (row: (typeof graded)[number]) => boolean, right: (row: (typeof graded)[number]) => boolean): number {
  const chosen = graded.filter(wanted);
  const missed = chosen.filter((row) => !right(row));
  for (const row of missed) console.info(`${row.expect} graded ${row.grade}: ${JSON.stringify(row.cmd)} (${row.why})`);
  return (chosen.length - missed.length) / chosen.length;
}

describe('the corpus of command lines', () => {
  it('grades hardline rows exactly, at least 99 %', () => {
    expect(share((row) => row.expect === 'hardline', (row) => row.grade === 'hardline')).toBeGreaterThanOrEqual(0.99);
  });

  it('flags hardline and dangerous rows, at least 98 %', () => {
    expect(share((row) => row.expect !== 'safe', (row) => row.grade !== 'safe')).toBeGreaterThanOrEqual(0.98);
  });

  it('leaves safe rows alone, at least 98 %', () => {
    expect(share((row) => row.expect === 'safe', (row) => row.grade === 'safe')).toBeGreaterThanOrEqual(0.98);
  });

  it('never refuses a safe row for good', () => {
    expect(graded.filter((row) => row.expect === 'safe' && row.grade === 'hardline')).toEqual([]);
  });
});
