import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capResult } from '../../src/agent/result-cap.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

describe('capResult', () => {
  it('leaves what fits', () => {
    expect(capResult('äöü', 6, 'head')).toBe('äöü');
  });

  it('keeps the head, and says how much is missing and where it is', () => {
    expect(capResult('a'.repeat(100), 40, 'head', 'result:c1')).toBe(
      `${'a'.repeat(40)}\n[60 bytes not shown; the whole is result:c1, read it with read_file]`,
    );
  });

  it('keeps 40 % head and 60 % tail of a command', () => {
    const text = `${'h'.repeat(1000)}${'t'.repeat(1000)}`;
    expect(capResult(text, 100, 'both')).toBe(`${'h'.repeat(40)}\n[1,900 bytes not shown]\n${'t'.repeat(60)}`);
  });

  it('never cuts a character and never exceeds the size by more than the note', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 50 }), fc.integer({ min: 10, max: 60 }), (text, bytes) => {
        for (const kept of ['head', 'both'] as const) {
          const cut = capResult(text, bytes, kept);
          const [head = '', tail = ''] = cut.split(/\n\[[\d,]+ bytes not shown\]\n?/);
          // The text itself may hold the sign that stands for half a character.
          expect(text.toWellFormed().startsWith(head)).toBe(true);
          expect(text.toWellFormed().trimEnd().endsWith(tail)).toBe(true);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(Math.max(Buffer.byteLength(text), bytes + 60));
        }
      }),
    );
  });
});
