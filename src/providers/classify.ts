import type { ModelFailure, ModelFailureKind } from '../contract/model.ts';
import { type ErrorFacts, errorFacts } from './error-facts.ts';
import { describeFailure, type Secret } from './failure-detail.ts';
import type { Seen } from './recording-fetch.ts';

/** Judges an error: structured code, then status, then words; billing before rate, throttling before overflow. Pure. */
export function classify(error: unknown, seen: Seen, secret: Secret): ModelFailure {
  const facts = errorFacts(error, seen);
  const code = facts.network ?? facts.codes[0];
  return {
    kind: failureKind(facts),
    detail: describeFailure(facts, secret),
    ...(facts.status !== undefined && { status: facts.status }),
    ...(code !== undefined && { code: code.slice(0, 80) }),
    ...(seen.requestId !== undefined && { requestId: seen.requestId }),
    ...(seen.retryAfterMs !== undefined && { retryAfterMs: seen.retryAfterMs }),
  };
}

/** What a finish reason of the provider means beyond its plain sense, if anything. */
export function classifyFinish(raw: string): ModelFailureKind | undefined {
  if (raw === 'model_context_window_exceeded') return 'overflow';
  if (/^(content_filter|content-filter|refusal|safety|sensitive)$/i.test(raw)) return 'filtered';
  if (raw === 'insufficient_system_resource') return 'overloaded';
  return raw === 'error' ? 'server' : undefined;
}

function failureKind(facts: ErrorFacts): ModelFailureKind {
  const said = facts.status !== undefined || facts.message !== '' || facts.codes.length > 0;
  if (facts.noStream) return 'bad_answer';
  if (!said || (facts.network !== undefined && facts.status === undefined)) return connectionKind(facts);
  return byCode(facts) ?? byStatus(facts) ?? byWords(facts) ?? fallback(facts);
}

function connectionKind({ network, begun, name }: ErrorFacts): ModelFailureKind {
  if (network !== undefined && isCertificate(network)) return 'tls';
  if (network === 'UND_ERR_HEADERS_TIMEOUT' || network === 'UND_ERR_BODY_TIMEOUT') return 'timeout';
  if (begun) return 'cut';
  return network !== undefined || /TypeError|APICallError/.test(name) ? 'unreachable' : 'request';
}

function isCertificate(network: string): boolean {
  return /^(?:DEPTH|SELF|UNABLE|CERT|HOSTNAME)_|^ERR_TLS_CERT/.test(network);
}

/** Codes and types that say what they mean; an asterisk stands for any ending. Billing first, throttling before overflow. */
const CODES: readonly (readonly [ModelFailureKind, ...string[]])[] = [
  ['quota', 'insufficient_quota', 'insufficient_credit*', 'insufficient_balance', 'insufficient_funds', 'billing_*'],
  ['quota', 'payment_required', 'credits_exhausted', 'quota_exhausted', 'usage_limit_reached'],
  [
    'overloaded',
    'overloaded*',
    'server_overloaded',
    'engine_overloaded',
    'slow_down',
    'unavailable',
    'service_unavailable',
  ],
  ['rate', 'rate_limit*', 'too_many_requests', 'resource_exhausted', 'throttl*'],
  ['auth', 'invalid_api_key', 'authentication_error', 'invalid_authentication*', 'unauthenticated', 'unauthorized'],
  ['auth', 'permission_error', 'permission_denied', 'account_deactivated'],
  ['overflow', 'context_length_exceeded', 'context_window_exceeded', 'exceed_context_size_error'],
  ['overflow', 'request_too_large', 'prompt_too_long', 'input_too_long'],
  ['filtered', 'content_filter', 'content_policy_violation', 'responsibleaipolicyviolation', 'policy_violation'],
  ['filtered', 'moderation_*', 'data_inspection_failed', 'prohibited_content'],
  ['model', 'model_not_found', 'invalid_model', 'model_not_available', 'unknown_model'],
];

