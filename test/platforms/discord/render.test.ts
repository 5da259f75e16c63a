import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { markup } from '../../../src/platforms/discord/markup.ts';
import { render } from '../../../src/platforms/discord/render.ts';
import { split } from '../../../src/platforms/discord/split.ts';
import { readDiscord, type Seen } from '../../fakes/discord-reader.ts';

const LIMIT = 2000;

interface Row {
  readonly md: string;
  readonly plain: string;
  readonly must: readonly string[];
  readonly why: string;
}

const rows: readonly Row[] = readFileSync(new URL('../../corpus/markdown.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row);

const drawn = (markdown: string) => markup(render(markdown));
const solid = (text: string) => text.replace(/[\s\u200b]+/g, '');

/** Lines trimmed, runs of blanks as one, empty lines dropped. */
function plainly(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/[^\S\n]+/g, ' '))
    .filter((line) => line !== '')
    .join('\n');
}

/** A part is one message on its own: within the limit, with every fence closed. */
function check(part: string): Seen {
  expect(part.length).toBeLessThanOrEqual(LIMIT);
  const fences = part.split('\n').filter((line) => /^(?:> )?```/.test(line));
  expect(fences.length % 2).toBe(0);
  expect(part).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/);
  return readDiscord(part);
}

const FACES: Readonly<Record<string, string>> = { strikethrough: 'strike', link: 'link', pre: 'pre', quote: 'quote' };

function holds(seen: Seen, demand: string): boolean {
  const [, type, text] = /^(\w+) over (.*)$/s.exec(demand) ?? [];
  const style = FACES[type ?? ''] ?? type;
  if (type !== undefined)
    return seen.faces.some(
      (face) => (face.style === style || (type === 'bold' && /^heading/.test(face.style))) && face.text === text,
    );
  const [, label, url] = /^link (.*) -> (.*)$/s.exec(demand) ?? [];
  if (label !== undefined)
    return seen.faces.some((face) => face.style === 'link' && face.text === label && face.url === url);
  const [, language, code] = /^pre lang=(\S*) has (.*)$/s.exec(demand) ?? [];
  if (code !== undefined)
    return seen.faces.some(
      (face) => face.style === 'pre' && (face.language ?? '') === language && face.text.includes(code),
    );
  const [, quoted] = /^quote has (.*)$/s.exec(demand) ?? [];
  if (quoted !== undefined) return seen.faces.some((face) => face.style === 'quote' && face.text.includes(quoted));
  const [, has] = /^has (.*)$/s.exec(demand) ?? [];
  if (has !== undefined) return seen.text.includes(has);
  const [, none] = /^no (bold|italic|strikethrough|spoiler|code)$/.exec(demand) ?? [];
  if (none !== undefined) return !seen.faces.some((face) => face.style === (FACES[none] ?? none));
  if (demand === 'no entities') return seen.faces.every((face) => face.style === 'url');
  return true;
}

describe('the Markdown corpus on Discord', () => {
  it.each(rows)('$why', ({ md, plain, must }) => {
    const parts = split(render(md), LIMIT);
    const seen = parts.map(check);
    if (parts.length === 1) expect(plainly(seen[0]?.text ?? '')).toBe(plainly(plain));
    expect(solid(seen.map(({ text }) => text).join('')) === solid(plain)).toBe(true);
    if (parts.length === 1) expect(must.filter((demand) => !holds(seen[0] as Seen, demand))).toEqual([]);
  });

  it.each(rows)('every prefix is a message: $why', ({ md }) => {
    const step = Math.max(1, Math.floor(md.length / 100));
    for (let length = 0; length <= md.length; length += step)
      for (const part of split(render(md.slice(0, length)), LIMIT)) check(part);
  });
});

describe('what Discord would read otherwise', () => {
  it.each([
    ['__init__.py and __name__', '__init__.py and __name__'],
    ['a || b || c', 'a || b || c'],
    ['\\# not a heading', '# not a heading'],
    ['1\\. not a list', '1. not a list'],
    ['text\n\\- not a list\n\\> not a quote', 'text\n- not a list\n> not a quote'],
    ['5 * 3 * 2 and a_b_c and ~~~x', '5 * 3 * 2 and a_b_c and ~~~x'],
    ['\\[not a link\\](https://e.org)', '\\[not a link\\](https://e.org)'],
    [
      'hi @everyone, @here, <@123>, <@&5>, <#77>, <:wave:99>, <t:1618953630:R>, </help:1>',
      'hi @everyone, @here, <@123>, <@&5>, <#77>, <:wave:99>, <t:1618953630:R>, </help:1>',
    ],
    ['C:\\Users\\me \\* x', 'C:\\Users\\me * x'],
    ['- \\# in an item\n- \\- a dash', '• # in an item\n• - a dash'],
    ['2026\\. A year\nand -5 degrees', '2026. A year\nand -5 degrees'],
  ])('%s', (md, text) => {
    const seen = readDiscord(drawn(md));
    expect(seen.mentions).toEqual([]);
    expect(plainly(seen.text)).toBe(plainly(text));
    expect(seen.faces.filter(({ style }) => !['url', 'link'].includes(style))).toEqual([]);
  });

  it.each([
    ['[`fn()`](https://e.org/fn)', 'fn()', 'https://e.org/fn'],
    ['[a [b] c](https://e.org)', 'a [b] c', 'https://e.org'],
    ['[Foo](https://en.wikipedia.org/wiki/Foo_(bar))', 'Foo', 'https://en.wikipedia.org/wiki/Foo_(bar)'],
    ['![a picture](https://e.org/p.png)', 'a picture', 'https://e.org/p.png'],
  ])('a link: %s', (md, label, url) => {
    expect(readDiscord(drawn(md)).faces).toContainEqual({ style: 'link', text: label, url });
  });

  it.each([
    ['[https://bank.org](https://evil.org)', 'https://bank.org (https://evil.org)'],
    ['[bank.org](https://evil.org)', 'bank.org (https://evil.org)'],
    ['[docs](../README.md)', 'docs (../README.md)'],
    ['[mail](mailto:a@b.org)', 'mail (a@b.org)'],
    ['see (https://e.org/a_b_c) and https://e.org/x*y*z.', 'see (https://e.org/a_b_c) and https://e.org/x*y*z.'],
    ['[https://e.org/a_b](https://e.org/a_b)', 'https://e.org/a_b'],
  ])('an address is shown as it is: %s', (md, text) => {
    expect(readDiscord(drawn(md)).text).toBe(text);
  });

  it.each([
    ['`a`', 'a'],
    ['`` a`b ``', 'a`b'],
    ['`` `a` ``', '`a`'],
    ['``` a``b ```', 'a``b'],
    ['`@everyone <@1>`', '@everyone <@1>'],
  ])('code: %s', (md, text) => {
    expect(readDiscord(drawn(md)).faces).toEqual([{ style: 'code', text }]);
  });

  it.each([
    ['faces that open together and end apart', '***src/**/*.ts', 'src//.ts', ['bold', 'italic']],
    ['an italic one around a bold one', '_**-**世界_', '-世界', ['bold', 'italic']],
    ['the same one twice', '***x***', 'x', ['bold', 'italic']],
    ['a sign of a face in an address within it', '__https://e.org**__init__', 'https://e.org**__init', ['url']],
    ['and in the target of a link', '**[x](https://e.org/a**b)**', 'x', ['link']],
    ['an address that a face cuts', '_https://e.org__init__---**', 'https://e.org__init_---**', ['italic', 'url']],
    ['letters that go on behind it', '@everyonehttps://e.org*~~*👩', '@everyonehttps://e.org~~👩', ['italic', 'url']],
    ['a block of nothing', '~~~\n\n\n~~~', ' ', ['pre']],
  ])('shows every letter: %s', (_, md, text, styles) => {
    const seen = readDiscord(drawn(md));
    expect(seen.text).toBe(text);
    expect(seen.faces.map(({ style }) => style).sort()).toEqual(styles);
  });

  it('a fence holds three backticks', () => {
    const seen = readDiscord(drawn('````md\n```js\nx\n```\n````'));
    expect(seen.faces).toEqual([{ style: 'pre', text: '```js\nx\n```', language: 'md' }]);
  });

  it('faces end with their line and begin again below', () => {
    expect(drawn('**two\nlines** here')).toBe('**two**\n**lines** here');
    expect(drawn('> quoted **bold\n> twice**\n\nafter')).toBe('> quoted **bold**\n> **twice**\n\nafter');
  });

  it('quotes hold code and nested quotes', () => {
    expect(drawn('> one\n> > two\n>\n> ```sh\n> ls\n> ```')).toBe('> one\n> \n> two\n> \n> ```sh\n> ls\n> ```');
  });

  it('lists keep depth, numbers and boxes', () => {
    expect(drawn('3. c\n   - d\n     - e\n4. f\n\n- [ ] g\n- [x] h')).toBe('3. c\n  - d\n    - e\n4. f\n\n☐ g\n☑ h');
  });

  it('nothing but spaces is nothing', () => {
    for (const blank of ['', ' \n ', '\n\n', '[1]: https://e.org\n\n&#8203;'.slice(0, 0)])
      expect(split(render(blank), LIMIT)).toEqual([]);
  });

  it('text that only looks like Markdown stays as it is', () => {
    const text = `${'- '.repeat(40)}deep`;
    expect(readDiscord(drawn(text)).text).toContain('deep');
  });
});

describe('splitting', () => {
  const words = (length: number) =>
    'lorem ipsum dolor '
      .repeat(Math.ceil(length / 18))
      .slice(0, length - 1)
      .concat('.');

  it('loses nothing about the limit, whatever stands there', () => {
    for (let length = 1_985; length <= 2_010; length++)
      for (const [before, open, close] of [
        ['', '', ''],
        ['', '**', '**'],
        ['', '```typescript-with-a-long-name-and-meta title="a file.ts" {1,3}\n', '\n```'],
        ['Words first.\n\n', '```\n', '\n```'],
        ['> ', '', ''],
        ['- ', '_', '_'],
      ] as const) {
        const body = words(Math.max(1, length - open.length - close.length - before.length));
        const parts = split(render(`${before}${open}${body}${close}`), LIMIT);
        const seen = parts.map(check);
        expect(solid(seen.map(({ text }) => text).join(''))).toContain(solid(body));
      }
  });

  it('carries fences with their language, bold and quotes', () => {
    const code = Array.from({ length: 200 }, (_, i) => `  const line${i} = ${i};`).join('\n');
    const parts = split(render(`\`\`\`ts\n${code}\n\`\`\``), LIMIT);
    const seen = parts.map(check);
    expect(parts.length).toBeGreaterThan(2);
    expect(seen.every(({ faces }) => faces.length === 1 && faces[0]?.language === 'ts')).toBe(true);
    expect(seen.map(({ faces }) => faces[0]?.text).join('\n')).toBe(code);
    const bold = split(render(`> **${words(5_000)}**`), LIMIT);
    expect(bold.every((part) => /^> \*\*.*\*\*$/s.test(part))).toBe(true);
  });

  it('never cuts an address or a link', () => {
    for (let shift = 0; shift < 60; shift++) {
      const md = `${words(1_950 + shift)} [the label of a link](https://e.org/${'p'.repeat(40)}) and https://e.org/${'q'.repeat(60)} end`;
      const seen = split(render(md), LIMIT).map(check);
      const faces = seen.flatMap((one) => one.faces);
      expect(faces).toContainEqual({
        style: 'link',
        text: 'the label of a link',
        url: `https://e.org/${'p'.repeat(40)}`,
      });
      expect(faces).toContainEqual({
        style: 'url',
        text: `https://e.org/${'q'.repeat(60)}`,
        url: `https://e.org/${'q'.repeat(60)}`,
      });
    }
  });

  it('cuts one word without end at letters people see', () => {
    const family = '👩‍👩‍👧';
    const seen = split(render(family.repeat(900)), LIMIT).map(check);
    expect(seen.map(({ text }) => text).join('')).toBe(family.repeat(900));
    expect(seen.every(({ text }) => text.length % family.length === 0)).toBe(true);
  });

  it('text that doubles when it is written down still fits', () => {
    const text = '2*3_4||5'.repeat(400);
    const seen = split(render(text), LIMIT).map(check);
    expect(solid(seen.map((one) => one.text).join('')) === text).toBe(true);
  });
});
