import type { SendFailure } from '../contract/errors.ts';
import type { Address } from '../contract/message.ts';
import type { OutboxKind } from '../store/outbox.ts';

const UNREACHED_MS = [2_000, 10_000, 30_000, 120_000, 600_000, 1_800_000];
const AMBIGUOUS_MS = 30_000;

export type NextSend =
  | { readonly kind: 'retry'; readonly afterMs: number; readonly how: 'pending' | 'ambiguous' | 'free' }
  | { readonly kind: 'move'; readonly to: Address }
  /** The message to edit is gone: the same text as a new message. */
  | { readonly kind: 'anew' }
  | { readonly kind: 'dead' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hold' };

export interface SendFacts {
  readonly kind: OutboxKind;
  /** It was an edit of an earlier message. */
  readonly edit: boolean;
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly ageMs: number;
  readonly maxAgeMs: number;
}

/** What follows a send that did not succeed. Nothing here reads a platform's words. */
export function nextSend(failure: SendFailure, facts: SendFacts): NextSend {
  const passing = facts.kind === 'preview' || facts.kind === 'progress';
  if (facts.ageMs > facts.maxAgeMs) return { kind: 'dead' };
  switch (failure.kind) {
    case 'wait':
      return passing ? { kind: 'drop' } : { kind: 'retry', afterMs: failure.retryAfterMs, how: 'free' };
    case 'unreached':
      return passing ? { kind: 'drop' } : { kind: 'retry', afterMs: ladder(facts.attempts), how: 'pending' };
    case 'ambiguous':
      if (passing) return { kind: 'drop' };
      if (facts.edit) return { kind: 'retry', afterMs: ladder(facts.attempts), how: 'pending' };
      return facts.attempts > 1 ? { kind: 'dead' } : { kind: 'retry', afterMs: AMBIGUOUS_MS, how: 'ambiguous' };
    case 'missing':
      return facts.edit ? { kind: 'anew' } : { kind: 'dead' };
    case 'moved':
      return { kind: 'move', to: failure.to };
    case 'auth':
      return { kind: 'hold' };
    case 'format':
    case 'size':
    case 'gone':
      return { kind: 'dead' };
  }
}

/** 2, 10, 30 s, 2, 10, 30 min, then hourly. */
function ladder(attempts: number): number {
  return UNREACHED_MS[attempts - 1] ?? 3_600_000;
}
