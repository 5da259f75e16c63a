import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/http/page/markdown.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

const draw = (text: string) => renderMarkdown(text).text;

const ALLOWED =
  /^(?:<\/?(?:p|h[3-6]|blockquote|ul|ol|li|figure|figcaption|pre|code|table|thead|tbody|tr|strong|em|del|sup)>|<br>|<hr>|<ol start="\d+">|<ol class="notes">|<figure class="code">|<pre tabindex="0">|<div class="wide" tabindex="0">|<\/div>|<t[hd](?: class="(?:right|center)")?>|<\/t[hd]>|<span class="box">|<\/span>|<a href="(?:https?:\/\/[^"<>]+|mailto:[^"<>]+)" target="_blank" rel="noopener noreferrer">|<\/a>)$/i;

/** Everything that is markup, by a reader that trusts nothing. */
function strangers(html: string): readonly string[] {
  return (html.match(/<[^>]*>?/g) ?? []).filter((tag) => !ALLOWED.test(tag));
}

interface Row {
  readonly md: string;
  readonly plain: string;
  readonly must: readonly string[];
}
const corpus = readFileSync(new URL('../corpus/markdown.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);

describe('renderMarkdown', () => {
  it.each([
    ['**a** *b* ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>'],
    ['# One\n\n###### Six', '<h3>One</h3><h6>Six</h6>'],
    [
      '- a\n- [x] b\n- [ ] c',
      '<ul><li>a</li><li><span class="box">☑</span> b</li><li><span class="box">☐</span> c</li></ul>',
    ],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    [
      '```ts\na<b\n```',
      '<figure class="code"><figcaption>ts</figcaption><pre tabindex="0"><code>a&lt;b</code></pre></figure>',
    ],
    ['```text\na\n```', '<figure class="code"><pre tabindex="0"><code>a</code></pre></figure>'],
    ['> a', '<blockquote><p>a</p></blockquote>'],
    ['a\nb  \nc', '<p>a\nb<br>c</p>'],
    ['x[^1]\n\n[^1]: note', '<p>x<sup>[1]</sup></p><ol class="notes"><li><p>note</p></li></ol>'],
    ['__init__ 2*3*4', '<p>__init__ 2*3*4</p>'],
    [
      '[a](https://example.org/x)',
      '<p><a href="https://example.org/x" target="_blank" rel="noopener noreferrer">a</a></p>',
    ],
    [
      '[a][r]\n\n[r]: mailto:a@b.example',
      '<p><a href="mailto:a@b.example" target="_blank" rel="noopener noreferrer">a</a></p>',
    ],
    [
      '|a|b|\n|-|-:|\n|1|2|',
      '<div class="wide" tabindex="0"><table><thead><tr><th>a</th><th class="right">b</th></tr></thead><tbody><tr><td>1</td><td class="right">2</td></tr></tbody></table></div>',
    ],
  ])('%j', (text, html) => {
    expect(draw(text)).toBe(html);
  });

  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;'],
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['a <b onclick="x()">b</b>', '&lt;b onclick=&quot;x()&quot;&gt;'],
    ['[a](javascript:alert(1))', 'a (javascript:alert(1))'],
    ['[a](JaVaScRiPt:alert(1))', 'a (JaVaScRiPt:alert(1))'],
    ['[a](data:text/html,x)', 'a (data:text/html,x)'],
    ['[a](//evil.example)', 'a (//evil.example)'],
    ['[a](/c/main)', 'a (/c/main)'],
    ['[a](file:///etc/passwd)', 'a (file:///etc/passwd)'],
    ['<javascript:alert(1)>', 'javascript:alert(1)'],
    ['![pixel](https://evil.example/p?data=1)', '<a href="https://evil.example/p?data=1"'],
    ['![x](data:image/png;base64,AAAA)', 'x (data:image/png;base64,AAAA)'],
    ['[a](https://e.example/"onmouseover="x)', 'href="https://e.example/&quot;onmouseover=&quot;x"'],
    ['```"><script>\nx\n```', '<code>x</code>'],
  ])('shows %j and does nothing', (text, part) => {
    const html = draw(text);
    expect(html).toContain(part);
    expect(strangers(html)).toEqual([]);
  });

  it('lets only its own elements out, for every row of the corpus and every prefix a stream would show', () => {
    for (const { md } of corpus) {
      expect(strangers(draw(md))).toEqual([]);
      for (let end = 1; end < Math.min(md.length, 200); end++) expect(strangers(draw(md.slice(0, end)))).toEqual([]);
    }
  });

  it('lets only its own elements out, whatever the pieces', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '`',
      '*',
      '_',
      '[',
      ']',
      '(',
      ')',
      '!',
      '|',
      '\n',
      '\n\n',
      '- ',
      '> ',
      'a',
      ' ',
      'javascript:',
      'https://e.example',
      '<script>',
      '&lt;',
      '```',
      '~~',
      '#',
      '\\',
      '^1',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(strangers(draw(pieces.join('')))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('shows the text of every row of the corpus that has no table or spoiler', () => {
    const bare = (text: string) => text.replace(/[\s•☐☑─]+|\[\d+\]|\d+\. /g, '');
    const textOf = (html: string) =>
      html
        .replace(/<figcaption>.*?<\/figcaption>/g, '')
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
    const rows = corpus.filter(({ md }) => !/\|\|?/.test(md));
    const different = rows.filter(({ md, plain }) => bare(textOf(draw(md))) !== bare(plain)).map(({ md }) => md);
    expect(rows.length).toBeGreaterThan(40);
    expect(different).toEqual([]);
  });

  it.each([
    ['quotes', '> '.repeat(8_000)],
    ['lists', '- '.repeat(8_000)],
    ['numbers', `${'1. '.repeat(5_000)}a`],
    ['both', `${'- > '.repeat(4_000)}a`],
    ['marks', '**a*'.repeat(4_000)],
  ])('shows thousands of nested %s as they are', (_name, text) => {
    expect(draw(text).startsWith('<pre>')).toBe(true);
  });
});
