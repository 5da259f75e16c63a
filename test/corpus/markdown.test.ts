import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { render } from '../../src/platforms/telegram/render.ts';
import type { Entity, RichText } from '../../src/platforms/telegram/rich-text.ts';
import { split } from '../../src/platforms/telegram/split.ts';
import { checkText } from '../fakes/telegram-checks.ts';

interface Row {
  readonly md: string;
  readonly plain: string;
  readonly must: readonly string[];
  readonly why: string;
}

const rows: readonly Row[] = readFileSync(new URL('markdown.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Row);

/** Lines trimmed, runs of blanks as one, empty lines dropped. */
function plainly(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/[^\S\n]+/g, ' '))
    .filter((line) => line !== '')
    .join('\n');
}

function covered(rich: RichText, entity: Entity): string {
  return rich.text.slice(entity.offset, entity.offset + entity.length);
}

function ofType(rich: RichText, type: string): readonly Entity[] {
  const name = { quote: 'blockquote', link: 'text_link' }[type] ?? type;
  return rich.entities.filter((entity) => entity.type === name);
}

function solid(text: string): string {
  return text.replace(/\s+/g, '');
}

type Check = (rich: RichText, match: RegExpExecArray) => boolean;

/** The corpus's own language of demands, one pattern each; the first that fits is the one. */
const DEMANDS: readonly (readonly [RegExp, Check])[] = [
  [/^no entities$/, (rich) => rich.entities.length === 0],
  [/^no raw (.*)$/s, (rich, m) => !rich.text.includes(m[1] as string)],
  [/^no (\w+)$/, (rich, m) => ofType(rich, m[1] as string).length === 0],
  [/^(\w+) over (.*)$/s, (rich, m) => ofType(rich, m[1] as string).some((entity) => covered(rich, entity) === m[2])],
  [
    /^link (.*) -> (.*)$/s,
    (rich, m) => ofType(rich, 'link').some((entity) => covered(rich, entity) === m[1] && entity.url === m[2]),
  ],
  [
    /^pre lang=(\S*) has (.*)$/s,
    (rich, m) => ofType(rich, 'pre').some((entity) => (entity.language ?? '') === m[1] && covered(rich, entity).includes(m[2] as string)),
  ],
  [/^quote has (.*)$/s, (rich, m) => ofType(rich, 'quote').some((entity) => covered(rich, entity).includes(m[1] as string))],
  [/^has (.*)$/s, (rich, m) => rich.text.includes(m[1] as string)],
  [/^lines (\d+)$/, (rich, m) => rich.text.split('\n').filter((line) => line.trim() !== '').length === Number(m[1])],
  [/^split valid$/, (rich) => solid(split(rich).map(({ text }) => text).join('')) === solid(rich.text)],
  [/^split exact$/, (rich) => exact(rich)],
  [/^split parts (\d+)$/, (rich, m) => split(rich).length === Number(m[1])],
  [/^split keeps bold$/, (rich) => keeps(rich, 'bold')],
  [/^split quote$/, (rich) => keeps(rich, 'quote')],
  [/^split pre lang=(\S*)$/, (rich, m) => split(rich).every((part) => ofType(part, 'pre').every(({ language }) => (language ?? '') === m[1]) && ofType(part, 'pre').length > 0)],
];

/** Nothing is missing but the one space or line break at each cut. */
function exact(rich: RichText): boolean {
  let rest = rich.text;
  for (const { text } of split(rich)) {
    const at = rest.indexOf(text);
    if (at < 0 || rest.slice(0, at).trim() !== '') return false;
    rest = rest.slice(at + text.length);
  }
  return rest.trim() === '';
}

/** As many characters wear the face after the split as before it, spaces aside. */
function keeps(rich: RichText, type: string): boolean {
  const worn = (text: RichText) => solid(ofType(text, type).map((entity) => covered(text, entity)).join('')).length;
  return worn(rich) > 0 && split(rich).reduce((sum, part) => sum + worn(part), 0) === worn(rich);
}

function holds(rich: RichText, demand: string): boolean {
  for (const [pattern, check] of DEMANDS) {
    const match = pattern.exec(demand);
    if (match) return check(rich, match);
  }
  throw new Error(`The corpus demands "${demand}", which this test cannot read.`);
}

/** Throws what the server would answer; what it would silently change counts as a fault too. */
function accept(part: RichText): void {
  const kept = checkText({ text: part.text, entities: part.entities }, 'text');
  expect(kept).toEqual({ text: part.text, entities: part.entities });
}

describe('the Markdown corpus', () => {
  it.each(rows)('$why', ({ md, plain, must }) => {
    const rich = render(md);
    expect(plainly(rich.text)).toBe(plainly(plain));
    expect(must.filter((demand) => !holds(rich, demand))).toEqual([]);
    for (const part of split(rich)) accept(part);
  });

  it.each(rows)('every prefix is accepted: $why', ({ md }) => {
    const step = Math.max(1, Math.floor(md.length / 150));
    for (let length = 0; length <= md.length; length += step) for (const part of split(render(md.slice(0, length)))) accept(part);
  });
});
