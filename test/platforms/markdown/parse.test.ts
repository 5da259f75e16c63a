import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../../src/platforms/markdown/parse.ts';

/** All words of a tree, without its structure. */
function words(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(words).join('') : '';
}

const first = (markdown: string) => parseMarkdown(markdown).root.children[0];

describe('reading Markdown', () => {
  it.each([
    ['line ends of every kind', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['half a surrogate pair', 'a\ud83db', 'a\ufffdb'],
  ])('cleans %s', (_, markdown, source) => {
    expect(parseMarkdown(markdown).source).toBe(source);
  });

  it.each([
    ['\\(x\\) and \\[y\\]', '\\(x\\) and \\[y\\]'],
    ['\\*x\\* and \\_y\\_', '*x* and _y_'],
    ['`\\(x\\)`', '\\(x\\)'],
    ['C:\\Users', 'C:\\Users'],
  ])('keeps the backslash of formula marks only: %s', (markdown, text) => {
    expect(words(parseMarkdown(markdown).root)).toBe(text);
  });

  it('does not keep it in a URL', () => {
    expect(first('[x](https://e.org/\\(a\\))')).toMatchObject({
      children: [{ type: 'link', url: 'https://e.org/(a)' }],
    });
  });

  it.each([
    ['~x~', 'text'],
    ['~~x~~', 'delete'],
    ['**注意：**这里', 'strong'],
  ])('%s is %s', (markdown, type) => {
    expect(first(markdown)).toMatchObject({ children: [{ type }, ...(type === 'strong' ? [{ type: 'text' }] : [])] });
  });

  it('reads boxes of tasks, and only of tasks', () => {
    expect(first('- [x] a\n- [ ] b')).toMatchObject({ children: [{ checked: true }, { checked: false }] });
    expect(words(parseMarkdown('-\n[x] done').root)).toBe('[x] done');
    expect(words(parseMarkdown('-\n[ ] todo').root)).toBe('[ ] todo');
  });
});
