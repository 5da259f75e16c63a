import { describe, expect, it } from 'vitest';
import { timeoutText } from '../../src/approvals/refusal-text.ts';

describe('a card nobody answered', () => {
  it.each([
    [30_000, '30 s'],
    [60_000, '1 min'],
    [90_000, '90 s'],
    [600_000, '10 min'],
    [3_600_000, '1 h'],
  ])('that lived %d ms says so: %s', (ms, words) => {
    expect(timeoutText(ms)).toMatch(new RegExp(`^Nobody answered within ${words}\\. `));
  });
});
