import { describe, expect, it } from 'vitest';
import { code, codeBlock, cut, plain } from '../../src/approvals/markdown.ts';

describe('plain', () => {
  it('is one line without markup, mentions or links', () => {
    expect(plain('a *b* [c](http://x) @everyone\n# d: e')).toBe('a \\*b\\* \\[c\\](http\\://x) \\@everyone # d: e');
  });

  it('is cut before it is escaped, never through a character', () => {
    expect(plain('ab😀cd', 4)).toBe('ab…');
    expect(plain('*****', 3)).toBe('\\*\\*…');
  });
});

describe('codeBlock and code', () => {
  it('use a fence longer than any inside', () => {
    expect(codeBlock('a ``` b', 'sh')).toBe('````sh\na ``` b\n````');
    expect(codeBlock('a ````` b')).toBe('``````\na ````` b\n``````');
    expect(code('a `b` c')).toBe('``a `b` c``');
    expect(code('`b`')).toBe('`` `b` ``');
    expect(code('a\nb')).toBe('`a b`');
    expect(code('  ')).toBe('');
  });
});

describe('cut', () => {
  it('keeps what fits', () => {
    expect([cut('abc', 3), cut('abcd', 3), cut('a😀b', 3)]).toEqual(['abc', 'ab…', 'a…']);
  });
});
