import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, MAX_ARGUMENT_BYTES, readArguments } from '../../src/agent/repair.ts';

// One seed: a run that fails, fails again. Another finds more, when somebody looks for more.
fc.configureGlobal({ seed: 7 });

const READ: readonly (readonly [why: string, raw: string, value: unknown])[] = [
  ['plain', '{"a": 1}', { a: 1 }],
  ['empty', '', {}],
  ['blank', ' \n', {}],
  ['a fence', '```json\n{"a": 1}\n```', { a: 1 }],
  ['a bare fence', '```\n{"a": 1}```', { a: 1 }],
  ['doubly encoded', JSON.stringify('{"a": 1}'), { a: 1 }],
  ['raw line breaks and tabs in a text', '{"a": "x\ny\tz"}', { a: 'x\ny\tz' }],
  ['a comma too many', '{"a": [1, 2, ], }', { a: [1, 2] }],
  ['literals of Python', '{"a": True, "b": False, "c": None}', { a: true, b: false, c: null }],
  ['literals inside a text stay', '{"a": "True, None, ]", "b": True}', { a: 'True, None, ]', b: true }],
  ['quotes of Python', `{'a': 'it\\'s "so"', 'b': "it's"}`, { a: 'it\'s "so"', b: "it's" }],
  ['a fence inside a text stays', '{"a": "```\\nx\\n```"}', { a: '```\nx\n```' }],
  ['escapes stay', '{"a": "c:\\\\new\\u0041", }', { a: 'c:\\newA' }],
];

const NOT_READ: readonly (readonly [why: string, raw: string])[] = [
  ['a missing quote', '{"a": "x}'],
  ['a missing bracket', '{"a": "x"'],
  ['a missing bracket after a repair', '{"a": True, "b": [1, 2,'],
  ['an unclosed single quote', "{'a': 'x}"],
  ['a list', '[1]'],
  ['a number', '5'],
  ['a text', '"rm -rf build"'],
  ['words', 'run the tests'],
  ['two objects', '{"a": 1}{"b": 2}'],
];

describe('readArguments', () => {
  it.each(READ)('reads %s', (_why, raw, value) => {
    const read = readArguments(raw);
    expect(read).toMatchObject({ ok: true, value });
    expect(read.ok && JSON.parse(read.text)).toEqual(value);
  });

  it.each(NOT_READ)('does not read %s', (_why, raw) => {
    expect(readArguments(raw)).toMatchObject({ ok: false });
  });

  it('puts nothing right where the answer was cut', () => {
    expect(readArguments('', false)).toMatchObject({ ok: false });
    expect(readArguments('{"a": 1,}', false)).toMatchObject({ ok: false });
    expect(readArguments('{"a": 1}', false)).toMatchObject({ ok: true });
  });

  it('does not read more than 256 KB', () => {
    const raw = JSON.stringify({ a: 'x'.repeat(MAX_ARGUMENT_BYTES) });
    expect(readArguments(raw)).toMatchObject({ ok: false, why: expect.stringContaining('256 KB') });
  });

  it('never reads a cut object as a whole one', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        expect(readArguments(cut).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('reads every object as it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(readArguments(text)).toMatchObject({ ok: true, text: JSON.stringify(JSON.parse(text)) });
      }),
    );
  });

  it('reads 256 KB of anything in linear time', () => {
    for (const piece of ["'", '{"a":', ',', ', ', 'True', '\\"', '"\n']) {
      readArguments(piece.repeat(Math.floor((MAX_ARGUMENT_BYTES - 1) / piece.length)));
    }
  });
});

describe('canonicalJson', () => {
  it('is the same for every order of keys, at every depth', () => {
    expect(canonicalJson({ b: 1, a: [{ d: 1, c: 2 }] })).toBe(canonicalJson({ a: [{ c: 2, d: 1 }], b: 1 }));
    expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
  });
});
