import type { SignalName } from '../host.ts';

/** How a daemon's life is asked to end. */
export interface Ending {
  readonly how: 'signal' | 'stopped' | 'restarted' | 'forced';
  readonly code: 0 | 1 | 75;
  /** The signal, or who planned it. */
  readonly by: string;
}

// One Ctrl-C reaches the launcher and its child, doubled within a millisecond or two.
const SAME_MS = 300;

/**
 * What a signal means for a process that is, or is not, already stopping. Undefined: nothing. SIGHUP stops only what hangs on
 * a terminal.
 */
export function judgeSignal(
  name: SignalName,
  now: number,
  facts: {
    readonly ready: boolean;
    readonly terminal: boolean;
    /** A tool is at work: then SIGUSR2 may come from it, and counts like any signal. */
    readonly executing: boolean;
    readonly stopping: { readonly by: string; readonly at: number } | undefined;
  },
): Ending | undefined {
  if (name === 'SIGHUP' && !facts.terminal) return undefined;
  if (facts.stopping) {
    const same = facts.stopping.by === name && now - facts.stopping.at < SAME_MS;
    return same ? undefined : { how: 'forced', code: 1, by: name };
  }
  if (!facts.ready) return { how: 'signal', code: 1, by: name };
  if (name === 'SIGUSR2') return { how: facts.executing ? 'signal' : 'restarted', code: 75, by: name };
  return { how: 'signal', code: 0, by: name };
}
