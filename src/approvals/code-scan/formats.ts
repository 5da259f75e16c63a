import type { Effect } from './effects.ts';
import { gives } from './effects.ts';
import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, choices, joined, madeText, onlyParts, textOf, textValue } from './values.ts';

type Text = Value & { readonly kind: 'text' };

/** Pieces as one text: what stands between the matches, and a value for each of them. */
function filled(pattern: Text, hole: RegExp, fill: (match: RegExpMatchArray) => Value): Value {
  let text = '';
  let from = 0;
  const values: Value[] = [pattern];
  for (const match of pattern.text.matchAll(hole)) {
    const value = fill(match);
    values.push(value);
    text += pattern.text.slice(from, match.index) + asText(value);
    from = match.index + match[0].length;
  }
  return madeText(text + pattern.text.slice(from), values);
}

/** `%s` and `%d`; with widths and the like it is not known which of them it is. */
export function fillPercent(pattern: Text, args: readonly Value[]): Value {
  return joined(choices(args).map((row) => fillOne(pattern, row)));
}

function fillOne(pattern: Text, args: readonly Value[]): Value {
  let next = 0;
  return filled(pattern, /%(?:[-+ #0-9.]*[A-Za-z]|%|\(\w+\)\w|\{)/g, ([text]) => {
    if (text === '%%') return textValue('%');
    return /^%[sdiu]$/.test(text) ? (args[next++] ?? ANYTHING) : onlyParts(args);
  });
}

/** `sprintf('%s', x)` and its kin. */
export const printsFormat: Effect = gives((use) => {
  const [pattern, ...args] = use.args;
  return pattern?.kind === 'text' ? fillPercent(pattern, args) : undefined;
});

/** `'{}'.format(x)`. */
export const formatsBraces: Effect = gives((use) => {
  if (use.on?.kind !== 'text') return undefined;
  let next = 0;
  return filled(use.on, /\{\{|\}\}|\{([^{}]*)\}/g, ([text, name]) => {
    if (name === undefined) return textValue(text[0] as string);
    if (name === '') return use.args[next++] ?? ANYTHING;
    const given = /^\d+$/.test(name) ? use.args[Number(name)] : use.named.get(name);
    return given ?? onlyParts([...use.args, ...use.named.values()]);
  });
});

/** The text of a token with its marks replaced. */
export function fillIn({ text, inner = [] }: Token, values: readonly Value[]): Value {
  let filled = '';
  let from = 0;
  for (const [i, { at }] of inner.entries()) {
    if (at < 0) continue;
    filled += text.slice(from, at) + asText(values[i]);
    from = at + 1;
  }
  return { ...textOf(filled + text.slice(from), values), computed: true };
}
