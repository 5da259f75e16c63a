import { NotAStream, type Seen } from './recording-fetch.ts';

/** What can be read off an error of the SDK, of `fetch`, or an error event inside a stream, without keeping the object itself. */
export interface ErrorFacts {
  readonly status?: number;
  /** Structured names the provider gave: code and type, lower case, code first. */
  readonly codes: readonly string[];
  /** The provider's own sentence, unredacted; empty where only the SDK spoke. */
  readonly message: string;
  /** Code of the network or TLS layer, for example `ECONNREFUSED`. */
  readonly network?: string;
  /** The answer had begun: its headers were there. */
  readonly begun: boolean;
  /** The provider reported it inside the stream. */
  readonly inStream: boolean;
  readonly noStream: boolean;
  /** Class of an error that neither provider nor network made. */
  readonly name: string;
}

/** Reads an error by its shape; nothing is assumed about it. */
export function errorFacts(error: unknown, seen: Seen): ErrorFacts {
  const shape = asObject(error);
  const chain = causes(error);
  const body = readBody(shape['responseBody']) ?? asObject(shape['data']);
  const told = providerError(Object.keys(body).length > 0 ? body : shape);
  const status = [shape['statusCode'], seen.status, told.number].find(isFailure);
  const network = chain.map((link) => asObject(link)['code']).find(isNetworkCode);
  return {
    ...(status !== undefined && { status }),
    codes: [told.code, told.type].flatMap((code) => (code === undefined ? [] : [code.toLowerCase()])),
    message: told.message?.slice(0, 2000) ?? '',
    ...(network !== undefined && { network }),
    begun: seen.status !== undefined,
    inStream: seen.status !== undefined && seen.status < 400 && told.message !== undefined,
    noStream: chain.some((link) => link instanceof NotAStream),
    name: chain.map((link) => (link instanceof Error ? link.name : '')).find(Boolean) ?? typeof error,
  };
}

/** `{ error: { message, code, type } }` and its many cousins: the error itself, a string, FastAPI's `detail`. */
function providerError(body: Record<string, unknown>): Told {
  const inner = body['error'];
  if (typeof inner === 'string') return told(inner, body);
  const error = typeof inner === 'object' && inner !== null ? asObject(inner) : body;
  const nested = asObject(asObject(error['metadata'])['raw'] ?? error['details']);
  const message = [error['message'], error['detail'], body['message'], nested['message']].find(
    (text) => typeof text === 'string',
  );
  return told(message, error);
}

interface Told {
  readonly message?: string;
  readonly code?: string;
  readonly type?: string;
  /** Some providers put an HTTP status where others put a word. */
  readonly number?: number;
}

function told(message: unknown, error: Record<string, unknown>): Told {
  const text = typeof message === 'string' && !(error instanceof Error) ? message : undefined;
  const word = (value: unknown) => (typeof value === 'string' && value !== 'error' ? value : undefined);
  const [code, type] = [word(error['code']) ?? word(error['error_code']), word(error['type']) ?? word(error['status'])];
  const number = isFailure(error['code']) ? error['code'] : undefined;
  return {
    ...(text !== undefined && { message: text }),
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(number !== undefined && { number }),
  };
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && chain.length < 8; link = asObject(link)['cause']) {
    chain.push(link);
    const several = asObject(link)['errors'];
    if (Array.isArray(several)) chain.push(...several.slice(0, 4));
  }
  return chain;
}

/** Own names of Node's network, TLS and `fetch` layers; a provider's codes never look like these. */
function isNetworkCode(code: unknown): code is string {
  return (
    typeof code === 'string' &&
    /^(E[A-Z_]+|UND_ERR_\w+|ERR_INVALID_URL|ERR_(?:SSL|TLS)_\w+|(?:DEPTH|SELF|UNABLE|CERT|HOSTNAME)_\w+)$/.test(code)
  );
}

/** JSON, or a line of plain text; a web page says nothing. */
function readBody(text: unknown): Record<string, unknown> | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return asObject(Array.isArray(value) ? value[0] : value);
  } catch {
    return text.trimStart().startsWith('<') ? undefined : { message: text.trim().slice(0, 600) };
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isFailure(value: unknown): value is number {
  return typeof value === 'number' && value >= 400 && value < 600;
}
