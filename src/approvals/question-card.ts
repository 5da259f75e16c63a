import type { Button, OutboundMessage } from '../contract/message.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import { writeQuestionAnswer } from './answer-data.ts';
import type { CardRow, CardView } from './card.ts';
import { cut, plain } from './markdown.ts';

/** A question of the agent's to the requester: text, up to four choices as buttons, any text as an answer. */
export function questionCard(row: CardRow, nonce: string, view: CardView): OutboundMessage {
  const { options = [], multi = false, replyTo } = row.details;
  const drawn = view.limits.buttons && !multi;
  const listed = options.map((option, i) => `${i + 1}\\. ${plain(option, 100)}`);
  const text = [`**${plain(row.command ?? '', 300)}**`, ...(drawn ? [] : listed), hint(row, view, drawn)].join('\n');
  const buttons = drawn ? buttonRows(row, nonce, view.limits.forms) : [];
  return { text, ...(buttons.length === 0 ? {} : { buttons }), ...(replyTo === undefined ? {} : { replyTo }) };
}

function hint({ details, direct, expiresAt }: CardRow, view: CardView, drawn: boolean): string {
  const how = direct ? 'Write your answer' : 'Reply to this message with your answer';
  const numbers = details.options?.length && !drawn ? (details.multi ? ', or the numbers' : ', or the number') : '';
  return `${how}${numbers}. Until ${view.time(expiresAt)}.`;
}

function buttonRows(row: CardRow, nonce: string, forms: boolean): readonly (readonly Button[])[] {
  const { options = [] } = row.details;
  const choices = options.map((option, i) => [
    { label: cut(option, 60), data: writeQuestionAnswer(row.id, nonce, String(i)) },
  ]);
  return forms ? [...choices, [{ label: 'Other', data: writeQuestionAnswer(row.id, nonce, 'r') }]] : choices;
}

/** What a typed answer means: numbers of choices where it is nothing else, the text itself otherwise. */
export function readTyped(text: string, { details }: Pick<ApprovalRow, 'details'>): string {
  const { options = [], multi = false } = details;
  const numbers = /^[\d\s,;.]+$/.test(text) ? (text.match(/\d+/g) ?? []).map(Number) : [];
  const chosen = numbers.map((number) => options[number - 1]);
  if (chosen.length === 0 || chosen.includes(undefined) || (!multi && chosen.length > 1)) return text;
  return [...new Set(chosen)].join(', ');
}
