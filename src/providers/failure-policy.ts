import type { ModelFailure, ModelFailureKind } from '../contract/model.ts';

export interface Policy {
  /** How often a model is asked: `often` as configured, `once` one more time, `never` again. */
  readonly retry: 'often' | 'once' | 'never';
  /** Another model may answer instead. */
  readonly fallback: boolean;
  /** The model is left out for a while when others can answer. */
  readonly rest?: true;
}

/** What follows from each failure. A filtered answer goes to another model only where config says so. */
export const POLICIES: Readonly<Record<ModelFailureKind, Policy>> = {
  auth: { retry: 'never', fallback: true, rest: true },
  quota: { retry: 'never', fallback: true, rest: true },
  model: { retry: 'never', fallback: true, rest: true },
  rate: { retry: 'often', fallback: true },
  overloaded: { retry: 'often', fallback: true },
  server: { retry: 'often', fallback: true },
  overflow: { retry: 'never', fallback: false },
  filtered: { retry: 'never', fallback: false },
  timeout: { retry: 'often', fallback: true },
  cut: { retry: 'often', fallback: true },
  unreachable: { retry: 'often', fallback: true },
  tls: { retry: 'never', fallback: true },
  bad_answer: { retry: 'never', fallback: true },
  no_tools: { retry: 'never', fallback: true },
  no_images: { retry: 'never', fallback: false },
  empty: { retry: 'once', fallback: true },
  request: { retry: 'never', fallback: true },
  aborted: { retry: 'never', fallback: false },
};

const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 1000;
const JITTER = 0.25;

/**
 * Milliseconds until a model is asked again after its `count`-th attempt, or undefined when it is not. A `Retry-After` is
 * obeyed as it is; one that is too long ends the attempts. `random`: from 0 to below 1. Pure.
 */
export function waitBefore(
  failure: Pick<ModelFailure, 'kind' | 'retryAfterMs'>,
  count: number,
  attempts: number,
  random: number,
): number | undefined {
  const { retry } = POLICIES[failure.kind];
  const most = retry === 'never' ? 1 : retry === 'once' ? Math.min(2, attempts) : attempts;
  if (count >= most) return undefined;
  if (failure.retryAfterMs !== undefined)
    return failure.retryAfterMs <= LONGEST_WAIT_MS ? failure.retryAfterMs : undefined;
  return Math.min(FIRST_WAIT_MS * 4 ** (count - 1), LONGEST_WAIT_MS) * (1 + JITTER * (2 * random - 1));
}
