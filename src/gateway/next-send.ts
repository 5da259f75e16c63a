import type { SendFailure } from '../contract/errors.ts';
import type { Address } from '../contract/message.ts';
import type { OutboxKind, OutboxRow } from '../store/outbox.ts';

const UNREACHED_MS = [2_000, 10_000, 30_000, 120_000, 600_000, 1_800_000];
const AMBIGUOUS_MS = 30_000;

export type NextSend =
  /** `ambiguous`: it may have arrived. `free`: the attempt does not count. */
  | { readonly kind: 'retry'; readonly afterMs: number; readonly how: 'pending' | 'ambiguous'; readonly free: boolean }
  | { readonly kind: 'move'; readonly to: Address }
  /** The message to edit is gone: the same text as a new message. */
  | { readonly kind: 'anew' }
  /** The thread is gone or closed: in the chat it was in, opening with `notice`. */
  | { readonly kind: 'parent'; readonly notice: string }
  /** Too large: the smaller form, once. */
  | { readonly kind: 'smaller' }
  /** The chat refuses us: whatever waits for it is dead. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'dead' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'hold' };

export interface SendFacts {
  readonly kind: OutboxKind;
  /** It was an edit of an earlier message. */
  readonly edit: boolean;
  /** An earlier attempt may have arrived. */
  readonly repeat: boolean;
  /** The platform still refuses a second copy under this row's key. */
  readonly keyed: boolean;
  /** Its chat has moved before. */
  readonly moved: boolean;
  /** It is meant for a thread. */
  readonly thread: boolean;
  /** It is a smaller form already. */
  readonly smaller: boolean;
  /** Attempts made, this one included. */
  readonly attempts: number;
  readonly ageMs: number;
  readonly maxAgeMs: number;
}

/** What follows a send that did not succeed. Nothing here reads a platform's words. */
export function nextSend(failure: SendFailure, facts: SendFacts): NextSend {
  if (failure.kind === 'gone') return { kind: 'gone' };
  if (facts.kind === 'preview' || facts.kind === 'progress') return { kind: 'drop' };
  if (facts.ageMs > facts.maxAgeMs) return { kind: 'dead' };
  // What may have arrived stays so until it is sent: only then is a repeat labelled.
  const how = facts.repeat ? 'ambiguous' : 'pending';
  switch (failure.kind) {
    case 'wait':
      return { kind: 'retry', afterMs: failure.retryAfterMs, how, free: true };
    case 'unreached':
      return { kind: 'retry', afterMs: ladder(facts.attempts), how, free: false };
    case 'ambiguous':
      return ambiguous(facts);
    case 'missing':
      if (facts.edit) return { kind: 'anew' };
      return facts.thread ? { kind: 'parent', notice: failure.notice ?? 'the topic is gone' } : { kind: 'dead' };
    case 'moved':
      return facts.moved ? { kind: 'dead' } : { kind: 'move', to: failure.to };
    case 'auth':
      return facts.repeat ? { kind: 'retry', afterMs: ladder(facts.attempts), how, free: false } : { kind: 'hold' };
    case 'size':
      return facts.smaller ? { kind: 'dead' } : { kind: 'smaller' };
    case 'format':
      return { kind: 'dead' };
  }
}

/**
 * Milliseconds until a row is due; not above 0: it is. Of a row that seems to be of later than `now` the clock was put back
 * since: then it waits no longer than its attempts make it wait. Pure.
 */
export function dueIn(
  { dueAt, createdAt, attempts }: Pick<OutboxRow, 'dueAt' | 'createdAt' | 'attempts'>,
  now: number,
): number {
  const wait = dueAt - now;
  if (createdAt <= now) return wait;
  const most = attempts === 0 ? 0 : Math.max(ladder(attempts), AMBIGUOUS_MS);
  return wait > most ? 0 : wait;
}

/** An edit may be repeated freely, a send while its key protects it; else once more. */
function ambiguous({ edit, keyed, repeat, attempts }: SendFacts): NextSend {
  if (edit) return { kind: 'retry', afterMs: ladder(attempts), how: 'pending', free: false };
  if (keyed) return { kind: 'retry', afterMs: ladder(attempts), how: 'ambiguous', free: false };
  return repeat ? { kind: 'dead' } : { kind: 'retry', afterMs: AMBIGUOUS_MS, how: 'ambiguous', free: false };
}

/** 2, 10, 30 s, 2, 10, 30 min, then hourly. */
function ladder(attempts: number): number {
  return UNREACHED_MS[attempts - 1] ?? 3_600_000;
}
