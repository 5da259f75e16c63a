import { SendError, type SendFailure } from '../../contract/errors.ts';

type PlainKind = Exclude<SendFailure['kind'], 'wait' | 'moved'>;

interface Row {
  readonly codes: readonly number[];
  readonly kind: PlainKind;
}

/** Discord's codes whatever the status; 10003 of a thread is told apart by who asked. */
const ROWS: readonly Row[] = [
  { codes: [10008, 30046, 50083], kind: 'missing' },
  { codes: [10003, 10004, 10013, 50001, 50007, 50013, 50278], kind: 'gone' },
  { codes: [40005, 50045], kind: 'size' },
];

/** Answers without one of these codes, by HTTP status. */
const BY_STATUS: ReadonlyMap<number, PlainKind> = new Map([
  [401, 'auth'],
  [403, 'gone'],
  [413, 'size'],
]);

/** An answer that is not a result. */
export interface Refused {
  readonly status: number;
  /** Discord's JSON error code; 0 where there is none. */
  readonly code: number;
  /** What Discord says, its nested form errors included. */
  readonly message: string;
}

/** What became of a call that Discord answered with a refusal. Too long is a size, any other bad form our bug. */
export function judgeRefusal({ status, code, message }: Refused): PlainKind {
  const row = ROWS.find(({ codes }) => codes.includes(code));
  if (row) return row.kind;
  if (code === 50035) return /BASE_TYPE_(?:BAD|MAX)_LENGTH/.test(message) ? 'size' : 'format';
  return BY_STATUS.get(status) ?? (status >= 500 ? 'unreached' : 'format');
}

/** The one error that leaves the adapter: route, status, code; no body, no cause, no token of an interaction. */
export class DiscordError extends SendError {
  /** `POST /channels/1/messages`. */
  readonly route: string;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly code: number;

  constructor(route: string, refused: Pick<Refused, 'status' | 'code'>, failure: SendFailure, sentence: string) {
    super(failure, sentence);
    this.name = 'DiscordError';
    this.route = route;
    this.status = refused.status;
    this.code = refused.code;
  }
}

/** Why a thread takes no message, for the channel around it, which may. */
const THREAD_NOTICES: ReadonlyMap<number, string> = new Map([
  [10003, 'the thread is gone'],
  [50083, 'the thread is locked'],
  [50001, 'I cannot see the thread any more'],
  [50013, 'I may not write in the thread'],
]);

/** A refusal of a thread is none of the channel it is in. */
export function refusedByThread(error: DiscordError): DiscordError {
  const notice = THREAD_NOTICES.get(error.code);
  if (notice === undefined) return error;
  return new DiscordError(error.route, error, { kind: 'missing', notice }, `On Discord ${notice}.`);
}

/** Anything that is not ours becomes a bug with a name, so that callers only ever see SendError. */
export function asSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const name = error instanceof Error ? error.name : typeof error;
  return new SendError({ kind: 'format' }, `The Discord adapter failed before any call (${name}); report this.`);
}
