import { describe, expect, it } from 'vitest';
import { readDenial, readWord } from '../../src/approvals/plain-words.ts';

describe('readWord', () => {
  it.each(['approve', 'yes', 'ok', 'okay', 'confirm', 'y', '👍', ' Yes! ', 'OK.', 'YES!!', 'Confirm.'])(
    '%j is a yes',
    (text) => {
      expect(readWord(text, {})).toBe('once');
    },
  );
  it.each(['deny', 'no', 'reject', 'cancel', 'n', '👎', 'No.', ' NO! '])('%j is a no', (text) => {
    expect(readWord(text, {})).toBe('deny');
  });
  it.each([
    ['session', 'session'],
    ['Always!', 'always'],
  ])('%j lasts', (text, choice) => {
    expect(readWord(text, {})).toBe(choice);
  });
  it.each(['', 'yes please', 'no way', 'yes?', 'sure', 'yess', 'y e s', 'always ok', '.', '👍👍'])(
    '%j is ordinary input',
    (text) => {
      expect(readWord(text, {})).toBeUndefined();
    },
  );
  it('takes the words of the configuration as well', () => {
    const words = { approve: ['Los', 'ja.'], deny: ['nein'], session: ['sitzung'], always: ['immer'] };
    expect(['los!', 'JA', 'nein', 'Sitzung', 'immer', 'yes'].map((text) => readWord(text, words))).toEqual([
      'once',
      'once',
      'deny',
      'session',
      'always',
      'once',
    ]);
  });
});

describe('readDenial', () => {
  it.each([
    ['no, use the other folder', 'use the other folder'],
    ['deny wrong branch', 'wrong branch'],
    ['No:  line one\nline two', 'line one\nline two'],
    ['👎 too broad', 'too broad'],
  ])('%j', (text, reason) => {
    expect(readDenial(text, {})).toBe(reason);
  });
  it.each(['no', 'no ', 'yes do it', 'not now', 'nope', ''])('%j is none', (text) => {
    expect(readDenial(text, {})).toBeUndefined();
  });
});
