import type { IncomingMessage } from 'node:http';
import type { Payload, Upload } from './telegram-wire.ts';

export interface Body {
  readonly payload: Payload;
  readonly uploads: ReadonlyMap<string, Upload>;
}

export async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Reads JSON, url-encoded, multipart and query-string parameters as the Bot API does. */
export function parseBody(contentType: string, raw: Buffer, query: URLSearchParams): Body {
  const given = Object.fromEntries([...query].map(([key, value]) => [key, decoded(value)]));
  const { payload, uploads } = parsePayload(contentType, raw);
  return { payload: { ...given, ...payload }, uploads };
}

function parsePayload(contentType: string, raw: Buffer): Body {
  const none = new Map<string, Upload>();
  if (raw.length === 0) return { payload: {}, uploads: none };
  if (contentType.startsWith('application/json')) return { payload: JSON.parse(raw.toString('utf8')), uploads: none };
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/.exec(contentType);
  if (boundary) return multipart(raw, (boundary[1] ?? boundary[2]) as string);
  const form = new URLSearchParams(raw.toString('utf8'));
  return { payload: Object.fromEntries([...form].map(([key, value]) => [key, decoded(value)])), uploads: none };
}

function multipart(raw: Buffer, boundary: string): Body {
  const payload: Record<string, unknown> = {};
  const uploads = new Map<string, Upload>();
  for (const { head, body } of multipartPieces(raw, Buffer.from(`--${boundary}`))) {
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    const file = /filename=(?:"([^"]*)"|([^;\r\n]+))/.exec(head);
    if (file) uploads.set(name, { name: (file[1] ?? file[2]) as string, bytes: body });
    else payload[name] = decoded(body.toString('utf8'));
  }
  return { payload, uploads };
}

function* multipartPieces(raw: Buffer, mark: Buffer): Generator<{ head: string; body: Buffer }> {
  let at = raw.indexOf(mark);
  while (at >= 0) {
    const start = at + mark.length + 2;
    const next = raw.indexOf(mark, start);
    if (next < 0) return;
    const gap = raw.indexOf('\r\n\r\n', start);
    yield { head: raw.subarray(start, gap).toString('utf8'), body: raw.subarray(gap + 4, next - 2) };
    at = next;
  }
}

/** Form values are text; objects, arrays, numbers and booleans arrive as JSON inside them. */
function decoded(value: string): unknown {
  if (!/^(?:[[{]|-?\d+$|true$|false$)/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
