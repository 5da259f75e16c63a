import type { ApprovalId } from '../contract/ids.ts';
import type { EndReason } from '../contract/run.ts';

/** Why a wait ended: its row was decided, or the run that waits is over. */
export type WaitEnd = { readonly kind: 'decided' } | { readonly kind: 'aborted'; readonly by: EndReason };

/**
 * Who in this process waits for which row. It keeps promises only: whoever decides resolves them, and the waiting code goes on
 * in its own run.
 */
export class WaitingRoom {
  readonly #waiting = new Map<ApprovalId, Set<() => void>>();

  has(id: ApprovalId): boolean {
    return this.#waiting.has(id);
  }

  wait(id: ApprovalId, signal: AbortSignal): Promise<WaitEnd> {
    if (signal.aborted) return Promise.resolve(aborted(signal));
    return new Promise((resolve) => {
      const leave = (end: WaitEnd) => {
        signal.removeEventListener('abort', stop);
        this.#remove(id, decided);
        resolve(end);
      };
      const decided = () => leave({ kind: 'decided' });
      const stop = () => leave(aborted(signal));
      signal.addEventListener('abort', stop);
      const there = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, there.add(decided));
    });
  }

  /** The row was decided and committed. Returns whether anybody waited. */
  decided(id: ApprovalId): boolean {
    const there = [...(this.#waiting.get(id) ?? [])];
    for (const go of there) go();
    return there.length > 0;
  }

  #remove(id: ApprovalId, decided: () => void): void {
    const there = this.#waiting.get(id);
    there?.delete(decided);
    if (there?.size === 0) this.#waiting.delete(id);
  }
}

function aborted(signal: AbortSignal): WaitEnd {
  const known: readonly unknown[] = ['stop', 'reset', 'interrupt', 'idle', 'shutdown'];
  return { kind: 'aborted', by: known.includes(signal.reason) ? (signal.reason as EndReason) : 'stop' };
}
