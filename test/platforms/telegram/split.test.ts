import { describe, expect, it } from 'vitest';
import { render } from '../../../src/platforms/telegram/render.ts';
import { split } from '../../../src/platforms/telegram/split.ts';
import { problemsOf } from './rich-problems.ts';

const SMALL = { units: 40, entities: 100 };
const texts = (markdown: string, limits = SMALL) => split(render(markdown), limits).map(({ text }) => text);

describe('where a text is cut', () => {
  it.each([
    [
      'at a blank line',
      'aaaa aaaa aaaa aaaa aaaa\n\nbbbb bbbb. bbbb bbbb bbbb bbbb',
      ['aaaa aaaa aaaa aaaa aaaa', 'bbbb bbbb. bbbb bbbb bbbb bbbb'],
    ],
    [
      'else at a line',
      'aaaa aaaa aaaa aaaa aaaa\nbbbb bbbb. bbbb bbbb bbbb bbbb',
      ['aaaa aaaa aaaa aaaa aaaa', 'bbbb bbbb. bbbb bbbb bbbb bbbb'],
    ],
    [
      'else behind a sentence',
      'aaaa aaaa aaaa aaaa aaaa. bbbb bbbb bbbb bbbb bbbb',
      ['aaaa aaaa aaaa aaaa aaaa.', 'bbbb bbbb bbbb bbbb bbbb'],
    ],
    [
      'a sentence without a space behind it',
      '一二三四五六七八九十一二三四五六七八九十一二。三四五六七八九十一二三四五六七八九十',
      ['一二三四五六七八九十一二三四五六七八九十一二。', '三四五六七八九十一二三四五六七八九十'],
    ],
    [
      'else at a space',
      'aaaa aaaa aaaa aaaa aaaa bbbb bbbb bbbb bbbb bbbb',
      ['aaaa aaaa aaaa aaaa aaaa bbbb bbbb bbbb', 'bbbb bbbb'],
    ],
    ['else anywhere', 'a'.repeat(50), ['a'.repeat(40), 'a'.repeat(10)]],
    ['not in its first half', `aaaa\n\n${'b'.repeat(50)}`, [`aaaa\n\n${'b'.repeat(34)}`, 'b'.repeat(16)]],
    ['not at all if it fits', 'a'.repeat(40), ['a'.repeat(40)]],
  ])('%s', (_, markdown, parts) => {
    expect(texts(markdown)).toEqual(parts);
  });

  it('before a block that fits whole further on', () => {
    expect(texts('Look at this here:\n\n```js\nline 1\nline 2\nline 3\nline 4\n```')).toEqual([
      'Look at this here:',
      'line 1\nline 2\nline 3\nline 4',
    ]);
  });

  it('inside a long block only at its lines, keeping language and indentation', () => {
    const parts = split(render('```py\ndef f():\n    first_line()\n    second_line()\n    third_line()\n```'), SMALL);
    expect(parts).toEqual([
      { text: 'def f():\n    first_line()', entities: [{ type: 'pre', offset: 0, length: 25, language: 'py' }] },
      {
        text: '    second_line()\n    third_line()',
        entities: [{ type: 'pre', offset: 0, length: 34, language: 'py' }],
      },
    ]);
  });

  it('with every face on both sides of the cut', () => {
    const parts = split(render(`> **${'word '.repeat(12).trim()}**`), SMALL);
    expect(parts.map(({ entities }) => entities.map(({ type, offset }) => [type, offset]))).toEqual(
      Array(2).fill([
        ['blockquote', 0],
        ['bold', 0],
      ]),
    );
  });

  it('and two faces never cross, also where one would be joined to its like', () => {
    const [rich] = split(render('__**_🇩🇪____**_🇩🇪__'));
    expect(rich && problemsOf(rich)).toEqual([]);
  });

  it('so that no part has more than a hundred entities', () => {
    const parts = split(render(Array.from({ length: 250 }, (_, i) => `**b${i}**`).join(' ')));
    expect(parts.map(({ entities }) => entities.length)).toEqual([100, 100, 50]);
  });

  it('between characters as people see them', () => {
    expect(texts('👩‍👩‍👧'.repeat(6))).toEqual(['👩‍👩‍👧'.repeat(5), '👩‍👩‍👧']);
    expect(texts('🇩🇪'.repeat(11))).toEqual(['🇩🇪'.repeat(10), '🇩🇪']);
  });

  it('even where one of them is longer than a part', () => {
    const endless = `e${'\u0301'.repeat(100)}`;
    expect(texts(endless).join('')).toBe(endless);
    expect(texts(`${'👩\u200d'.repeat(40)}👩`).every((part) => part.isWellFormed())).toBe(true);
  });
});
