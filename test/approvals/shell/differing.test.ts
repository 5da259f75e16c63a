import { describe, expect, it } from 'vitest';
import { compareReadings } from '../../../src/approvals/shell/differing.ts';

const parts = (first: string, second: string) => {
  const found = compareReadings(first, second);
  return (
    found && [found.before, found.first, found.second, found.firstRest, found.secondRest].map((list) => list.length)
  );
};

describe('two readings of one text', () => {
  it.each([
    ['a; b; c', 'a; x; c', [1, 1, 1, 1, 1]],
    ['a; b; c', 'a; b; c', [2, 0, 0, 1, 1]],
    ['a; b; c', 'a; bb; c', [1, 1, 1, 1, 1]],
    ['a; b; c', 'x; b; c', [0, 1, 1, 2, 2]],
    ['a; b; c', 'a; b; x', [2, 1, 1, 0, 0]],
    ['a; b', 'a; b; c', [1, 1, 2, 0, 0]],
    ['a; b; c', 'b; c', [0, 1, 0, 2, 2]],
    ['a; b; c', 'a; b', [1, 2, 1, 0, 0]],
    ['', 'a', [0, 0, 1, 0, 0]],
    ['a; b; c; d', 'a; c; d', [1, 1, 0, 2, 2]],
    ['aa; b', 'a; b', [0, 1, 1, 1, 1]],
    ['a; b; b; b; c', 'a; b; b; c', [3, 1, 0, 1, 1]],
    ['a b; c', 'a  b; c', [0, 1, 1, 1, 1]],
  ])('%s and %s share what stands before and behind', (first, second, counts) =>
    expect(parts(first, second)).toEqual(counts),
  );

  it('are not compared where one cannot be read, or parts of a statement may stand elsewhere', () => {
    expect(parts('a; (', 'a; b')).toBeNull();
    expect(parts('a; b', 'a; (')).toBeNull();
    expect(parts('a; cat <<x\nx', 'a')).toBeNull();
    expect(parts('a', 'a; cat <<x\nx')).toBeNull();
  });
});
