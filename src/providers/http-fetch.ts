import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * As much of `fetch` as a model provider needs. Node's own gives up after 300 s without headers or data, whatever the caller
 * allows; here the signal is the only limit. Redirects are not followed, nothing is unpacked. node:http is loaded with the first
 * request: importing it costs 14 MB.
 */
export async function httpFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const options = {
    method: init.method ?? 'GET',
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
    ...(init.signal && { signal: init.signal }),
  };
  const { request: open } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  const request = open(url, options);
  request.once('response', (incoming) => resolve(asResponse(incoming)));
  request.on('error', reject);
  request.end(typeof init.body === 'string' ? init.body : undefined);
  return promise;
}

function asResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (!WITHOUT_BODY.has(status)) return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers });
  incoming.resume();
  return new Response(null, { status, headers });
}
