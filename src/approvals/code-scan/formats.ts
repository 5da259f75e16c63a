import type { Budget } from './budget.ts';
import { choices, joined } from './choices.ts';
import type { Effect } from './effects.ts';
import { gives } from './effects.ts';
import type { Token } from './tokens.ts';
import type { Value } from './values.ts';
import { ANYTHING, asText, fits, madeText, onlyParts, textOf, textValue } from './values.ts';

type Text = Value & { readonly kind: 'text' };

/** Pieces as one text: what stands between the matches, and a value for each of them. */
function filled(pattern: Text, hole: RegExp, fill: (match: RegExpMatchArray) => Value, budget: Budget): Value {
  let text = '';
  let from = 0;
  const values: Value[] = [pattern];
  for (const match of pattern.text.matchAll(hole)) {
    const value = fill(match);
    values.push(value);
    text += pattern.text.slice(from, match.index) + asText(value);
    from = match.index + match[0].length;
  }
  return madeText(text + pattern.text.slice(from), values, budget);
}

/** `%s` and `%d`; with widths and the like it is not known which of them it is. */
export function fillPercent(pattern: Text, args: readonly Value[], budget: Budget): Value {
  return joined(choices(args, budget).map((row) => fillOne(pattern, row, budget)));
}

function fillOne(pattern: Text, args: readonly Value[], budget: Budget): Value {
  let next = 0;
  const fill = ([text]: RegExpMatchArray) => {
    if (text === '%%') return textValue('%');
    return text !== undefined && /^%[sdiu]$/.test(text) ? (args[next++] ?? ANYTHING) : onlyParts(args);
  };
  return filled(pattern, /%(?:[-+ #0-9.]*[A-Za-z]|%|\(\w+\)\w|\{)/g, fill, budget);
}

/** `sprintf('%s', x)` and its kin. */
export const printsFormat: Effect = gives((use) => {
  const [pattern, ...args] = use.args;
  return pattern?.kind === 'text' ? fillPercent(pattern, args, use.sink.budget) : undefined;
});

/** `'{}'.format(x)`. */
export const formatsBraces: Effect = gives((use) => {
  if (use.on?.kind !== 'text') return undefined;
  let next = 0;
  const fill = ([text, name]: RegExpMatchArray) => {
    if (name === undefined) return textValue(text?.[0] as string);
    if (name === '') return use.args[next++] ?? ANYTHING;
    const given = /^\d+$/.test(name) ? use.args[Number(name)] : use.named.get(name);
    return given ?? onlyParts([...use.args, ...use.named.values()]);
  };
  return filled(use.on, /\{\{|\}\}|\{([^{}]*)\}/g, fill, use.sink.budget);
});

/** The text of a token with its marks replaced. */
export function fillIn({ text, inner = [] }: Token, values: readonly Value[], budget: Budget): Value {
  let filled = '';
  let from = 0;
  for (const [i, { at }] of inner.entries()) {
    if (at < 0) continue;
    filled += text.slice(from, at) + asText(values[i]);
    from = at + 1;
  }
  filled += text.slice(from);
  return fits(filled.length, budget) ? { ...textOf(filled, values), computed: true } : onlyParts(values);
}
