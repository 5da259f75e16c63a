import { SendError, type SendFailure } from '../../contract/errors.ts';
import type { Address } from '../../contract/message.ts';

/** What an answer of the Bot API means beyond its kind, where the adapter itself has to do something. */
export type Reason =
  | 'unchanged'
  | 'old_query'
  | 'style'
  | 'entities'
  | 'kicked'
  | 'thread'
  | 'poll_conflict'
  | 'webhook_conflict'
  | 'other';

/** An answer that is not a result; `status` is HTTP's where the body was not Telegram's JSON. */
export interface BotAnswer {
  readonly code: number;
  readonly description: string;
  readonly retryAfterS?: number;
  readonly migrateTo?: number;
}

type PlainKind = Exclude<SendFailure['kind'], 'wait' | 'moved'>;

interface Row {
  readonly code: number;
  readonly says: RegExp;
  readonly kind: PlainKind;
  readonly reason?: Reason;
}

const ROWS: readonly Row[] = [
  { code: 400, says: /message is not modified/i, kind: 'format', reason: 'unchanged' },
  { code: 400, says: /query is too old|query id is invalid/i, kind: 'missing', reason: 'old_query' },
  { code: 400, says: /too long|too big|too large|MEDIA_EMPTY|must be non-empty/i, kind: 'size' },
  { code: 400, says: /style/i, kind: 'format', reason: 'style' },
  {
    code: 400,
    says: /message to edit not found|can't be edited|MESSAGE_ID_INVALID|in the message to edit/i,
    kind: 'missing',
  },
  {
    code: 400,
    says: /thread not found|TOPIC_(?:CLOSED|DELETED)|topic (?:was )?(?:closed|deleted|not found)/i,
    kind: 'missing',
    reason: 'thread',
  },
  { code: 400, says: /message to (?:be replied|reply|react) not found/i, kind: 'missing' },
  {
    code: 400,
    says: /chat not found|user not found|PEER_ID_INVALID|no rights|not enough rights|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED/i,
    kind: 'gone',
  },
  { code: 400, says: /entit|UTF-?(?:8|16)|HTTP URL|URL host/i, kind: 'format', reason: 'entities' },
  { code: 403, says: /kicked from the supergroup/i, kind: 'gone', reason: 'kicked' },
  { code: 403, says: /(?:)/, kind: 'gone' },
  { code: 401, says: /(?:)/, kind: 'auth' },
  { code: 409, says: /webhook/i, kind: 'unreached', reason: 'webhook_conflict' },
  { code: 409, says: /(?:)/, kind: 'unreached', reason: 'poll_conflict' },
  { code: 413, says: /(?:)/, kind: 'size' },
];

/** Telegram gives no time now and then; then this many seconds. */
const UNTOLD_WAIT_S = 5;

export interface Judged {
  readonly failure: SendFailure;
  readonly reason: Reason;
}

/** What became of a call that Telegram answered with a refusal. */
export function judgeAnswer(answer: BotAnswer, to: Address | undefined): Judged {
  const { code, description, migrateTo } = answer;
  if (migrateTo !== undefined && to)
    return { failure: { kind: 'moved', to: { ...to, chat: String(migrateTo) } }, reason: 'other' };
  if (code === 429) return { failure: { kind: 'wait', retryAfterMs: penaltyMs(answer.retryAfterS) }, reason: 'other' };
  if (code >= 500) return { failure: { kind: 'unreached' }, reason: 'other' };
  const row = ROWS.find((candidate) => candidate.code === code && candidate.says.test(description));
  return { failure: { kind: row?.kind ?? 'format' }, reason: row?.reason ?? 'other' };
}

/** The time Telegram asks for and 5 % more, at least half a second. */
export function penaltyMs(retryAfterS: number | undefined): number {
  const told = (retryAfterS ?? UNTOLD_WAIT_S) * 1000;
  return told + Math.max(500, Math.ceil(told * 0.05));
}

/** The one error that leaves the adapter: method, code and description; no payload, no cause, no URL. */
export class TelegramError extends SendError {
  readonly method: string;
  /** Telegram's error code; 0 where there was no answer. */
  readonly code: number;
  readonly reason: Reason;

  constructor(method: string, code: number, judged: Judged, sentence: string) {
    super(judged.failure, sentence);
    this.name = 'TelegramError';
    this.method = method;
    this.code = code;
    this.reason = judged.reason;
  }
}
