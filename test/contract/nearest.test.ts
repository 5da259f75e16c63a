import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/contract/nearest.ts';

describe('nearest', () => {
  it.each([
    ['readfile', ['write_file', 'read_file', 'shell'], 'read_file'],
    ['bash', ['shell', 'search', 'bash_run'], 'bash_run'],
    ['SHELL', ['shell', 'skill'], 'shell'],
    ['', ['b', 'a'], 'a'],
  ])('of %j', (word, names, best) => {
    expect(nearest(word, names, 1)).toEqual([best]);
  });

  it('gives at most as many as there are', () => {
    expect(nearest('x', ['a'], 3)).toEqual(['a']);
    expect(nearest('x', [], 3)).toEqual([]);
  });
});
