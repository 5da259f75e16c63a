import type { Nodes } from 'mdast';
import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../src/platforms/markdown/parse.ts';
import { plainText } from '../../src/schedule/plain-text.ts';

/** What people see of it, and what of it is markup; an address that is shown as it is links to itself, as in every client. */
function shown(markdown: string): { text: string; markup: readonly string[] } {
  const markup: string[] = [];
  const textOf = (node: Nodes): string => {
    const text = 'children' in node ? node.children.map(textOf).join('') : 'value' in node ? node.value : '';
    const plain =
      ['root', 'paragraph', 'text'].includes(node.type) ||
      (node.type === 'link' && node.url === text.replaceAll('\\', ''));
    if (!plain) markup.push(node.type);
    return text;
  };
  return { text: textOf(parseMarkdown(markdown).root), markup };
}

describe('words of people inside our own Markdown', () => {
  it.each([
    '[urgent] call Bob',
    'list [a] [b]',
    '- [x] done',
    '**bold** `code` _thin_ ~~gone~~',
    '<b>html</b> &amp; @everyone | a',
    'https://evil.example and [1]',
    '![picture]',
    '[^1] foot',
  ])('are shown as they are: %s', (name) => {
    const { text, markup } = shown(`Job 3f9a "${plainText(name)}": every day`);
    expect(text).toBe(`Job 3f9a "${name}": every day`);
    expect(markup).toEqual([]);
  });

  it.each(['[https://bank.example](https://evil.example)', '[a][b]', '[a]: https://evil.example', '![a](b)'])(
    'never lead elsewhere: %s',
    (name) => {
      for (const place of [`Job "${plainText(name)}"`, plainText(name), `${plainText(name)}\n\n[b]`])
        expect(shown(place).markup).toEqual([]);
    },
  );
});
