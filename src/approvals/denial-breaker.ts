import type { RunContext } from '../contract/run.ts';

interface Denials {
  readonly refused: Set<string>;
  inARow: number;
  off: boolean;
}

/** Counts refusals of each run: the same command refused again, or too many with no yes between, and its tools are off. */
export class DenialBreaker {
  readonly #runs = new WeakMap<RunContext, Denials>();

  /** Tools that execute are off for the rest of this run. */
  isOff(run: RunContext): boolean {
    return this.#runs.get(run)?.off ?? false;
  }

  /** This very call was refused before in this run; asking for it again switches the tools off. */
  isRepeat(run: RunContext, digest: string, threshold: number): boolean {
    const denials = this.#runs.get(run);
    if (threshold === 0 || !denials?.refused.has(digest)) return false;
    denials.off = true;
    return true;
  }

  refused(run: RunContext, digest: string, threshold: number): void {
    const denials = this.#runs.get(run) ?? { refused: new Set<string>(), inARow: 0, off: false };
    denials.refused.add(digest);
    denials.inARow++;
    if (threshold > 0 && denials.inARow >= threshold) denials.off = true;
    this.#runs.set(run, denials);
  }

  /** Somebody or something said yes. */
  allowed(run: RunContext): void {
    const denials = this.#runs.get(run);
    if (denials) denials.inARow = 0;
  }
}
