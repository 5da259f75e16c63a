import type { ModelFailureKind } from '../contract/model.ts';

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
