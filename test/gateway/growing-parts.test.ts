import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../src/contract/message.ts';
import { GrowingParts, startOf } from '../../src/gateway/growing-parts.ts';
import { partsOf as discordParts } from '../../src/platforms/discord/parts.ts';
import { partsOf as telegramParts } from '../../src/platforms/telegram/parts.ts';

const NETWORKS = [
  ['Telegram', telegramParts],
  ['Discord', discordParts],
] as const;
const PIECE = 1_000;

const LONG = 'forty letters and digits are hardly said twice in one text';

const words = (n: number) =>
  Array.from({ length: 60 }, (_, i) => (i % 9 === 4 ? `**word ${n}.${i}**` : `word ${n}.${i}`)).join(' ');
const list = (n: number) =>
  Array.from({ length: 12 }, (_, i) => `- *point* ${n}.${i}, with [a link](https://x.test/${i})`);
const code = (n: number) => ['```ts', ...Array.from({ length: 20 }, (_, i) => `const a${n}x${i} = ${i} * 2;`), '```'];

/** What a model writes: headings, paragraphs, lists, code. */
function answer(sections: number): string {
  return Array.from({ length: sections }, (_, n) =>
    [`## Section ${n}`, '', words(n), '', ...list(n), '', ...code(n), '', `Так ${n}. 你好世界。`, ''].join('\n'),
  ).join('\n');
}

describe.each(NETWORKS)('a text that grows, for %s', (_, parts) => {
  const render = (text: string) => parts({ text, as: 'draft' }, 100);

  it('has the parts that the whole would have', () => {
    const text = answer(7);
    const growing = new GrowingParts(render);
    for (let end = PIECE; end < text.length + PIECE; end += PIECE)
      expect(growing.of(text.slice(0, end))).toEqual(render(text.slice(0, end)));
  });

  it('is rendered from its last parts on only', () => {
    const text = answer(16);
    const lengths: number[] = [];
    const growing = new GrowingParts((open) => {
      lengths.push(open.length);
      return render(open);
    });
    for (let end = PIECE; end < text.length; end += PIECE) growing.of(text.slice(0, end));
    expect(text.length).toBeGreaterThan(25_000);
    // Three messages; their links are longer as they are written.
    expect(Math.max(...lengths)).toBeLessThan(16_000);
  });

  it('whatever becomes of what is complete: it is rendered anew', () => {
    const growing = new GrowingParts(render);
    const first = answer(6);
    for (let end = PIECE; end < first.length; end += PIECE) growing.of(first.slice(0, end));
    expect(growing.of('Something else.')).toEqual(render('Something else.'));
    expect(growing.of(first)).toEqual(render(first));
  });

  it('in one long block of code has the parts that the whole would have', () => {
    const lines = Array.from({ length: 400 }, (_, i) => `  line(${i}, "text ${i}");`);
    const text = `Here it is:\n\n\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n\n${words(1)}`;
    const growing = new GrowingParts(render);
    for (let end = PIECE; end < text.length + PIECE; end += PIECE)
      expect(growing.of(text.slice(0, end))).toEqual(render(text.slice(0, end)));
  });
});

it('the same text is not rendered again', () => {
  let rendered = 0;
  const growing = new GrowingParts((text): readonly OutboundMessage[] => [{ text: `${++rendered} ${text}` }]);
  expect(growing.of('a')).toBe(growing.of('a'));
  expect(rendered).toBe(1);
});

describe('where the last part begins in the source', () => {
  it.each([
    ['two', 'one two', 4],
    ['two three', 'one **two** three', 4],
    ['• two', 'one\n- two', 4],
    ['Two', 'one\n\n## **Two**', 5],
    ['世界', '你好世界', 2],
    ['two', 'one (two)', 4],
    ['more', 'one two', undefined],
    ['link and more', 'a link, a [link](https://x.test) and more', undefined],
    [`${LONG} a link and more`, `one ${LONG} a [link](https://x.test) and more`, 4],
    ['code\nthen', 'one\n\n```ts\ncode\n```\nthen', 5],
    ['𝒳 two', 'one 𝒳 two', 4],
    ['one two', 'two', undefined],
    ['…', 'one …', undefined],
  ])('%j in %j', (last, source, start) => {
    expect(startOf(last, source)).toBe(start);
  });
});
