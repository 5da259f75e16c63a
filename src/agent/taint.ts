import type { TurnId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';
import type { Transcript } from '../store/transcript.ts';

/**
 * Which runs have read text nobody vouches for, and where it came from. It goes with the run: whatever is called in it, by the
 * model or by a script, is tainted too. A turn that goes on after a restart is known by its rows.
 */
export class Taint {
  readonly #transcript: Pick<Transcript, 'untrustedIn'>;
  readonly #sources = new WeakMap<RunContext, string>();

  constructor(transcript: Pick<Transcript, 'untrustedIn'>) {
    this.#transcript = transcript;
  }

  /** The first source, or undefined: clean. */
  of(run: RunContext, turn: TurnId | null): string | undefined {
    return this.#sources.get(run) ?? (turn === null ? undefined : this.#transcript.untrustedIn(turn));
  }

  /** A result with this source has entered the run. */
  add(run: RunContext, source: string): void {
    if (!this.#sources.has(run)) this.#sources.set(run, source);
  }

  /** What a worker is told comes from its parent's turn. */
  inherit(worker: RunContext, parent: RunContext, turn: TurnId | null): void {
    const source = this.of(parent, turn);
    if (source !== undefined) this.add(worker, source);
  }
}
