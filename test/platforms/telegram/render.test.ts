import { describe, expect, it } from 'vitest';
import { render } from '../../../src/platforms/telegram/render.ts';

/** Text and entities on one line: `type[covered]`. */
function drawn(markdown: string): readonly [string, string] {
  const { text, entities } = render(markdown);
  const faces = entities.map(({ type, offset, length, url, language }) => {
    return `${type}[${text.slice(offset, offset + length)}]${url ?? language ?? ''}`;
  });
  return [text, faces.join(' ')];
}

describe('links', () => {
  it.each([
    ['[x](https://e.org/a)', 'x', 'text_link[x]https://e.org/a'],
    ['[x](http://localhost:3000)', 'x (http://localhost:3000)', ''],
    ['[x](./notes.md)', 'x (./notes.md)', ''],
    ['[x](javascript:alert)', 'x (javascript:alert)', ''],
    ['[x](http://[::1]:80/)', 'x', 'text_link[x]http://[::1]:80/'],
    ['[x](tg://user?id=1)', 'x', 'text_link[x]tg://user?id=1'],
    ['[write](mailto:a@b.org)', 'write (a@b.org)', ''],
    ['<a@b.org> or a@b.org', 'a@b.org or a@b.org', ''],
    ['<https://e.org> https://e.org [https://e.org](https://e.org)', 'https://e.org https://e.org https://e.org', ''],
    ['[](https://e.org)', 'https://e.org', ''],
    ['![plot](https://e.org/p.png)', 'plot', 'text_link[plot]https://e.org/p.png'],
    ['![](https://e.org/p.png)', 'https://e.org/p.png', ''],
    ['![plot](p.png)', 'plot (p.png)', ''],
    ['[![plot](https://e.org/p.png)](https://e.org)', 'plot', 'text_link[plot]https://e.org'],
    ['[`f()`](https://e.org)', 'f()', 'text_link[f()]https://e.org'],
    ['[x][1]\n\n[1]: https://e.org', 'x', 'text_link[x]https://e.org'],
    ['[INFO]: done', '[INFO]: done', ''],
  ])('%s', (markdown, text, faces) => {
    expect(drawn(markdown)).toEqual([text, faces]);
  });
});

describe('blocks', () => {
  it.each([
    ['# A *b* **c**', 'A b c', 'bold[A b c] italic[b]'],
    ['Title\n===', 'Title', 'bold[Title]'],
    ['> a\n> > b', 'a\n\nb', 'blockquote[a\n\nb]'],
    ['> ```js\n> x\n> ```', 'x', 'blockquote[x] pre[x]js'],
    ['```js {1}\n  x\n    y\n```', '  x\n    y', 'pre[  x\n    y]js'],
    ['```\n\n```', '', ''],
    ['a\n\n```\n```\n\nb', 'a\n\n \n\nb', ''],
    ['    x\n      y', 'x\n  y', 'pre[x\n  y]'],
    ['3) a\n4) b', '3) a\n4) b', ''],
    ['1. [ ] a\n2. [x] b', '1. ☐ a\n2. ☑ b', ''],
    ['- a\n  - b\n\n    more\n- c', '• a\n  • b\n\n    more\n• c', ''],
    ['- a\n  b', '• a\n  b', ''],
    ['a\n\n---\n\nb', `a\n\n${'─'.repeat(10)}\n\nb`, ''],
    ['a<br>b<br/>c', 'a\nb\nc', ''],
    ['a  \nb\\\nc', 'a\nb\nc', ''],
    ['x[^n] y[^m]\n\n[^m]: **two**\n[^n]: one', 'x[1] y[2]\n\n[1] one\n\n[2] two', 'bold[two]'],
  ])('%j', (markdown, text, faces) => {
    const [shown, marked] = drawn(markdown);
    expect([shown, marked]).toEqual([text, faces]);
  });

  it('draws a wide table as groups, with its links', () => {
    const wide =
      '| Name | A header that is very long | Link |\n|---|---|---|\n| a | **b** | [c](https://e.org) |\n| d |';
    expect(drawn(wide)).toEqual([
      '• Name: a\n  A header that is very long: b\n  Link: c\n• Name: d\n  A header that is very long: \n  Link:',
      'bold[b] text_link[c]https://e.org',
    ]);
  });

  it('writes the target of a link out where a table is monospace', () => {
    expect(drawn('| a |\n|---|\n| [b](https://e.org) |')[0]).toBe('a\n-----------------\nb (https://e.org)');
  });
});

describe('faces', () => {
  it.each([
    ['**a `b` c**', 'a b c', 'bold[a b c] code[b]'],
    ['||**a** b||', 'a b', 'spoiler[a b] bold[a]'],
    ['**||a||**', 'a', 'bold[a] spoiler[a]'],
    ['** a **', '** a **', ''],
    ['`\\(x\\)` \\(y\\)', '\\(x\\) \\(y\\)', 'code[\\(x\\)]'],
    ['__init__ and __so it is__', '__init__ and so it is', 'bold[so it is]'],
    ['😀 **😀**', '😀 😀', 'bold[😀]'],
  ])('%s', (markdown, text, faces) => {
    expect(drawn(markdown)).toEqual([text, faces]);
  });
});
