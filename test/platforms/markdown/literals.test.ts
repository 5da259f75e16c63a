import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import { literalMarker, spoilerPairs } from '../../../src/platforms/markdown/literals.ts';
import { parseMarkdown } from '../../../src/platforms/markdown/parse.ts';

function faces(node: Nodes, source: string): readonly (string | undefined)[] {
  const own =
    node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete' ? [literalMarker(node, source)] : [];
  return [...own, ...('children' in node ? node.children.flatMap((child) => faces(child, source)) : [])];
}

describe('what is emphasis', () => {
  it.each(
    [
      '*a* b',
      '**a** b',
      '_a_ b',
      '__a b__',
      '~~a~~',
      '**a**s',
      '中文**粗体**中文',
      '**src/**: sources',
      '**A**/**B**.',
      '*a*, *b*',
    ].map((md) => [md]),
  )('%s', (markdown) => {
    const { source, root } = parseMarkdown(markdown);
    expect(faces(root, source).length).toBeGreaterThan(0);
    expect(faces(root, source).filter((marker) => marker !== undefined)).toEqual([]);
  });
});

describe('what the grammar takes for emphasis and is plain text', () => {
  it.each([
    ['2*3*4', '*'],
    ['2**3**4', '**'],
    ['a*b + c*d', '*'],
    ['src/**/*.ts and test/**/*.ts', '**'],
    ['(*.ts|*.js)', '*'],
    ['__init__', '__'],
    ['$$x _y_ z$$', '_'],
    ['\\(a *b* c\\)', '*'],
    ['\\[a *b* c\\]', '*'],
  ])('%s', (markdown, marker) => {
    const { source, root } = parseMarkdown(markdown);
    expect(faces(root, source)).toContain(marker);
    expect(faces(root, source)).not.toContain(undefined);
  });
});

describe('hidden text', () => {
  const pairs = (text: string) =>
    spoilerPairs(
      text,
      [...text.matchAll(/\|\|/g)].map(({ index }) => index),
    );

  it.each([
    ['||42||', [[0, 4]]],
    [
      'a ||b|| and ||c d||.',
      [
        [2, 5],
        [12, 17],
      ],
    ],
    ['答案||42||。', [[2, 6]]],
  ])('%s', (text, expected) => {
    expect(pairs(text)).toEqual(expected);
  });

  it.each(
    ['a || b || c', '|| a ||', 'x ||= 1 ||', 'a||b||c', 'if (a||b) x||=y', '||', '||||', '|| a', 'f(x)||g||'].map(
      (text) => [text],
    ),
  )('%s is none', (text) => {
    expect(pairs(text)).toEqual([]);
  });
});
