import type { Choice } from '../store/approvals.ts';

export interface AnswerCommand {
  /** A code or id, everything that waits here, or undefined: the only one. */
  readonly target: string | 'all' | undefined;
  readonly choice: Choice;
  /** Of a timed yes. */
  readonly minutes?: number;
  readonly reason?: string;
}

const KINDS: Readonly<Record<string, Choice>> = { once: 'once', session: 'session', always: 'always' };
export const LONGEST_MINUTES = 720;
export const LONGEST_REASON = 500;

/** The words after `/approve`, in any order; a sentence where they make no sense. `isTarget` knows the codes that wait. */
export function readApprove(args: string, isTarget: (word: string) => boolean): AnswerCommand | string {
  let target: string | undefined;
  let choice: Choice = 'once';
  let length: number | undefined;
  for (const word of args.toLowerCase().split(/\s+/).filter(Boolean)) {
    const timed = /^(\d{1,4})(m|min|h)$/.exec(word);
    // `235m` may be a code: whoever answers a request that waits means that one.
    if (isTarget(word)) target = word;
    else if (timed) {
      length = Number(timed[1]) * (timed[2] === 'h' ? 60 : 1);
      choice = 'timed';
    } else if (KINDS[word]) choice = KINDS[word];
    else if (word === 'all' || looksLikeCode(word)) target = word;
    else return `I do not understand "${word}". Write /approve [code|all] [once|30m|2h|session|always].`;
  }
  if (length !== undefined && (length < 1 || length > LONGEST_MINUTES)) return 'A timed yes lasts from 1 min to 12 h.';
  return { target, choice, ...(length === undefined ? {} : { minutes: length }) };
}

/** The words after `/deny`: `all` or a code first, or a code last; the rest is the reason. */
export function readDeny(args: string, isTarget: (word: string) => boolean): AnswerCommand {
  const words = args.trim().split(/\s+/).filter(Boolean);
  const place = placeOfTarget(
    words.map((word) => word.toLowerCase()),
    isTarget,
  );
  const target = place < 0 ? undefined : words[place]?.toLowerCase();
  const reason = (place < 0 ? words : words.toSpliced(place, 1)).join(' ').slice(0, LONGEST_REASON);
  return { target, choice: 'deny', ...(reason === '' ? {} : { reason }) };
}

function placeOfTarget(words: readonly string[], isTarget: (word: string) => boolean): number {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return -1;
  // A word like `nope` may be a reason; one with a digit is a code, even of a request that is over.
  const code = looksLikeCode(first) && /[2-7]/.test(first);
  if (first === 'all' || isTarget(first) || code) return 0;
  return isTarget(last) ? words.length - 1 : -1;
}

const looksLikeCode = (word: string) => /^(?:[a-z2-7]{4}|[a-z2-7]{26})$/.test(word);
