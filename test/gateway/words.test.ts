import { describe, expect, it } from 'vitest';
import { age, count, nearest } from '../../src/gateway/words.ts';

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

describe('age', () => {
  it.each([
    [-5 * S, '0 s'],
    [400, '0 s'],
    [45 * S, '45 s'],
    [59 * S + 700, '1 min'],
    [3 * MIN + 20 * S, '3 min'],
    [59 * MIN + 59 * S, '59 min'],
    [H, '1 h'],
    [2 * H + 5 * MIN, '2 h 5 min'],
    [23 * H + 59 * MIN, '23 h 59 min'],
    [D, '1 d'],
    [3 * D + 4 * H, '3 d 4 h'],
  ])('%d ms is %s', (ms, text) => {
    expect(age(ms)).toBe(text);
  });
});

describe('count', () => {
  it.each([
    [0, '0 turns'],
    [1, '1 turn'],
    [2, '2 turns'],
  ])('%d', (n, text) => {
    expect(count(n, 'turn', 'turns')).toBe(text);
  });
});

describe('nearest', () => {
  const names = ['start', 'status', 'stop', 'help', 'new'];
  it.each([
    ['stats', 'status'],
    ['sttaus', 'status'],
    ['STOPP', 'stop'],
    ['nwe', 'new'],
    ['restart', 'start'],
    ['model', undefined],
  ])('%s', (word, name) => {
    expect(nearest(word, names)).toBe(name);
  });

  it('compares no more than a name can have', () => {
    expect(nearest('x'.repeat(1_000_000), names)).toBeUndefined();
  });

  it('knows no name among none', () => {
    expect(nearest('stop', [])).toBeUndefined();
  });
});
