import type { RunId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';

interface Denials {
  readonly refused: Set<string>;
  inARow: number;
  off: boolean;
}

/**
 * Counts refusals of each run: the same command refused again, or too many with no yes between, and its tools are off. A firing
 * of a job and its workers count as one: nobody tries again by handing it on.
 */
export class DenialBreaker {
  readonly #runs = new WeakMap<RunContext, Denials>();
  readonly #firings = new Map<RunId, Denials>();

  /** Tools that execute are off for the rest of this run. */
  isOff(run: RunContext): boolean {
    return this.#of(run)?.off ?? false;
  }

  /** This very call was refused before in this run; asking for it again switches the tools off. */
  isRepeat(run: RunContext, digest: string, threshold: number): boolean {
    const denials = this.#of(run);
    if (threshold === 0 || !denials?.refused.has(digest)) return false;
    denials.off = true;
    return true;
  }

  refused(run: RunContext, digest: string, threshold: number): void {
    const denials = this.#of(run) ?? { refused: new Set<string>(), inARow: 0, off: false };
    denials.refused.add(digest);
    denials.inARow++;
    if (threshold > 0 && denials.inARow >= threshold) denials.off = true;
    if (run.kind === 'cron') this.#firings.set(run.rootId, denials);
    else this.#runs.set(run, denials);
  }

  /** Somebody or something said yes. */
  allowed(run: RunContext): void {
    const denials = this.#of(run);
    if (denials) denials.inARow = 0;
  }

  /** A firing is over. */
  forget(root: RunId): void {
    this.#firings.delete(root);
  }

  #of(run: RunContext): Denials | undefined {
    return run.kind === 'cron' ? this.#firings.get(run.rootId) : this.#runs.get(run);
  }
}
