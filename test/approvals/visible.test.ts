import { describe, expect, it } from 'vitest';
import { visible } from '../../src/approvals/visible.ts';

describe('visible', () => {
  it.each([
    ['a right-to-left override', 'rm \u202egpj.exe', 'rm \\u{202e}gpj.exe'],
    ['a zero-width space', 'r\u200bm', 'r\\u{200b}m'],
    ['a null', 'a\u0000b', 'a\\u{0}b'],
    ['an escape sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['a carriage return that would overwrite the line', 'rm -rf /\rls', 'rm -rf /\\u{d}ls'],
    ['a no-break space', 'rm\u00a0-rf', 'rm\\u{a0}-rf'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a soft hyphen', 'rm\u00ad', 'rm\\u{ad}'],
    ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
    ['a byte order mark', '\ufeffls', '\\u{feff}ls'],
    ['a tag character', 'ls\u{e0041}', 'ls\\u{e0041}'],
    ['a variation selector after a letter', 'a\ufe0fb', 'a\\u{fe0f}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['fullwidth letters', '\uff52\uff4d', '\\u{ff52}\\u{ff4d}'],
    ['mathematical letters', '\u{1d42b}\u{1d426}', '\\u{1d42b}\\u{1d426}'],
    ['a dash that is no hyphen', 'rm \u2010rf', 'rm \\u{2010}rf'],
    ['a slash that is none', 'rm \u2215etc', 'rm \\u{2215}etc'],
    ['a Cyrillic letter in a Latin word', 'p\u0430ypal', 'p\\u{430}ypal'],
    ['a word of look-alikes alone', '\u0441\u0430\u0441\u0435', '\\u{441}\\u{430}\\u{441}\\u{435}'],
    ['a Greek letter in a Latin word', 'g\u03bfod', 'g\\u{3bf}od'],
  ])('writes out %s', (_, text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  it.each([
    'rm -rf build',
    'echo "grüße, 你好, привет"',
    'a\n\tb',
    'echo 👍',
    'ls "наши файлы"',
    'α = 1',
    'naïve: it’s “fine” — done',
  ])('leaves %j as it is', (text) => {
    expect(visible(text)).toBe(text);
  });
});
