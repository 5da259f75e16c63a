import type { ModelFailure, ModelFailureKind } from '../contract/model.ts';
import { type ErrorFacts, errorFacts } from './error-facts.ts';
import type { Seen } from './recording-fetch.ts';

/** What must not get into a log: the key, and whatever was sent. */
export interface Secret {
  readonly key: string | undefined;
  readonly sent: string;
}

/** Judges an error: structured code, then status, then words; billing before rate, throttling before overflow. Pure. */
export function classify(error: unknown, seen: Seen, secret: Secret): ModelFailure {
  const facts = errorFacts(error, seen);
  const code = facts.network ?? facts.codes[0];
  return {
    kind: failureKind(facts),
    detail: describe(facts, secret),
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

type Rule = readonly [kind: ModelFailureKind, pattern: RegExp];

const CODES: readonly Rule[] = [
  [
    'quota',
    /^(insufficient_(quota|credits?|balance|funds)|billing_\w+|payment_required|credits?_exhausted|quota_exhausted|usage_limit_reached)$/,
  ],
  [
    'overloaded',
    /^(overloaded(_error)?|server_overloaded|engine_overloaded|slow_down|unavailable|service_unavailable)$/,
  ],
  ['rate', /^(rate_limit_\w+|rate_limited|too_many_requests|resource_exhausted|throttl\w+)$/],
  [
    'auth',
    /^(invalid_api_key|authentication_error|permission_error|permission_denied|unauthenticated|unauthorized|account_deactivated|invalid_authentication\w*)$/,
  ],
  [
    'overflow',
    /^(context_length_exceeded|context_window_exceeded|exceed_context_size_error|request_too_large|prompt_too_long|input_too_long)$/,
  ],
  [
    'filtered',
    /^(content_filter|content_policy_violation|responsible_?ai_?policy_?violation|policy_violation|moderation_\w+|data_inspection_failed|prohibited_content)$/,
  ],
  ['model', /^(model_not_found|invalid_model|model_not_available|unknown_model)$/],
];

/** Billing is often told with the code of a rate limit, so its words come first where money is turned down. */
function byCode(facts: ErrorFacts): ModelFailureKind | undefined {
  if (mayBeBilling(facts) && BILLING.test(facts.message)) return 'quota';
  if (facts.status === 429 && OVERLOADED.test(facts.message)) return 'overloaded';
  const rule = CODES.find(([, pattern]) => facts.codes.some((code) => pattern.test(code)));
  return rule?.[0];
}

function mayBeBilling({ status }: ErrorFacts): boolean {
  return status === undefined || [400, 402, 403, 429].includes(status);
}

const BILLING =
  /\b(billing|credits?|insufficient (quota|funds|balance)|exceeded your current quota|out of quota|payment)\b/i;
const OVERLOADED = /\b(overloaded|over ?capacity|at capacity|engine is busy|server busy)\b/i;
const THROTTLED =
  /\b(rate.?limit\w*|too many requests|throttl\w+|(tokens|requests) per (minute|min|day|second)|\b[TR]P[MD]\b)/i;
const OVERFLOW =
  /(prompt is too long|context (length|size|window)|maximum context|max_model_len|too many tokens|input (is )?too long|exceeds? the (available|maximum) context|request too large)/i;
const TOOLS = /\btool( ?|_)?(s|choice|calls?|calling|use)?\b|\bfunction.?calling\b/i;
const IMAGES = /\b(images?|vision|multimodal|image_url)\b/i;
const REFUSED_FEATURE =
  /\b(not support\w*|unsupported|no endpoints|requires?|cannot|can't|not (available|enabled|allowed)|does not)\b/i;
const MODEL =
  /\bmodel\b.*\b(not found|not exist|does not exist|unknown|not a valid|invalid|not available|no longer)\b|\b(unknown|invalid|not a valid) model\b/i;
const KEY =
  /\b(api.?key|credentials?|authentication)\b.*\b(invalid|not valid|incorrect|missing|expired|required)\b|\b(invalid|incorrect|missing|expired) (api.?key|credentials?|authentication)\b/i;
const POLICY = /\b(content (policy|filter)|moderation|flagged|safety (system|filter)|usage polic)/i;

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
  if (!REFUSED_FEATURE.test(message)) return undefined;
  if (IMAGES.test(message)) return 'no_images';
  return TOOLS.test(message) ? 'no_tools' : undefined;
}

function byWords({ message, status }: ErrorFacts): ModelFailureKind | undefined {
  if (OVERLOADED.test(message)) return 'overloaded';
  if (THROTTLED.test(message)) return 'rate';
  if (OVERFLOW.test(message)) return 'overflow';
  if (status !== undefined && status >= 500) return undefined;
  if (KEY.test(message)) return 'auth';
  if (POLICY.test(message)) return 'filtered';
  return refusedFeature(message) ?? (MODEL.test(message) ? 'model' : undefined);
}

function fallback(facts: ErrorFacts): ModelFailureKind {
  if (facts.status === undefined) return facts.inStream ? 'overloaded' : 'request';
  if (facts.status === 408 || facts.status === 409) return 'server';
  const validation = facts.codes.some((code) => /^(invalid_request\w*|validation_\w+|bad_request\w*)$/.test(code));
  return facts.status >= 500 && !validation ? 'server' : 'request';
}

const DETAIL = 300;

function describe(facts: ErrorFacts, secret: Secret): string {
  const head = [facts.status, facts.network, ...facts.codes].filter((word) => word !== undefined).join(' ');
  const said = withoutSecrets(facts.message, secret);
  const text = [head, said].filter(Boolean).join(': ');
  return (text || facts.name).slice(0, DETAIL).toWellFormed();
}

/** Takes out keys, long quotations, and every longer run of characters that was in the request. */
export function withoutSecrets(message: string, { key, sent }: Secret): string {
  const known = key ? message.replaceAll(key, '[key]') : message;
  const masked = known
    .replaceAll(/\b(sk|pk|key|gsk|xai|or)-[\w*-]{6,}/gi, '[key]')
    .replaceAll(/\bAIza[\w-]{20,}/g, '[key]')
    .replaceAll(/\bBearer\s+\S+/gi, '[key]')
    .replaceAll(/(["'`])(?:(?!\1).){40,}\1?/gs, '…');
  return withoutEcho(masked.slice(0, DETAIL), sent);
}

const ECHO = 16;

function withoutEcho(message: string, sent: string): string {
  let kept = '';
  for (let at = 0; at < message.length; ) {
    let length = 0;
    if (sent.includes(message.slice(at, at + ECHO)) && at + ECHO <= message.length) {
      length = ECHO;
      while (at + length < message.length && sent.includes(message.slice(at, at + length + 1))) length++;
    }
    kept += length > 0 ? '…' : (message[at] ?? '');
    at += Math.max(length, 1);
  }
  return kept;
}
