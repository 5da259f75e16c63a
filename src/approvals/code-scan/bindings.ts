import { bracketsAround } from './brackets.ts';
import type { Token } from './tokens.ts';

/** How often each name of a script is given a value: assigned, counted, looped over, or taken as a parameter. */
export function countBindings(tokens: readonly Token[]): Map<string, number> {
  const counts = new Map<string, number>();
  const around = bracketsAround(tokens);
  const bind = (token: Token | undefined) => {
    if (token?.kind === 'name') counts.set(token.text, (counts.get(token.text) ?? 0) + 1);
  };
  const bindUntil = (from: number, end: RegExp) => {
    for (let i = from; i < tokens.length && !end.test((tokens[i] as Token).text); i++) bind(tokens[i]);
  };
  const bindBack = (from: number, among: RegExp) => {
    for (let i = from; i >= 0; i--) {
      const token = tokens[i] as Token;
      if (token.kind !== 'name' && !(token.kind === 'op' && among.test(token.text))) break;
      bind(token);
    }
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const before = tokens[i - 1];
    if (token.kind === 'name') {
      const open = tokens[i + 1]?.text === '(';
      if (LOOPS.test(token.text) && !(open && token.text === 'foreach'))
        bindUntil(open ? i + 2 : i + 1, /^(?:in|of|[(;){}\n])$/);
      else if (FUNCTIONS.test(token.text)) bindUntil(i + 1, /^(?:[):{}\n]|=>)$/);
    } else if (token.kind !== 'op') continue;
    else if (token.text === '=>') {
      if (before?.text === ')') bindBack(i - 2, /^[,=]$/);
      else bind(before);
    } else if (token.text === '|' && /^(?:\{|do)$/.test(before?.text ?? '')) bindUntil(i + 1, /^[|\n]$/);
    else if (GIVES.test(token.text)) {
      if (before?.kind === 'name') bind(before);
      else if (before?.kind === 'op')
        bindBack(i - 1, token.text === '=' ? /^(?:[,()[\]{}:*]|\|\||&&|\?\?|%|\||&|\^)$/ : /^$/);
      if (tokens[i - 2]?.text === ',' && !isArgument(tokens, around[i - 2] ?? -1)) bindBack(i - 2, /^[,()[\]*]$/);
      if (/^(?:\+\+|--)$/.test(token.text)) bind(tokens[i + 1]);
    }
  }
  return counts;
}

/** Whether a name behind a comma is an argument's, `f(a, b=1)`, and not the last of `a, b = 1`. */
function isArgument(tokens: readonly Token[], bracket: number): boolean {
  const called = tokens[bracket - 1];
  return tokens[bracket]?.text === '(' && called?.kind === 'name' && !/^(?:my|our|local)$/.test(called.text);
}

const LOOPS = /^(?:for|foreach|as|catch|global|nonlocal)$/;
const FUNCTIONS = /^(?:def|function|func|fn|sub|lambda)$/;
const GIVES = /^(?:=|:=|\+=|-=|\*=|\/=|\.=|\*\*=|<<=|>>=|\+\+|--|=~)$/;
