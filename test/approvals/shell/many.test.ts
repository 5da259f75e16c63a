import { describe, expect, it } from 'vitest';
import { analyze } from '../../../src/approvals/analyze.ts';
import { FACTS } from '../facts.ts';

const judge = (command: string) => {
  const { grade, readable } = analyze(command, FACTS);
  return `${grade}${readable ? '' : ', unreadable'}`;
};

const names = (count: number) => Array.from({ length: count }, (_, i) => `a${i}`).join(',');
const chain = (length: number, last: string, call: string) =>
  [...Array.from({ length }, (_, i) => `f${i}() { ${i === length - 1 ? last : `f${i + 1} "$@"`}; }`), call].join('\n');

describe('nothing stands unseen behind many others', () => {
  it.each([10, 255, 256, 2_000])('the choice of braces behind %i', (count) => {
    expect(judge(`cat {${names(count)},/etc/shadow}`)).toBe('dangerous');
  });

  it('choices of braces that are too many to look at each', () => {
    expect(judge(`cat {${names(100)}}{${names(100)}}`)).toBe('dangerous, unreadable');
    expect(judge(`cat ${'{a,'.repeat(30)}/etc/shadow${'}'.repeat(30)}`)).toBe('dangerous, unreadable');
  });

  it('the last number of a long range', () => {
    expect(judge('touch f{1..5000}')).toBe('safe');
    expect(judge('mkdir -p {a..z}/{0..99}')).toBe('safe');
    expect(judge('for m in {600..777}; do chmod "$m" a; done')).toBe('dangerous');
  });

  it.each([3, 8, 12])('what the last of %i functions does, each called by the one before', (length) => {
    expect(judge(chain(length, 'cat "$1"', 'f0 /etc/shadow'))).toBe('dangerous');
    expect(judge(chain(length, 'cat "$1"', 'f0 notes.txt'))).toBe('safe');
  });

  it('functions within more functions', () => {
    expect(judge(chain(20, 'cat "$1"', 'f0 notes.txt'))).toBe('dangerous, unreadable');
  });

  it('what a function does when it calls itself', () => {
    expect(judge('f() { cat "$1"; f /etc/shadow; }; f a')).toBe('dangerous');
    expect(judge('f() { cat "$1"; f "$2" "$3" "$4"; }; f a b c /etc/shadow')).toBe('dangerous');
    expect(judge('f() { cat "$x"; x=/etc/shadow; f; }; x=a; f')).toBe('dangerous');
    expect(judge('f() { for p in "$1"/*; do if [ -d "$p" ]; then f "$p"; else wc -l "$p"; fi; done; }; f src')).toBe(
      'safe',
    );
  });

  it('the end of what printf prints', () => {
    const filled = (blanks: number) => `printf '${' '.repeat(blanks)}%s\\n' ${'a '.repeat(80)}'rm -rf /' | sh`;
    expect(judge(filled(10))).toBe('hardline');
    expect(judge(filled(900))).toBe('dangerous');
  });
});