/** Billing is often told with the code of a rate limit, so its words come first where money is turned down. */
function byCode(facts: ErrorFacts): ModelFailureKind | undefined {
  if (mayBeBilling(facts) && BILLING.test(facts.message)) return 'quota';
  if (facts.status === 429 && OVERLOADED.test(facts.message)) return 'overloaded';
  return CODES.find(([, ...known]) => known.some((name) => facts.codes.some((code) => isCode(code, name))))?.[0];
}

function isCode(code: string, known: string): boolean {
  return known.endsWith('*') ? code.startsWith(known.slice(0, -1)) : code === known;
}

function mayBeBilling({ status }: ErrorFacts): boolean {
  return status === undefined || [400, 402, 403, 429].includes(status);
}

/** Any of these words or phrases, at word boundaries; a blank stands for any one character. */
function words(...phrases: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${phrases.join('|').replaceAll(' ', '.')})\\b`, 'i');
}

const BILLING = words(
  'billing',
  'credits?',
  'payment',
  'insufficient (quota|funds|balance)',
  'current quota',
  'out of quota',
);
const OVERLOADED = words('overloaded', '(over|at) capacity', 'overcapacity', 'engine is busy', 'server busy');
const THROTTLED = words(
  'rate ?limit\\w*',
  'too many requests',
  'throttl\\w+',
  '(tokens|requests) per (minute|min|day|second)',
  '[TR]P[MD]',
);
const OVERFLOW = words(
  'prompt is too long',
  'context (length|size|window)',
  'maximum context',
  'max_model_len',
  'too many tokens',
  'input (is )?too long',
  'request too large',
);
const TOOLS = words('tools?', 'tool (use|choice|calls?|calling)', 'function calling');
const IMAGES = words('images?', 'vision', 'multimodal', 'image_url');
const REFUSED = words(
  'not support\\w*',
  'unsupported',
  'no endpoints',
  'requires?',
  'can(not|.t)',
  'not (available|enabled|allowed)',
);
const NO_MODEL = words(
  '(model|model \\S+) (is )?(not|does not|unknown|invalid|no longer).*',
  '(unknown|invalid) model',
  'not a valid model.*',
);
const NO_KEY = words(
  '(invalid|incorrect|missing|expired) (api key|credentials?)',
  'api key (is )?(not valid|invalid|missing|expired|required)',
);
const POLICY = words(
  'content (policy|filter)',
  'moderation',
  'flagged',
  'safety (system|filter)',
  'usage polic(y|ies)',
);

function byStatus(facts: ErrorFacts): ModelFailureKind | undefined {
  switch (facts.status) {
    case 401:
      return 'auth';
    case 403:
      return POLICY.test(facts.message) ? 'filtered' : 'auth';
    case 402:
      return 'quota';
    case 404:
      return refusedFeature(facts.message) ?? 'model';
    case 413:
      return THROTTLED.test(facts.message) ? 'rate' : 'overflow';
    case 429:
      return 'rate';
    case 503:
    case 529:
      return 'overloaded';
    default:
      return undefined;
  }
}

function refusedFeature(message: string): ModelFailureKind | undefined {
  if (!REFUSED.test(message)) return undefined;
  if (IMAGES.test(message)) return 'no_images';
  return TOOLS.test(message) ? 'no_tools' : undefined;
}

function byWords({ message, status }: ErrorFacts): ModelFailureKind | undefined {
  if (OVERLOADED.test(message)) return 'overloaded';
  if (THROTTLED.test(message)) return 'rate';
  if (OVERFLOW.test(message)) return 'overflow';
  if (status !== undefined && status >= 500) return undefined;
  if (NO_KEY.test(message)) return 'auth';
  if (POLICY.test(message)) return 'filtered';
  return refusedFeature(message) ?? (NO_MODEL.test(message) ? 'model' : undefined);
}

function fallback(facts: ErrorFacts): ModelFailureKind {
  if (facts.status === undefined) return facts.inStream ? 'overloaded' : 'request';
  if (facts.status === 408 || facts.status === 409) return 'server';
  const validation = facts.codes.some((code) => /^(invalid_request\w*|validation_\w+|bad_request\w*)$/.test(code));
  return facts.status >= 500 && !validation ? 'server' : 'request';
}
