import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../src/platforms/markdown/display-width.ts';
import { tableLines } from '../../../src/platforms/markdown/table.ts';

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['', 0],
    ['你好', 4],
    ['ﾊﾝｶｸ', 4],
    ['！', 2],
    ['😀', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['é', 1],
    ['\u200b', 0],
    ['☐', 1],
  ])('of %s is %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('a table', () => {
  it('pads by width and aligns as told', () => {
    const rows = [
      ['Name', 'Qty', 'Note'],
      ['你好', '1', 'x'],
      ['a', '22', 'yyy'],
    ];
    expect(tableLines({ rows, align: [null, 'right', 'center'] }, 40)).toEqual([
      'Name | Qty | Note',
      '-----|-----|-----',
      '你好 |   1 |  x',
      'a    |  22 | yyy',
    ]);
  });

  it('has a cell for every column, whatever its rows have', () => {
    expect(tableLines({ rows: [['a', 'b'], ['1']], align: [] }, 40)).toEqual(['a | b', '--|--', '1 |']);
  });

  it('is none if it would be too wide', () => {
    const rows = [['a'.repeat(20), 'b'.repeat(18)]];
    expect(tableLines({ rows, align: [] }, 40)).toBeUndefined();
    expect(tableLines({ rows, align: [] }, 41)).toHaveLength(2);
  });
});
