import type { Clock } from '../contract/clock.ts';
import { httpFetch } from './http-fetch.ts';

/** What was seen of one request on the wire, for whoever must judge its failure. */
export interface Seen {
  status?: number;
  requestId?: string;
  retryAfterMs?: number;
}

/** A 200 that is no event stream, or a redirect. `start` is what it began with, at most 2 KB. */
export class NotAStream extends Error {
  readonly start: string;
  constructor(start: string) {
    super('the answer is no event stream');
    this.name = 'NotAStream';
    this.start = start;
  }
}

const PEEK_BYTES = 2048;

/** A `fetch` that writes down what it saw and refuses an answer that is no stream. */
export function recordingFetch(seen: Seen, clock: Clock): typeof fetch {
  return async (input, init) => {
    const response = await httpFetch(input, init);
    const { headers } = response;
    seen.status = response.status;
    const requestId = headers.get('x-request-id') ?? headers.get('request-id');
    if (requestId) seen.requestId = requestId.slice(0, 100);
    const wait = retryAfter(headers, clock.now());
    if (wait !== undefined) seen.retryAfterMs = wait;
    if (response.status < 300) return streaming(response);
    if (response.status >= 400) return response;
    await response.body?.cancel();
    throw new NotAStream('a redirect');
  };
}

/** Milliseconds from `Retry-After` (seconds or a date) or `retry-after-ms`. */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = headers.get('retry-after-ms');
  const given = headers.get('retry-after');
  const ms = exact
    ? Number(exact)
    : !given
      ? Number.NaN
      : /^\d/.test(given)
        ? Number(given) * 1000
        : Date.parse(given) - now;
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : undefined;
}

/** Some servers stream under a wrong content type, so the first bytes decide where the header does not. */
async function streaming(response: Response): Promise<Response> {
  if (/event-stream/i.test(response.headers.get('content-type') ?? '')) return response;
  if (!response.body) throw new NotAStream('');
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  while (size(chunks) < PEEK_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    if (looksLikeEvents(text(chunks))) return rebuilt(response, reader, chunks);
  }
  await reader.cancel();
  throw new NotAStream(text(chunks).slice(0, PEEK_BYTES));
}

function looksLikeEvents(start: string): boolean {
  return /^\s*(?:data|event|id|retry)?:/.test(start);
}

function rebuilt(
  response: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  chunks: readonly Uint8Array[],
): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function size(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
}

function text(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}
