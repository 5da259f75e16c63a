import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitMessage } from '../../../src/platforms/web/parts.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

describe('splitMessage', () => {
  it.each([
    ['limit - 1', 'x'.repeat(199), 1],
    ['limit', 'x'.repeat(200), 1],
    ['limit + 1', 'x'.repeat(201), 3],
    ['three limits', 'x'.repeat(600), 6],
    ['spaces only', ' \n\t ', 0],
  ])('%s gives so many parts', (_name, text, count) => {
    expect(splitMessage({ text }, 200)).toHaveLength(count);
  });

  it('prefers paragraph ends, then lines, then spaces', () => {
    // A part of a split text has 100 characters less: room for the ends of a code block.
    const texts = (text: string) => splitMessage({ text }, 110, 100).map((part) => part.text);
    const rest = 'x'.repeat(105);
    expect(texts(`one two\n\n${rest}`)[0]).toBe('one two');
    expect(texts(`one two\n${rest}`)[0]).toBe('one two');
    expect(texts(`one two three ${rest}`).slice(0, 2)).toEqual(['one two', ' three']);
  });

  it('gives buttons and files to the last part', () => {
    const buttons = [[{ label: 'a', data: 'b' }]];
    const files = [{ name: 'a', text: 'b' }];
    expect(splitMessage({ text: 'x'.repeat(201), buttons, files, as: 'draft' }, 200).slice(1)).toEqual([
      { text: 'x'.repeat(100), as: 'draft' },
      { text: 'x', as: 'draft', buttons, files },
    ]);
  });

  it('sends the first part and the whole as a file when there would be too many', () => {
    const text = 'x'.repeat(801);
    expect(splitMessage({ text }, 200, 8)).toEqual([{ text: 'x'.repeat(100), files: [{ name: 'answer.md', text }] }]);
  });

  it('sends a file without words', () => {
    const files = [{ name: 'a', text: 'b' }];
    expect(splitMessage({ text: '', files })).toEqual([{ text: '', files }]);
  });

  it('loses nothing but blank space at borders and cuts no character in two', () => {
    const words = fc
      .array(fc.constantFrom('a', 'bb', '😀', ' ', '\n', '\n\n', 'é', '# '), { minLength: 60, maxLength: 300 })
      .map((list) => list.join(''));
    fc.assert(
      fc.property(words, (text) => {
        const parts = splitMessage({ text }, 107, 1_000);
        expect(parts.every((part) => part.text.length <= 107 && part.text.isWellFormed())).toBe(true);
        expect(
          parts
            .map((part) => part.text)
            .join('')
            .replace(/\s/g, ''),
        ).toBe(text.replace(/\s/g, ''));
      }),
    );
  });

  it.each(['```', '~~~~', '```ts'])('goes on with a code block that %s opened and the limit cut', (opening) => {
    const mark = opening.replace(/[a-z]+/, '');
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const parts = splitMessage({ text: `before\n\n${opening}\n${lines.join('\n')}\n${mark}\n\nafter` }, 220).map(
      ({ text }) => text,
    );
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every((text) => text.length <= 220)).toBe(true);
    expect(parts.slice(1, -1).every((text) => text.startsWith(`${opening}\n`) && text.endsWith(`\n${mark}`))).toBe(
      true,
    );
    expect(parts.at(-1)?.endsWith(`${mark}\n\nafter`)).toBe(true);
    expect(parts.join('\n').match(/line \d+/g)).toEqual(lines);
  });
});
