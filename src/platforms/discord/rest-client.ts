import { DiscordAPIError, HTTPError, RateLimitError, type RawFile, REST } from 'discord.js';
import type { Clock } from '../../contract/clock.ts';
import type { SendFailure } from '../../contract/errors.ts';
import { deadline } from '../wire/deadline.ts';
import type { Penalties } from '../wire/penalties.ts';
import { DiscordError, judgeRefusal, type Refused } from './failure.ts';
import type { RefusalBreaker } from './refusal-breaker.ts';
import { HiddenRefusal, type Trace, type Wire, WireError } from './wire.ts';

/** Four attempts of the library at 10 s and some waiting. */
const CALL_MS = 45_000;
/** No Retry-After: Discord's own block of an address. */
const UNTOLD_WAIT_MS = 60_000;
const EVERY_ROUTE = 'every route';

export interface Call {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly route: `/${string}`;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: RawFile[];
  readonly signal?: AbortSignal;
  /** An answer to an interaction: its own token, no limits, never held back. */
  readonly open?: true;
  /** Never repeated without being asked again. */
  readonly once?: true;
  readonly timeoutMs?: number;
}

export interface RestClientDeps {
  readonly token: string;
  readonly api: string;
  readonly clock: Clock;
  readonly wire: Wire;
  readonly breaker: RefusalBreaker;
  readonly penalties: Penalties;
  /** Longer waits are refused with `wait`. */
  readonly maxWaitMs: number;
  /** Discord takes 50 of a bot; the library spreads more than that. */
  readonly callsPerSecond: number;
}

/** One call at a time to the REST API: the library's queues, penalties obeyed, every error rebuilt as a DiscordError. */
export class RestClient {
  readonly #deps: RestClientDeps;
  readonly #rest: REST;
  /** Answers to interactions are not bound by the bot's global limit: they have queues of their own. */
  readonly #answers: REST;

  constructor(deps: RestClientDeps) {
    this.#deps = deps;
    this.#rest = new REST(restOptions(deps)).setToken(deps.token);
    this.#answers = new REST(restOptions(deps));
  }

  /** Rejects with DiscordError only. A 204 gives undefined. */
  async call<T>(call: Call): Promise<T> {
    if (!call.open) this.#obey(call);
    const limit = deadline(this.#deps.clock, call.timeoutMs ?? CALL_MS, call.signal);
    const trace = this.#deps.wire.open({
      ...(call.once ? { once: true } : {}),
      ...(call.files ? { patient: limit.signal } : {}),
    });
    try {
      const result: unknown = await (call.open ? this.#answers : this.#rest)[call.method](
        call.route,
        this.#request(call, trace, limit.signal),
      );
      return (result instanceof ArrayBuffer ? undefined : result) as T;
    } catch (error) {
      throw this.#rebuilt(call, trace, error);
    } finally {
      this.#deps.wire.close(trace);
      limit.clear();
    }
  }

  #request({ body, query, files, open }: Call, trace: Trace, signal: AbortSignal): object {
    return {
      headers: this.#deps.wire.headers(trace),
      auth: open !== true,
      signal,
      ...(body === undefined ? {} : { body }),
      ...(query ? { query: new URLSearchParams(query) } : {}),
      ...(files ? { files } : {}),
    };
  }

  #obey(call: Call): void {
    const { breaker, penalties } = this.#deps;
    const left = Math.max(breaker.left, penalties.left([limitOf(call), EVERY_ROUTE]));
    if (left === 0) return;
    const sentence = `Discord allows no ${shownRoute(call)} for ${Math.ceil(left / 1000)} s; it is sent then.`;
    throw new DiscordError(shownRoute(call), NO_ANSWER, { kind: 'wait', retryAfterMs: left }, sentence);
  }

  #rebuilt(call: Call, trace: Trace, error: unknown): DiscordError {
    const route = shownRoute(call);
    if (error instanceof RateLimitError) return this.#limited(call, error);
    const refused = refusalOf(error);
    if (refused) {
      const said = refused.message.replace(/\s+/g, ' ').slice(0, 200);
      const sentence = `Discord refused ${route}: ${said} (${refused.code || refused.status}).`;
      return new DiscordError(route, refused, { kind: judgeRefusal(refused) }, sentence);
    }
    const kind = unansweredKind(trace, error);
    const what =
      kind === 'unreached' ? 'could not be reached' : kind === 'auth' ? 'refuses the token' : 'gave no answer';
    return new DiscordError(route, NO_ANSWER, { kind }, `Discord ${what} for ${route}.`);
  }

  #limited(call: Call, error: RateLimitError): DiscordError {
    const told = Math.max(error.retryAfter, error.sublimitTimeout, error.timeToReset);
    const retryAfterMs = error.retryAfter <= 0 ? UNTOLD_WAIT_MS : Math.ceil(told);
    if (!call.open) this.#deps.penalties.close(error.global ? EVERY_ROUTE : limitOf(call), retryAfterMs);
    const sentence = `Discord limits ${shownRoute(call)} for ${Math.ceil(retryAfterMs / 1000)} s; it is sent then.`;
    return new DiscordError(shownRoute(call), { status: 429, code: 0 }, { kind: 'wait', retryAfterMs }, sentence);
  }
}

const NO_ANSWER = { status: 0, code: 0 };

export type RestRoad = Pick<RestClientDeps, 'api' | 'wire' | 'maxWaitMs' | 'callsPerSecond'>;

/** The library's options, for our calls and for the connection's own. */
export function restOptions({ api, wire, maxWaitMs, callsPerSecond }: RestRoad) {
  return {
    api,
    globalRequestsPerSecond: callsPerSecond,
    version: '10',
    timeout: 10_000,
    retries: 3,
    invalidRequestWarningInterval: 100,
    makeRequest: wire.makeRequest,
    rejectOnRateLimit: (data: { retryAfter: number; sublimitTimeout: number; timeToReset: number }) =>
      data.retryAfter <= 0 || Math.max(data.retryAfter, data.sublimitTimeout, data.timeToReset) > maxWaitMs,
  };
}

/** What a limit closes: the method and the route of one channel, guild or application. */
function limitOf({ method, route }: Call): string {
  const [, kind, id, ...rest] = route.split('/');
  return [method, kind, id, ...rest.map((part) => (/^\d+$/.test(part) ? ':id' : part))].join('/');
}

/** For people and logs: the tokens of interactions are secrets, too. */
function shownRoute({ method, route }: Call): string {
  const shown = route.replace(/^(\/(?:interactions|webhooks)\/\d+)\/[^/]+/, '$1/[token]');
  return `${method.toUpperCase()} ${shown}`;
}

function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof HiddenRefusal) return { status: 429, code: error.code, message: 'too late to edit it' };
  if (!(error instanceof DiscordAPIError)) return undefined;
  const { status, message } = error;
  const code = Number(error.code);
  return { status, code: Number.isFinite(code) ? code : 0, message };
}

function unansweredKind(trace: Trace, error: unknown): Exclude<SendFailure['kind'], 'wait' | 'moved'> {
  if (error instanceof WireError) return error.kind;
  if (error instanceof HTTPError) return trace.lost ? 'ambiguous' : 'unreached';
  if (error instanceof Error && error.name === 'AbortError') return trace.written ? 'ambiguous' : 'unreached';
  // The library's own words for a token it has dropped after a 401.
  if (error instanceof Error && error.message.startsWith('Expected token')) return 'auth';
  return trace.written ? 'ambiguous' : 'format';
}
