import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Said, ThinkFilter } from '../../src/providers/think-filter.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

function filtered(chunks: readonly string[]): { text: string; reasoning: string; pieces: readonly Said[] } {
  const filter = new ThinkFilter();
  const pieces = [...chunks.flatMap((chunk) => filter.push(chunk)), ...filter.end()];
  const of = (type: Said['type']) => pieces.flatMap((piece) => (piece.type === type ? [piece.delta] : [])).join('');
  return { text: of('text'), reasoning: of('reasoning'), pieces };
}

describe('a leading <think> block', () => {
  it.each([
    ['a < b', 'a < b', ''],
    ['<think>hm</think>\n\nyes', 'yes', 'hm'],
    [' \n<think>hm</think>yes', 'yes', 'hm'],
    ['<think></think>yes', 'yes', ''],
    ['<think>hm</thi</think>yes</think>', 'yes</think>', 'hm</thi'],
    ['<think>never closed', '', 'never closed'],
    ['yes <think>no</think>', 'yes <think>no</think>', ''],
    ['<thin', '<thin', ''],
    ['<thinking> is hard', '<thinking> is hard', ''],
    ['  plain', '  plain', ''],
    ['', '', ''],
    ['<think>hm</think>  ', '', 'hm'],
  ])('%j', (all, text, reasoning) => {
    expect(filtered([all])).toMatchObject({ text, reasoning });
    expect(filtered([...all])).toMatchObject({ text, reasoning });
  });

  it('reads the same however the chunks are cut', () => {
    const pieces = fc.constantFrom('<think>', '</think>', '<', 'th', 'ink>', ' ', '\n', 'word', '</');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
        const all = parts.join('');
        const places = [...new Set(cuts.map((cut) => Math.min(cut, all.length)))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, i) => all.slice(from, places[i] ?? all.length));
        const { text, reasoning } = filtered([all]);
        expect(filtered(chunks)).toMatchObject({ text, reasoning });
      }),
    );
  });

  it('holds nothing back that cannot belong to a mark', () => {
    const filter = new ThinkFilter();
    expect(filter.push('<think>a')).toEqual([{ type: 'reasoning', delta: 'a' }]);
    expect(filter.push('b</')).toEqual([{ type: 'reasoning', delta: 'b' }]);
    expect(filter.push('c')).toEqual([{ type: 'reasoning', delta: '</c' }]);
  });
});
