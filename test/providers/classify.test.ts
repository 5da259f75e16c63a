import { describe, expect, it } from 'vitest';
import { FAILURE_KINDS, type ModelFailureKind } from '../../src/contract/model.ts';
import { classify, classifyFinish } from '../../src/providers/classify.ts';
import { withoutSecrets } from '../../src/providers/failure-detail.ts';
import { NotAStream, retryAfter } from '../../src/providers/recording-fetch.ts';

const NOTHING = { key: undefined, sent: '' };

/** An error as the SDK throws it for an HTTP status. */
function http(status: number, body: object | string = ''): Error {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.assign(new Error('sdk'), { name: 'AI_APICallError', statusCode: status, responseBody });
}

function told(message: string, code: string | number | null = null, type = 'invalid_request_error') {
  return { error: { message, type, code, param: null } };
}

function network(code: string, message = 'fetch failed'): Error {
  return new Error(`Cannot connect to API: ${message}`, { cause: Object.assign(new Error(message), { code }) });
}

type Row = readonly [kind: ModelFailureKind, what: string, error: unknown, status?: number];

const ROWS: readonly Row[] = [
  ['auth', 'OpenAI 401', http(401, told('Incorrect API key provided', 'invalid_api_key'))],
  ['auth', '401 without a body', http(401)],
  ['auth', '403', http(403, told('Your account lacks this permission'))],
  [
    'auth',
    'Anthropic',
    http(401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }),
  ],
  [
    'auth',
    'Google on 400',
    http(400, { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }),
  ],
  ['quota', '402', http(402, told('Insufficient credits. Add more'))],
  [
    'quota',
    'OpenAI 429',
    http(429, told('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')),
  ],
  [
    'quota',
    'Anthropic 400',
    http(400, { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } }),
  ],
  ['quota', '403 with billing words', http(403, told('Billing is not active'))],
  ['quota', 'a rate code with billing words', http(429, told('Add credits to continue', 'rate_limit_exceeded'))],
  ['model', 'OpenAI 404', http(404, told('The model `x` does not exist', 'model_not_found'))],
  ['model', 'Anthropic 404', http(404, { type: 'error', error: { type: 'not_found_error', message: 'model: x' } })],
  ['model', 'OpenRouter 400', http(400, told('x/y is not a valid model ID', 400))],
  ['model', 'a 404 page of plain text', http(404, '404 page not found')],
  ['rate', '429', http(429, told('Rate limit reached', 'rate_limit_exceeded', 'requests'))],
  ['rate', 'Anthropic 429', http(429, { type: 'error', error: { type: 'rate_limit_error', message: 'slow' } })],
  [
    'rate',
    'too large for a minute, told as 413',
    http(413, told('Request too large on tokens per minute (TPM)', 'rate_limit_exceeded', 'tokens')),
  ],
  ['rate', 'throttling words on 400', http(400, told('Too many requests, please slow down'))],
  ['overloaded', '503', http(503)],
  [
    'overloaded',
    'Anthropic 529',
    http(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  ['overloaded', '429 with overloaded words', http(429, told('The engine is currently overloaded', null, 'requests'))],
  ['overloaded', 'an error event', { message: 'Something broke', type: 'x', code: null }, 200],
  ['overloaded', 'an overloaded event', { message: 'Overloaded', type: 'overloaded_error' }, 200],
  ['server', '500', http(500, told('The server had an error', null, 'server_error'))],
  ['server', '502 with a web page', http(502, '<html>Bad Gateway</html>')],
  ['server', 'an error event with a number', { message: 'Provider returned error', code: 502 }, 200],
  [
    'overflow',
    'OpenAI 400',
    http(400, told("This model's maximum context length is 8192 tokens", 'context_length_exceeded')),
  ],
  [
    'overflow',
    'Anthropic 400',
    http(400, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    }),
  ],
  [
    'overflow',
    '413',
    http(413, { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }),
  ],
  [
    'overflow',
    'vLLM',
    http(400, {
      object: 'error',
      message: 'the prompt has 9000 tokens, max_model_len is 8192',
      type: 'BadRequestError',
      code: 400,
    }),
  ],
  [
    'overflow',
    'llama.cpp',
    http(400, {
      error: {
        code: 400,
        message: 'the request exceeds the available context size',
        type: 'exceed_context_size_error',
      },
    }),
  ],
  ['overflow', 'an error event', { message: 'too long', code: 'context_length_exceeded' }, 200],
  ['filtered', 'Azure', http(400, told('The response was filtered', 'content_filter'))],
  ['filtered', 'OpenRouter 403', http(403, told('Your input was flagged by moderation', 403))],
  ['timeout', 'no headers in undici', network('UND_ERR_HEADERS_TIMEOUT')],
  [
    'cut',
    'a socket closed in the stream',
    new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }),
    200,
  ],
  ['cut', 'reset in the stream', network('ECONNRESET'), 200],
  ['cut', 'no finish', Object.assign(new Error('ended'), { name: 'AI_InvalidResponseDataError' }), 200],
  ['unreachable', 'refused', network('ECONNREFUSED')],
  ['unreachable', 'no such name', network('ENOTFOUND')],
  ['unreachable', 'reset before headers', network('ECONNRESET')],
  ['unreachable', 'refused on two addresses', network('ECONNREFUSED', '')],
  ['unreachable', 'not a URL', Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' })],
  ['unreachable', 'plain HTTP on a TLS port', network('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['tls', 'self-signed', network('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['tls', 'expired', network('CERT_HAS_EXPIRED')],
  ['tls', 'other name', network('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['bad_answer', 'a web page', new Error('sdk', { cause: new NotAStream('<html>') }), 200],
  [
    'no_tools',
    'vLLM',
    http(400, { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' }),
  ],
  ['no_tools', 'Ollama', http(400, { error: 'registry.ollama.ai/library/phi does not support tools' })],
  ['no_tools', 'OpenRouter 404', http(404, told('No endpoints found that support tool use', 404))],
  ['no_images', 'OpenRouter 404', http(404, told('No endpoints found that support image input', 404))],
  ['no_images', '400', http(400, told('This model does not support image inputs'))],
  ['request', '400', http(400, told("Invalid 'temperature'"))],
  ['request', '422', http(422, { detail: [{ msg: 'field required' }] })],
  ['request', '500 with a validation code', http(500, told('bad template', 'invalid_request_error'))],
  ['request', 'what the SDK refuses to send', Object.assign(new Error('messages'), { name: 'AI_InvalidPromptError' })],
];

describe('classify', () => {
  it.each(ROWS.map((row) => [row[0], row[1], row] as const))('%s: %s', (kind, _, [, , error, status]) => {
    expect(classify(error, status === undefined ? {} : { status }, NOTHING).kind).toBe(kind);
  });

  it('has a row for every kind an error can be', () => {
    const elsewhere: ModelFailureKind[] = ['empty', 'aborted'];
    expect(new Set([...ROWS.map(([kind]) => kind), ...elsewhere])).toEqual(new Set(FAILURE_KINDS));
  });

  it('tells the operator status, code, request and wait', () => {
    const seen = { status: 429, requestId: 'req_9', retryAfterMs: 2000 };
    expect(classify(http(429, told('Slow', 'rate_limit_exceeded', 'requests')), seen, NOTHING)).toEqual({
      kind: 'rate',
      detail: '429 rate_limit_exceeded requests: Slow',
      status: 429,
      code: 'rate_limit_exceeded',
      requestId: 'req_9',
      retryAfterMs: 2000,
    });
  });

  it('tells an SDK error by its class alone', () => {
    const error = Object.assign(new Error('the whole prompt'), {
      name: 'AI_TypeValidationError',
      value: 'the whole prompt',
    });
    expect(classify(error, { status: 200 }, NOTHING).detail).toBe('AI_TypeValidationError');
  });

  it('survives whatever is thrown', () => {
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    for (const thrown of [undefined, null, 'text', 7, loop, [], new Error('')]) {
      expect(FAILURE_KINDS).toContain(classify(thrown, {}, NOTHING).kind);
    }
  });
});

describe('a finish reason', () => {
  it.each([
    ['model_context_window_exceeded', 'overflow'],
    ['refusal', 'filtered'],
    ['content_filter', 'filtered'],
    ['error', 'server'],
    ['stop', undefined],
    ['eos', undefined],
  ])('%s means %s', (raw, kind) => {
    expect(classifyFinish(raw)).toBe(kind);
  });
});

describe('the detail of a failure', () => {
  const prompt = 'The secret plan is to meet at the harbour at midnight.';

  it.each([
    ['Incorrect API key provided: sk-proj-abcdef123456.', 'sk-proj'],
    ['Incorrect API key provided: my-own-key.', 'my-own-key'],
    ['Bad header Authorization: Bearer abc.def', 'abc.def'],
    [`Cannot parse: ${prompt}`, 'harbour'],
    ['Cannot parse: is to meet at the harbour at', 'harbour'],
    [`Invalid value: '${'x'.repeat(50)}'`, 'xxxx'],
    [`Invalid value: "${'y'.repeat(400)}`, 'yyyy'],
  ])('keeps its secrets: %s', (message, never) => {
    const safe = withoutSecrets(message, { key: 'my-own-key', sent: `You are. ${prompt}` });
    expect(safe).not.toContain(never);
    expect(safe.length).toBeGreaterThan(5);
  });

  it('is at most 300 characters', () => {
    expect(classify(http(400, told('a b '.repeat(500))), {}, NOTHING).detail).toHaveLength(300);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-11-30T12:00:00Z');
  it.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j', (headers, ms) => {
    expect(retryAfter(new Headers(headers as Record<string, string>), now)).toBe(ms);
  });
});
