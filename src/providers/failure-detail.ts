import type { ErrorFacts } from './error-facts.ts';

/** What must not get into a log: the key, and whatever was sent. */
export interface Secret {
  readonly key: string | undefined;
  readonly sent: string;
}

const DETAIL = 300;

/** For the operator's log: status and codes, then what the provider said, redacted. */
export function describeFailure(facts: ErrorFacts, secret: Secret): string {
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
