import type { IncomingMessage } from 'node:http';
import type { Body, Upload } from './discord-wire.ts';

export interface Parsed {
  readonly body: Body;
  readonly uploads: readonly Upload[];
}

export async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** JSON, or the `payload_json` of a multipart body with its files. */
export function parseBody(contentType: string, raw: Buffer): Parsed {
  if (raw.length === 0) return { body: {}, uploads: [] };
  if (contentType.startsWith('application/json'))
    return { body: JSON.parse(raw.toString('utf8')) as Body, uploads: [] };
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/.exec(contentType);
  if (!boundary) throw new Error(`A body of type "${contentType}" cannot be read.`);
  return multipart(raw, Buffer.from(`--${boundary[1] ?? boundary[2]}`));
}

function multipart(raw: Buffer, mark: Buffer): Parsed {
  const uploads: Upload[] = [];
  let body: Body = {};
  for (let at = raw.indexOf(mark); at >= 0; ) {
    const start = at + mark.length + 2;
    const next = raw.indexOf(mark, start);
    if (next < 0) break;
    const gap = raw.indexOf('\r\n\r\n', start);
    const head = raw.subarray(start, gap).toString('utf8');
    const bytes = raw.subarray(gap + 4, next - 2);
    const key = / name="([^"]*)"/.exec(head)?.[1] ?? '';
    const name = /filename="([^"]*)"/.exec(head)?.[1];
    if (name !== undefined) uploads.push({ key, name, bytes: Buffer.from(bytes) });
    else if (key === 'payload_json') body = JSON.parse(bytes.toString('utf8')) as Body;
    at = next;
  }
  return { body, uploads };
}
