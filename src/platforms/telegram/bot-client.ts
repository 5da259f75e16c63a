import { Api, type ApiClientOptions, GrammyError } from 'grammy';
import type { Clock } from '../../contract/clock.ts';
import { SendError } from '../../contract/errors.ts';
import type { Address } from '../../contract/message.ts';
import { deadline } from '../wire/deadline.ts';
import { neverConnected } from '../wire/network-errors.ts';
import type { Penalties } from '../wire/penalties.ts';
import { type BotAnswer, judgeAnswer, TelegramError } from './failure.ts';
import { bridgedFetch, StrangeAnswer } from './fetch-bridge.ts';
import { redact } from './redact.ts';

const CALL_TIMEOUT_MS = 60_000;
/** Ours always comes first; grammY's own is only there so that no call can hang for ever. */
const LAST_RESORT_S = 600;

export type RawApi = Api['raw'];

export interface CallOptions {
  /** The chat that a penalty closes; without one the method is closed. */
  readonly to?: Address;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Beside what a chat or the whole bot may send: presses are answered and updates fetched all the same. */
  readonly beside?: boolean;
}

export interface BotClientDeps {
  readonly token: string;
  readonly apiRoot: string;
  readonly clock: Clock;
  readonly penalties: Penalties;
}

type Params = Readonly<Record<string, unknown>>;
type AnyMethod = (payload: Params, signal?: AbortSignal) => Promise<unknown>;

/** One call at a time to the Bot API: deadlines by the clock, penalties obeyed, every error rebuilt as a TelegramError. */
export class BotClient {
  readonly #deps: BotClientDeps;
  readonly #raw: RawApi;

  constructor(deps: BotClientDeps) {
    this.#deps = deps;
    const fetch = bridgedFetch as unknown as NonNullable<ApiClientOptions['fetch']>;
    this.#raw = new Api(deps.token, { apiRoot: deps.apiRoot, timeoutSeconds: LAST_RESORT_S, fetch }).raw;
  }

  /** Rejects with TelegramError only; never waits for a penalty. */
  async call<M extends keyof RawApi & string>(
    method: M,
    payload: object,
    options: CallOptions = {},
  ): Promise<Awaited<ReturnType<RawApi[M]>>> {
    this.#obey(method, options);
    const limit = deadline(this.#deps.clock, options.timeoutMs ?? CALL_TIMEOUT_MS, options.signal);
    try {
      const run = this.#raw[method] as unknown as AnyMethod;
      const result = takesPayload(method)
        ? run(payload as Params, limit.signal)
        : (run as unknown as (signal: AbortSignal) => Promise<unknown>)(limit.signal);
      return (await result) as Awaited<ReturnType<RawApi[M]>>;
    } catch (error) {
      throw this.#rebuilt(method, error, options);
    } finally {
      limit.clear();
    }
  }

  #obey(method: string, { to, beside }: CallOptions): void {
    const keys = [penaltyKey(method, to), ...(beside ? [] : ['bot'])];
    const left = this.#deps.penalties.left(keys);
    if (left === 0) return;
    const sentence = `Telegram allows no ${method} here for ${Math.ceil(left / 1000)} s; it is sent then.`;
    throw new TelegramError(method, 0, { failure: { kind: 'wait', retryAfterMs: left }, reason: 'other' }, sentence);
  }

  #rebuilt(method: string, error: unknown, options: CallOptions): TelegramError {
    const answer = answerOf(error);
    if (!answer) return unanswered(method, error);
    const judged = judgeAnswer(answer, options.to);
    if (judged.failure.kind === 'wait')
      this.#deps.penalties.close(penaltyKey(method, options.to), judged.failure.retryAfterMs);
    const said = redact(answer.description, this.#deps.token).slice(0, 200);
    return new TelegramError(method, answer.code, judged, `Telegram refused ${method}: ${said} (${answer.code}).`);
  }
}

/** grammY passes these no payload, only the signal. */
function takesPayload(method: string): boolean {
  return method !== 'getMe' && method !== 'getWebhookInfo';
}

function penaltyKey(method: string, to: Address | undefined): string {
  return to ? `chat:${to.chat}` : `method:${method}`;
}

/** Telegram's refusal, or a proxy's 429; anything else is no answer. */
function answerOf(error: unknown): BotAnswer | undefined {
  if (error instanceof GrammyError) {
    const { retry_after, migrate_to_chat_id } = error.parameters;
    return {
      code: error.error_code,
      description: error.description ?? '',
      ...(retry_after === undefined ? {} : { retryAfterS: retry_after }),
      ...(migrate_to_chat_id === undefined ? {} : { migrateTo: migrate_to_chat_id }),
    };
  }
  const strange = strangeAnswer(error);
  if (strange?.status !== 429) return undefined;
  return {
    code: 429,
    description: 'Too Many Requests',
    ...(strange.retryAfterS === undefined ? {} : { retryAfterS: strange.retryAfterS }),
  };
}

function strangeAnswer(error: unknown): StrangeAnswer | undefined {
  const inner = error instanceof Error && 'error' in error ? error.error : error;
  return inner instanceof StrangeAnswer ? inner : undefined;
}

function unanswered(method: string, error: unknown): TelegramError {
  const strange = strangeAnswer(error);
  const kind = neverConnected(error) ? 'unreached' : 'ambiguous';
  const what = strange
    ? `answered ${strange.status} without JSON`
    : kind === 'unreached'
      ? 'could not be reached'
      : 'gave no answer';
  return new TelegramError(
    method,
    strange?.status ?? 0,
    { failure: { kind }, reason: 'other' },
    `Telegram ${what} to ${method}; it is tried again.`,
  );
}

/** Anything that is not ours becomes a bug with a name, so that callers only ever see SendError. */
export function asSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const name = error instanceof Error ? error.name : typeof error;
  return new SendError({ kind: 'format' }, `The Telegram adapter failed before any call (${name}); report this.`);
}
