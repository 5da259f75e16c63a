import type { ApprovalId } from '../contract/ids.ts';
import type { Choice } from '../store/approvals.ts';

export type Letter = 'o' | 't' | 's' | 'a' | 'j' | 'd' | 'r';

/** Kind `ap` of the button data: which card of which request, and what was chosen. */
export interface AnswerData {
  readonly approval: ApprovalId;
  readonly nonce: string;
  readonly letter: string;
}

const SHAPE = /^h1:(ap|qu):([a-z2-7]{26}):([a-z2-7]{6}):([a-z0-9])$/;
const CHOICES: Readonly<Record<string, Choice>> = {
  o: 'once',
  t: 'timed',
  s: 'session',
  a: 'always',
  j: 'job',
  d: 'deny',
  r: 'deny',
};
const LETTERS = Object.fromEntries(Object.entries(CHOICES).map(([letter, choice]) => [choice, letter])) as Readonly<
  Record<Choice, Letter>
>;

/** Characters of a nonce. */
export const NONCE_LENGTH = 6;

/** `h1:ap:<id>:<nonce>:<letter>`, 41 bytes. */
export function writeAnswer(approval: ApprovalId, nonce: string, letter: Letter): string {
  return `h1:ap:${approval}:${nonce}:${letter}`;
}

/** The data of a question's button: `0` to `3` for the choices, `r` for words of one's own. */
export function writeQuestionAnswer(question: ApprovalId, nonce: string, letter: string): string {
  return `h1:qu:${question}:${nonce}:${letter}`;
}

/** Undefined: another version, another kind, or no data of ours. */
export function readAnswer(data: string): (AnswerData & { readonly kind: 'ap' | 'qu' }) | undefined {
  const [, kind, approval, nonce, letter] = SHAPE.exec(data) ?? [];
  if (kind === undefined) return undefined;
  return {
    kind: kind as 'ap' | 'qu',
    approval: approval as ApprovalId,
    nonce: nonce as string,
    letter: letter as string,
  };
}

export const letterOf = (choice: Choice): Letter => (choice === 'deny' ? 'd' : LETTERS[choice]);
export const choiceOf = (letter: string): Choice | undefined => CHOICES[letter];
