import { DefaultRestOptions, type RESTOptions, type ResponseLike } from 'discord.js';
import { neverConnected } from '../wire/network-errors.ts';
import type { RefusalBreaker } from './refusal-breaker.ts';

type MakeRequest = RESTOptions['makeRequest'];
type Init = Parameters<MakeRequest>[1];

const TRACE = 'x-hermod-call';
/** Codes that come with a 429 and mean something else than "later". */
const NOT_LATER: ReadonlySet<number> = new Set([30046]);

/** What happened to one call of ours on its way, over all the library's attempts. */
export interface Trace {
  readonly id: string;
  /** The library must not repeat it: the work cannot be recognised as done. */
  readonly once: boolean;
  /** Ends the request, where the library's own timeout is too short. */
  readonly patient: AbortSignal | undefined;
  /** It left us at least once. */
  written: boolean;
  /** It left us and no proper answer came. */
  lost: boolean;
}

/** Thrown through the library, which does not repeat it. */
export class WireError extends Error {
  readonly kind: 'unreached' | 'ambiguous' | 'auth';

  constructor(kind: WireError['kind']) {
    super(`Discord: ${kind}`);
    this.name = 'WireError';
    this.kind = kind;
  }
}

/** A refusal that hides behind a 429. */
export class HiddenRefusal extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`Discord: ${code}`);
    this.name = 'HiddenRefusal';
    this.code = code;
  }
}

export interface WireDeps {
  /** Without a version. */
  readonly api: string;
  readonly breaker: RefusalBreaker;
  /** Discord refuses the token for good. */
  readonly revoked: () => void;
}

/**
 * Stands between the library's queues and the network: knows what left us, proves the token after a 401 before the library
 * forgets it, and turns network errors into kinds.
 */
export class Wire {
  readonly #deps: WireDeps;
  readonly #traces = new Map<string, Trace>();
  #last = 0;

  constructor(deps: WireDeps) {
    this.#deps = deps;
  }

  /** For one call; `headers` of the trace go along with it as far as here. Close it afterwards. */
  open(how: { readonly once?: boolean; readonly patient?: AbortSignal } = {}): Trace {
    const id = String(++this.#last);
    const trace: Trace = { id, once: how.once === true, patient: how.patient, written: false, lost: false };
    this.#traces.set(id, trace);
    return trace;
  }

  headers({ id }: Trace): Record<string, string> {
    return { [TRACE]: id };
  }

  close({ id }: Trace): void {
    this.#traces.delete(id);
  }

  /** The library's `makeRequest`. */
  readonly makeRequest: MakeRequest = async (url, init) => {
    const { [TRACE]: id, ...headers } = (init.headers ?? {}) as Record<string, string>;
    const trace = this.#traces.get(id ?? '');
    const plain = { ...init, headers, ...(trace?.patient ? { signal: trace.patient } : {}) } as Init;
    const response = await this.#attempt(url, plain, trace);
    if (response.status !== 401 || headers['Authorization'] === undefined) return response;
    await this.#prove(headers, init);
    return this.#attempt(url, plain, trace);
  };

  async #attempt(url: string, init: Init, trace: Trace | undefined): Promise<ResponseLike> {
    if (trace && !init.signal?.aborted) trace.written = true;
    const response = await this.#network(url, init, trace);
    this.#deps.breaker.count(response.status);
    if (response.status === 429) await notLater(response);
    if (response.status >= 500) await this.#broken(response, trace);
    return response;
  }

  async #network(url: string, init: Init, trace: Trace | undefined): Promise<ResponseLike> {
    try {
      return await DefaultRestOptions.makeRequest(url, init);
    } catch (error) {
      if (neverConnected(error)) throw new WireError(trace?.lost ? 'ambiguous' : 'unreached');
      if (trace) trace.lost = true;
      const timeout = error instanceof Error && error.name === 'AbortError';
      if (timeout && !trace?.once) throw error;
      throw new WireError('ambiguous');
    }
  }

  /** A JSON body is the server's own word that it failed; anything else is a proxy's, and the work may be done. */
  async #broken(response: ResponseLike, trace: Trace | undefined): Promise<void> {
    const own = response.headers.get('content-type')?.startsWith('application/json') === true;
    await response.arrayBuffer().catch(() => undefined);
    if (own || !trace) return;
    trace.lost = true;
    if (trace.once) throw new WireError('ambiguous');
  }

  /** One 401 is not the end of a token; two are. */
  async #prove(headers: Readonly<Record<string, string>>, init: Init): Promise<void> {
    const { dispatcher, signal } = init;
    const about = { method: 'GET', headers: { authorization: headers['Authorization'] as string } };
    const asked = { ...about, ...(dispatcher ? { dispatcher } : {}), ...(signal ? { signal } : {}) } as Init;
    const answer = await this.#network(`${this.#deps.api}/v10/users/@me`, asked, undefined);
    await answer.arrayBuffer().catch(() => undefined);
    if (answer.ok) return;
    if (answer.status !== 401) throw new WireError('unreached');
    this.#deps.revoked();
    throw new WireError('auth');
  }
}

async function notLater(response: ResponseLike): Promise<void> {
  const body: unknown = await response.json().catch(() => undefined);
  const code = typeof body === 'object' && body !== null && 'code' in body ? Number(body.code) : 0;
  if (NOT_LATER.has(code)) throw new HiddenRefusal(code);
}
