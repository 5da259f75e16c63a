import type { Token } from './tokens.ts';

export function isOpening({ kind, text }: Token): boolean {
  return kind === 'op' && (text === '(' || text === '[' || text === '{');
}

export function isClosing({ kind, text }: Token): boolean {
  return kind === 'op' && (text === ')' || text === ']' || text === '}');
}

/** For each opening bracket the place of its closing one; -1 for what is never closed and for other tokens. */
export function closingsOf(tokens: readonly Token[]): Int32Array {
  const closings = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  for (const [i, token] of tokens.entries()) {
    if (isOpening(token)) open.push(i);
    else if (isClosing(token)) {
      const from = open.pop();
      if (from !== undefined) closings[from] = i;
    }
  }
  return closings;
}

/** For each token the bracket it stands in, if no statement ended since that was opened; else -1. */
export function bracketsAround(tokens: readonly Token[]): Int32Array {
  const around = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  let at = -1;
  for (const [i, token] of tokens.entries()) {
    around[i] = at;
    if (isOpening(token)) {
      open.push(at);
      at = i;
    } else if (isClosing(token)) at = open.pop() ?? -1;
    else if (token.kind === 'newline' || token.text === ';') at = -1;
  }
  return around;
}
