import type { Choice } from '../store/approvals.ts';
import type { Words } from './policy-config.ts';

const APPROVE = ['approve', 'yes', 'ok', 'okay', 'confirm', 'y', '👍'];
const DENY = ['deny', 'no', 'reject', 'cancel', 'n', '👎'];

/** What a whole message says about the one card that waits; undefined: it is ordinary input. */
export function readWord(text: string, more: Words): Choice | undefined {
  const word = bare(text);
  if (listed(word, APPROVE, more.approve)) return 'once';
  if (listed(word, ['session'], more.session)) return 'session';
  if (listed(word, ['always'], more.always)) return 'always';
  if (listed(word, DENY, more.deny)) return 'deny';
  return undefined;
}

/** A reply that begins with a deny word: the rest is the reason. */
export function readDenial(text: string, more: Words): string | undefined {
  const [, first, rest] = /^\s*(\S+)\s+(.*)$/s.exec(text) ?? [];
  if (first === undefined || !listed(bare(first.replace(/[,:;-]+$/, '')), DENY, more.deny)) return undefined;
  return (rest as string).trim() || undefined;
}

const bare = (text: string) =>
  text
    .trim()
    .replace(/[.!]+$/, '')
    .trim()
    .toLowerCase();

function listed(word: string, words: readonly string[], more: readonly string[] = []): boolean {
  return words.includes(word) || more.some((other) => bare(other) === word);
}
