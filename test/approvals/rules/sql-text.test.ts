import { describe, expect, it } from 'vitest';
import { sqlLoss, sqlStatements } from '../../../src/approvals/rules/sql-text.ts';

const losses = (sql: string) => sqlStatements(sql).flatMap((statement) => sqlLoss(statement) ?? []);
const OPEN = 'runs SQL that is put together when it runs';

function nested(sql: string, blocks: number): string {
  return Array.from({ length: blocks }, (_, i) => `$b${i}$`).reduce(
    (inner, mark) => `DO ${mark} BEGIN ${inner}; END ${mark}`,
    sql,
  );
}

describe('a statement behind many others', () => {
  it('is judged up to 2,000 of them, and what is behind those is asked about', () => {
    expect(losses(`${'SELECT 1;'.repeat(1_999)}DROP TABLE t`)).toEqual(['drops a table']);
    expect(losses(`${'SELECT 1;'.repeat(2_000)}DROP TABLE t`)).toEqual([OPEN]);
    expect(losses('SELECT 1;'.repeat(2_000))).toEqual([]);
  });
});

describe('a statement in blocks', () => {
  it.each([0, 1, 2, 3])('is judged within %i', (blocks) => {
    expect(losses(nested('DROP TABLE t', blocks))).toEqual(['drops a table']);
    expect(losses(nested('SELECT 1', blocks))).toEqual([]);
  });

  it('is asked about within more', () => {
    expect(losses(nested('SELECT 1', 4))).toEqual([OPEN]);
  });
});
