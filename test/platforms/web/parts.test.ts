import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMessage } from '../../../src/platforms/web/parts.ts';

describe('splitMessage', () => {
  it.each([
    ['limit - 1', 'x'.repeat(9), 1],
    ['limit', 'x'.repeat(10), 1],
    ['limit + 1', 'x'.repeat(11), 2],
    ['three limits', 'x'.repeat(30), 3],
    ['spaces only', ' \n\t ', 0],
  ])('%s gives so many parts', (_name, text, count) => {
    expect(splitMessage({ text }, 10)).toHaveLength(count);
  });

  it('prefers paragraph ends, then lines, then spaces', () => {
    const texts = (text: string) => splitMessage({ text }, 10).map((part) => part.text);
    expect(texts('one two\n\nthree')).toEqual(['one two', 'three']);
    expect(texts('one two\nthree')).toEqual(['one two', 'three']);
    expect(texts('one two three')).toEqual(['one two', ' three']);
  });

  it('gives buttons and files to the last part', () => {
    const buttons = [[{ label: 'a', data: 'b' }]];
    const files = [{ name: 'a', text: 'b' }];
    expect(splitMessage({ text: 'x'.repeat(11), buttons, files, as: 'draft' }, 10)).toEqual([
      { text: 'x'.repeat(10), as: 'draft' },
      { text: 'x', as: 'draft', buttons, files },
    ]);
  });

  it('sends the first part and the whole as a file when there would be too many', () => {
    const text = 'x'.repeat(95);
    expect(splitMessage({ text }, 10, 8)).toEqual([{ text: 'x'.repeat(10), files: [{ name: 'answer.md', text }] }]);
  });

  it('sends a file without words', () => {
    const files = [{ name: 'a', text: 'b' }];
    expect(splitMessage({ text: '', files })).toEqual([{ text: '', files }]);
  });

  it('loses nothing but blank space at borders and cuts no character in two', () => {
    const words = fc.array(fc.constantFrom('a', 'bb', '😀', ' ', '\n', '\n\n', 'é', '# ')).map((list) => list.join(''));
    fc.assert(
      fc.property(words, (text) => {
        const parts = splitMessage({ text }, 7, 1_000);
        expect(parts.every((part) => part.text.length <= 7 && part.text.isWellFormed())).toBe(true);
        expect(
          parts
            .map((part) => part.text)
            .join('')
            .replace(/\s/g, ''),
        ).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});
