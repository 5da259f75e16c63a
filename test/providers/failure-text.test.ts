import { describe, expect, it } from 'vitest';
import { FAILURE_KINDS, type ModelFailure } from '../../src/contract/model.ts';
import { failureText, failureWords, type ProviderFacts } from '../../src/providers/failure-text.ts';

const REMOTE: ProviderFacts = {
  name: 'openrouter',
  baseUrl: 'https://user:pw@api.example.org/v1?x=1',
  keyName: 'OPENROUTER_API_KEY',
};
const LOCAL: ProviderFacts = { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' };

type Row = readonly [
  failure: Omit<ModelFailure, 'detail'> & { detail?: string },
  provider: ProviderFacts,
  sentence: string,
];

const ROWS: readonly Row[] = [
  [{ kind: 'auth' }, REMOTE, 'The model provider refused the key. Check `OPENROUTER_API_KEY` in `.env`, then /retry.'],
  [{ kind: 'auth' }, LOCAL, 'The model provider refused the key. Check the key of ollama, then /retry.'],
  [{ kind: 'quota' }, REMOTE, 'The model account is out of credit (openrouter). /retry when it is topped up.'],
  [{ kind: 'model' }, REMOTE, 'The provider does not know the model `m`. Set `model.primary` or use /model.'],
  [{ kind: 'rate', retryAfterMs: 90_500 }, REMOTE, 'The model provider limits requests. Try again in 2 min.'],
  [{ kind: 'rate', retryAfterMs: 1200 }, REMOTE, 'The model provider limits requests. Try again in 2 s.'],
  [{ kind: 'rate', retryAfterMs: 3 * 3_600_000 }, REMOTE, 'The model provider limits requests. Try again in 3 h.'],
  [{ kind: 'rate' }, REMOTE, 'The model provider limits requests. Try again in 60 s.'],
  [{ kind: 'overloaded', attempts: 3 }, REMOTE, 'The model is overloaded; I tried 3 times. /retry later.'],
  [{ kind: 'overloaded', attempts: 1 }, REMOTE, 'The model is overloaded; I tried once. /retry later.'],
  [{ kind: 'server', status: 500 }, REMOTE, 'The model provider had an internal error (500). /retry.'],
  [{ kind: 'server' }, REMOTE, 'The model provider had an internal error. /retry.'],
  [{ kind: 'overflow' }, REMOTE, 'This conversation no longer fits the model. /new starts fresh, your notes stay.'],
  [{ kind: 'filtered' }, REMOTE, "The model's safety filter stopped this answer. Rephrase, or choose another model."],
  [{ kind: 'timeout', limitS: 90 }, LOCAL, 'The model did not answer within 90 s. /retry, or choose a faster model.'],
  [{ kind: 'timeout' }, LOCAL, 'The model did not answer in time. /retry, or choose a faster model.'],
  [{ kind: 'cut', attempts: 3 }, REMOTE, 'The connection to the model broke three times. /retry.'],
  [{ kind: 'cut' }, REMOTE, 'The connection to the model broke. /retry.'],
  [
    { kind: 'unreachable', code: 'ECONNREFUSED' },
    LOCAL,
    'I cannot reach the model at http://127.0.0.1:11434 (connection refused). Is it running?',
  ],
  [
    { kind: 'unreachable', code: 'ENOTFOUND' },
    REMOTE,
    'I cannot reach the model at https://api.example.org (no such host). Check the network and `base_url`, then /retry.',
  ],
  [
    { kind: 'unreachable' },
    { name: 'x', baseUrl: 'nonsense' },
    'I cannot reach the model at its address (no connection). Check the network and `base_url`, then /retry.',
  ],
  [{ kind: 'tls' }, REMOTE, 'The certificate of api.example.org is not trusted; I do not skip the check.'],
  [{ kind: 'bad_answer' }, REMOTE, 'The address answered with a web page, not a model. Check `base_url`.'],
  [{ kind: 'no_tools' }, LOCAL, 'Model m does not take tools here (vLLM needs `--enable-auto-tool-choice`).'],
  [
    { kind: 'no_images' },
    LOCAL,
    'Model m does not take pictures here. Send text, or choose another model with /model.',
  ],
  [{ kind: 'empty', attempts: 2 }, REMOTE, 'The model returned nothing (stop, twice). /retry tries again.'],
  [
    { kind: 'request', detail: `400: ${'x'.repeat(300)}` },
    REMOTE,
    `The provider did not accept the request: 400: ${'x'.repeat(195)}`,
  ],
  [{ kind: 'aborted' }, REMOTE, 'Stopped.'],
];

describe('what the person reads', () => {
  it.each(ROWS.map((row) => [row[0].kind, row] as const))('%s', (_, [failure, provider, sentence]) => {
    expect(failureText({ detail: 'd', ...failure }, provider, 'm')).toBe(sentence);
  });

  it('has a sentence and words for every kind', () => {
    expect(new Set(ROWS.map(([failure]) => failure.kind))).toEqual(new Set(FAILURE_KINDS));
    expect(new Set(FAILURE_KINDS.map(failureWords)).size).toBe(FAILURE_KINDS.length);
  });
});
