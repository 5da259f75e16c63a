import type { ApprovalRow, CancelReason } from '../store/approvals.ts';
import { plain } from './markdown.ts';
import { visible } from './visible.ts';
import { minutes } from './wording.ts';

type Time = (at: number) => string;
type Ended = Pick<
  ApprovalRow,
  'state' | 'choice' | 'decidedBy' | 'decidedAt' | 'reason' | 'details' | 'expiresAt' | 'kind' | 'requester'
>;

const CANCELLED: Readonly<Record<CancelReason, string>> = {
  stop: 'Stopped. Not run.',
  run: 'Stopped. Not run.',
  reset: 'Session reset. Not run.',
  restart: 'Not run: hermod restarted while this waited.',
  access: 'Not run: who asked may no longer use hermod.',
  undeliverable: 'Not run: this request could not be shown.',
};

function span({ choice, details }: Pick<Ended, 'choice' | 'details'>): string {
  const timed = `for ${minutes(details.timedMinutes)}`;
  const words = { once: 'once', timed, session: 'for this session', always: 'always', job: 'for this job', deny: '' };
  return words[choice ?? 'once'];
}

/** First line of every copy of a card once it is decided. Markdown. */
export function outcomeLine(row: Ended, time: Time): string {
  if (row.kind === 'question') return answerLine(row, time);
  const name = plain(row.decidedBy?.name ?? '', 60);
  const at = time(row.decidedAt ?? row.expiresAt);
  switch (row.state) {
    case 'granted':
      return `Allowed ${span(row)} by ${name}, ${at}`;
    case 'denied':
      return `Denied by ${name}, ${at}${row.reason === null ? '' : `: ${plain(row.reason)}`}`;
    case 'expired':
      return row.reason === 'restart' ? lapsedText(row, time) : `Expired ${time(row.expiresAt)}. Not run.`;
    default:
      return CANCELLED[(row.reason ?? 'stop') as CancelReason] ?? CANCELLED.stop;
  }
}

function answerLine(row: Ended, time: Time): string {
  const by = plain(row.decidedBy?.name ?? '', 60);
  if (row.state === 'granted')
    return `Answered by ${by}, ${time(row.decidedAt ?? row.expiresAt)}: ${plain(row.reason ?? '')}`;
  return row.state === 'expired' ? `Expired ${time(row.expiresAt)}. No answer.` : 'Not answered; what asked is over.';
}

/** A yes that came, and a process that went before it could begin. */
export function lapsedText({ decidedAt, expiresAt }: Pick<Ended, 'decidedAt' | 'expiresAt'>, time: Time): string {
  return `You allowed this at ${time(decidedAt ?? expiresAt)}, but hermod restarted before it began. Not run.`;
}

/** What the person reads whose answer counted. */
export function wonText(row: Ended): string {
  if (row.kind === 'question') return 'Answered.';
  return row.state === 'denied' ? 'Denied.' : `Allowed ${span(row)}.`;
}

/** What everybody reads who answers later. No Markdown. */
export function lateText(row: Ended, time: Time): string {
  if (row.kind === 'question' && row.state === 'granted')
    return `Already answered by ${visible(row.decidedBy?.name ?? 'nobody')}.`;
  if (row.state === 'expired') {
    if (row.reason === 'restart') return lapsedText(row, time);
    return `This expired at ${time(row.expiresAt)}; nothing was run. Ask again if you still want it.`;
  }
  if (row.state === 'cancelled') return outcomeLine(row, time);
  return `Already decided by ${visible(row.decidedBy?.name ?? 'nobody')}: ${row.state === 'denied' ? 'denied' : `allowed ${span(row)}`}.`;
}

export function notYoursText({ requester, details, kind }: Ended): string {
  const alone = kind === 'question' || details.requesterOnly;
  return `Only ${visible(requester.name)}${alone ? '' : ' or an approver'} can answer this.`;
}

export const STRANGER = 'You cannot answer this; nothing changed.';
export const DOES_NOT_FIT = 'This button does not fit this request; nothing changed.';
export const UNKNOWN = 'I do not know this request; nothing changed.';
export const FIRST_OF_TWO = '1 of 2, waiting for another approver';
export const SAME_PERSON = 'You said yes already; somebody else must say it too.';
