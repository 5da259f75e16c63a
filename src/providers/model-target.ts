import type { Clock } from '../contract/clock.ts';
import type { ModelChoice, ModelFailure, ModelProvider } from '../contract/model.ts';
import type { ProviderFacts } from './failure-text.ts';
import type { OutputLimits } from './output-watchdog.ts';

export interface ModelTarget {
  readonly choice: ModelChoice;
  readonly provider: ModelProvider;
  readonly facts: ProviderFacts;
}

export interface StepLimits extends OutputLimits {
  /** Seconds of a step over all its attempts and waits. */
  readonly stepDeadlineS: number;
  /** How often one model is asked. */
  readonly attempts: number;
}

export interface ModelChainOptions {
  /** The primary model, then its fallbacks in order. A practice model is never a fallback. */
  readonly targets: readonly ModelTarget[];
  readonly limits: StepLimits;
  readonly fallbackOnFilter: boolean;
  readonly clock: Clock;
  /** From 0 to below 1, for the jitter of waits. */
  readonly random: () => number;
}

/** A model that did not answer, and why. */
export interface Failed {
  readonly target: ModelTarget;
  readonly failure: ModelFailure;
}
