import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../src/contract/clock.ts';

export type FaultKind =
  /** A JSON refusal: `status`, `description`, optional `parameters`. */
  | 'refuse'
  /** 429; `retryAfter` seconds, or null for an answer without one. */
  | 'limit'
  /** An HTML page with `status`, as a proxy answers. */
  | 'html'
  /** 200 with a body that is not JSON. */
  | 'garbage'
  /** Accepts the request and never answers. */
  | 'hang'
  /** Cuts the connection before any work. */
  | 'reset-before'
  /** Does the work, then cuts the connection. */
  | 'reset-after'
  /** Does the work, then answers half of the body and the rest after `delayMs`. */
  | 'slow';

export interface FaultPlan {
  readonly kind: FaultKind;
  /** How many calls it hits; default 1. */
  readonly times?: number;
  /** Calls it lets through first; default 0. */
  readonly after?: number;
  readonly status?: number;
  readonly description?: string;
  readonly parameters?: object;
  readonly retryAfter?: number | null;
  readonly delayMs?: number;
  /** Only calls whose parameters satisfy it. */
  readonly when?: (payload: Readonly<Record<string, unknown>>) => boolean;
}

export interface Fault extends FaultPlan {
  readonly method: string;
  hits: number;
  seen: number;
  clear(): void;
}

/** Planned misbehaviour, by method (`*` for any) and count. */
export class Faults {
  readonly #planned: Fault[] = [];

  plan(method: string, plan: FaultPlan): Fault {
    const clear = () => {
      const at = this.#planned.indexOf(fault);
      if (at >= 0) this.#planned.splice(at, 1);
    };
    const fault: Fault = { ...plan, method, hits: 0, seen: 0, clear };
    this.#planned.push(fault);
    return fault;
  }

  clear(): void {
    this.#planned.length = 0;
  }

  next(method: string, payload: Readonly<Record<string, unknown>>): Fault | undefined {
    for (const fault of this.#planned) {
      if (fault.method !== '*' && fault.method.toLowerCase() !== method.toLowerCase()) continue;
      if (fault.when && !fault.when(payload)) continue;
      if (fault.hits >= (fault.times ?? 1) || fault.seen++ < (fault.after ?? 0)) continue;
      fault.hits++;
      return fault;
    }
    return undefined;
  }
}

/** Answers in place of the method; false if the fault comes after the work. */
export function answerInstead(fault: Fault, request: IncomingMessage, response: ServerResponse): boolean {
  switch (fault.kind) {
    case 'refuse':
      sendJson(response, fault.status ?? 400, {
        ok: false,
        error_code: fault.status ?? 400,
        description: fault.description ?? 'Bad Request: planned refusal',
        ...(fault.parameters ? { parameters: fault.parameters } : {}),
      });
      return true;
    case 'limit': {
      const seconds = fault.retryAfter === undefined ? 3 : fault.retryAfter;
      const told = seconds === null ? {} : { parameters: { retry_after: seconds } };
      const description = `Too Many Requests: retry after${seconds === null ? ' a while' : ` ${seconds}`}`;
      sendJson(response, 429, { ok: false, error_code: 429, description, ...told });
      return true;
    }
    case 'html':
      response.writeHead(fault.status ?? 502, { 'content-type': 'text/html' });
      response.end(`<html><head><title>${fault.status ?? 502}</title></head><body>nginx ${request.url}</body></html>`);
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"ok":true,"resu');
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

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Writes half of an answer at once and the other half after the fault's delay. */
export function sendSlowly(clock: Clock, fault: Fault, response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  const bytes = Buffer.from(text);
  response.write(bytes.subarray(0, bytes.length >> 1));
  clock.after(fault.delayMs ?? 1_000, () => response.end(bytes.subarray(bytes.length >> 1)));
}
