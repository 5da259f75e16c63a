import type { IncomingMessage, ServerResponse } from 'node:http';

export type FaultKind =
  /** A JSON refusal: `status`, `code`, `message`. */
  | 'refuse'
  /** 429; `retryAfter` seconds, or null for an answer without the header. */
  | 'limit'
  /** 429 for every route at once. */
  | 'global-limit'
  /** An HTML page with `status`, as a proxy answers. */
  | 'html'
  /** Accepts the request and never answers. */
  | 'hang'
  /** Does the work and never answers. */
  | 'hang-after'
  /** Cuts the connection before any work. */
  | 'reset-before'
  /** Does the work, then cuts the connection. */
  | 'reset-after'
  /** Does the work, then answers after `delayMs`. */
  | 'slow';

export interface FaultPlan {
  readonly kind: FaultKind;
  /** How many calls it hits; default 1. */
  readonly times?: number;
  /** Calls it lets through first; default 0. */
  readonly after?: number;
  readonly status?: number;
  readonly code?: number;
  readonly message?: string;
  readonly retryAfter?: number | null;
  readonly delayMs?: number;
}

export interface Fault extends FaultPlan {
  readonly route: RegExp;
  hits: number;
  seen: number;
}

/** Planned misbehaviour by route (`POST /channels/123/messages`) and count. */
export class Faults {
  readonly #planned: Fault[] = [];

  plan(route: RegExp, plan: FaultPlan): Fault {
    const fault: Fault = { ...plan, route, hits: 0, seen: 0 };
    this.#planned.push(fault);
    return fault;
  }

  clear(): void {
    this.#planned.length = 0;
  }

  next(route: string): Fault | undefined {
    for (const fault of this.#planned) {
      if (!fault.route.test(route)) continue;
      if (fault.hits >= (fault.times ?? 1) || fault.seen++ < (fault.after ?? 0)) continue;
      fault.hits++;
      return fault;
    }
    return undefined;
  }
}

/** Answers in place of the route; false if the fault comes after the work. */
export function answerInstead(fault: Fault, request: IncomingMessage, response: ServerResponse): boolean {
  switch (fault.kind) {
    case 'refuse': {
      const { status = 400, code = 0, message = 'planned refusal' } = fault;
      sendJson(response, status, status === 401 ? { message: '401: Unauthorized', code: 0 } : { message, code });
      return true;
    }
    case 'limit':
    case 'global-limit': {
      const seconds = fault.retryAfter === undefined ? 3 : fault.retryAfter;
      const global = fault.kind === 'global-limit';
      const scope = {
        'x-ratelimit-scope': global ? 'global' : 'shared',
        ...(global ? { 'x-ratelimit-global': 'true' } : {}),
      };
      const headers = seconds === null ? {} : { ...scope, 'retry-after': String(seconds) };
      const body = { message: 'You are being rate limited.', retry_after: seconds ?? 0, global };
      sendJson(response, 429, body, headers);
      return true;
    }
    case 'html':
      response.writeHead(fault.status ?? 502, { 'content-type': 'text/html' });
      response.end(`<html><head><title>${fault.status ?? 502}</title></head><body>cloudflare</body></html>`);
      return true;
    case 'hang':
      return true;
    case 'reset-before':
      request.socket.resetAndDestroy();
      return true;
    default:
      return false;
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
