import { HermodError } from '../contract/errors.ts';
import type { TurnModel } from '../contract/model.ts';
import { ChainTurn } from './chain-turn.ts';
import { POLICIES } from './failure-policy.ts';
import type { Failed, ModelChainOptions, ModelTarget } from './model-target.ts';

const REST_MS = 300_000;

/** A primary model and its fallbacks; remembers over turns which of them to leave out for a while. */
export class ModelChain {
  readonly #options: ModelChainOptions;
  readonly #resting = new Map<ModelTarget, Failed & { readonly until: number }>();

  /** Throws HermodError without a target. */
  constructor(options: ModelChainOptions) {
    const [primary, ...others] = options.targets;
    if (!primary) throw new HermodError('us', 'A model chain needs at least one model; set model.primary.');
    this.#options = { ...options, targets: [primary, ...others.filter((target) => target.facts.kind !== 'practice')] };
  }

  /** Starts with the first model that does not rest; all resting, with the primary. */
  turn(): TurnModel {
    const now = this.#options.clock.now();
    const { targets } = this.#options;
    const start = Math.max(
      0,
      targets.findIndex((target) => (this.#resting.get(target)?.until ?? 0) <= now),
    );
    const skipped = targets.slice(0, start).flatMap((target) => this.#resting.get(target) ?? []);
    return new ChainTurn(this.#options, start, skipped, (failed) => this.#rest(failed));
  }

  #rest(failed: Failed): void {
    if (!POLICIES[failed.failure.kind].rest) return;
    this.#resting.set(failed.target, { ...failed, until: this.#options.clock.now() + REST_MS });
  }
}
