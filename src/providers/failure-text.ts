import type { ModelFailure, ModelFailureKind } from '../contract/model.ts';
import type { ProviderKind } from './presets.ts';

/** Where a model lives, as far as a sentence about a failure needs it. */
export interface ProviderFacts {
  /** The provider's name in config. */
  readonly name: string;
  readonly kind?: ProviderKind;
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly keyName?: string;
}

/** The sentence a person reads about a failure. */
export function failureText(failure: ModelFailure, provider: ProviderFacts, model: string): string {
  return SENTENCES[failure.kind](failure, provider, model);
}

/** A failure in two or three words, for a remark beside an answer. */
export function failureWords(kind: ModelFailureKind): string {
  return WORDS[kind];
}

type Sentence = (failure: ModelFailure, provider: ProviderFacts, model: string) => string;

const SENTENCES: Readonly<Record<ModelFailureKind, Sentence>> = {
  auth: (_, { name, keyName }) => {
    const key = keyName === undefined ? `the key of ${name}` : `\`${keyName}\` in \`.env\``;
    return `The model provider refused the key. Check ${key}, then /retry.`;
  },
  quota: (_, { name }) => `The model account is out of credit (${name}). /retry when it is topped up.`,
  model: (_, __, model) => `The provider does not know the model \`${model}\`. Set \`model.primary\` or use /model.`,
  rate: ({ retryAfterMs }) => `The model provider limits requests. Try again in ${span(retryAfterMs ?? 60_000)}.`,
  overloaded: ({ attempts }) => `The model is overloaded; I tried ${times(attempts)}. /retry later.`,
  server: ({ status }) =>
    `The model provider had an internal error${status === undefined ? '' : ` (${status})`}. /retry.`,
  overflow: () => 'This conversation no longer fits the model. /new starts fresh, your notes stay.',
  filtered: () => "The model's safety filter stopped this answer. Rephrase, or choose another model.",
  timeout: ({ limitS }) => {
    const limit = limitS === undefined ? 'in time' : `within ${limitS} s`;
    return `The model did not answer ${limit}. /retry, or choose a faster model.`;
  },
  cut: ({ attempts }) =>
    `The connection to the model broke${attempts === undefined ? '' : ` ${times(attempts, 'words')}`}. /retry.`,
  unreachable: (failure, { baseUrl }) => {
    const next = isLocal(baseUrl) ? 'Is it running?' : 'Check the network and `base_url`, then /retry.';
    return `I cannot reach the model at ${place(baseUrl)} (${networkWords(failure.code)}). ${next}`;
  },
  tls: (_, { baseUrl }) => `The certificate of ${host(baseUrl)} is not trusted; I do not skip the check.`,
  bad_answer: () => 'The address answered with a web page, not a model. Check `base_url`.',
  no_tools: (_, __, model) => `Model ${model} does not take tools here (vLLM needs \`--enable-auto-tool-choice\`).`,
  no_images: (_, __, model) =>
    `Model ${model} does not take pictures here. Send text, or choose another model with /model.`,
  empty: ({ attempts }) => `The model returned nothing (stop, ${times(attempts, 'words')}). /retry tries again.`,
  request: ({ detail }) => `The provider did not accept the request: ${detail.slice(0, 200).toWellFormed()}`,
  aborted: () => 'Stopped.',
};

const WORDS: Readonly<Record<ModelFailureKind, string>> = {
  auth: 'key refused',
  quota: 'out of credit',
  model: 'unknown model',
  rate: 'rate limited',
  overloaded: 'overloaded',
  server: 'internal error',
  overflow: 'conversation too long',
  filtered: 'stopped by its filter',
  timeout: 'no answer in time',
  cut: 'connection broke',
  unreachable: 'not reachable',
  tls: 'certificate not trusted',
  bad_answer: 'no model there',
  no_tools: 'takes no tools',
  no_images: 'takes no pictures',
  empty: 'empty answer',
  request: 'request refused',
  aborted: 'stopped',
};

const COUNTS = ['never', 'once', 'twice', 'three times', 'four times', 'five times'];

function times(count = 1, style: 'digits' | 'words' = 'digits'): string {
  if (style === 'words' || count < 3) return COUNTS[count] ?? `${count} times`;
  return `${count} times`;
}

/** Seconds up to a minute and a half, then minutes, then hours; rounded up, so that trying then is worth it. */
function span(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name cannot be looked up',
  EHOSTUNREACH: 'no route to it',
  ENETUNREACH: 'no network',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_SOCKET: 'connection closed',
  EPIPE: 'connection closed',
  ERR_INVALID_URL: 'the address is no URL',
};

function networkWords(code: string | undefined): string {
  if (code === undefined) return 'no connection';
  if (code.startsWith('ERR_SSL') || code === 'EPROTO') return 'it does not speak TLS';
  return NETWORK[code] ?? code;
}

function isLocal(url: string | undefined): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(parts(url)?.hostname ?? '');
}

/** Without user, password, path and query. */
function place(url: string | undefined): string {
  return parts(url)?.origin ?? 'its address';
}

function host(url: string | undefined): string {
  return parts(url)?.host ?? 'the provider';
}

function parts(url: string | undefined): URL | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
}
