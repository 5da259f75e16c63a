import type { BusyMode } from '../store/chat-settings.ts';

export interface InputFacts {
  /** Written so long ago that its person is asked first. */
  readonly aged: boolean;
  /** It goes on with a piece of the same person that waits, or that the running turn has taken and shown nothing of. */
  readonly continues: 'waiting' | 'running' | undefined;
  /** What waits in the session already, and the most that may. */
  readonly waiting: { readonly messages: number; readonly bytes: number };
  readonly most: { readonly messages: number; readonly bytes: number };
  /** Of this message. */
  readonly bytes: number;
  /** An unfinished turn holds the lane: it runs, or waits for a person. */
  readonly busy: boolean;
  /** It runs in this process. */
  readonly running: boolean;
  readonly mode: BusyMode;
  /** It brings files other than voice. */
  readonly files: boolean;
  /** The running turn has workers at work. */
  readonly workers: boolean;
  /** The running turn is this person's. */
  readonly own: boolean;
}

export type InputPlace =
  | { readonly kind: 'ask' | 'refuse' | 'join' | 'fold' | 'go' | 'steer' | 'interrupt' }
  /** `why`: what the person had asked for cannot be done. */
  | { readonly kind: 'queue'; readonly why?: 'files' | 'workers' | 'foreign' };

/** What becomes of a message. First match wins. Pure. */
export function placeInput(facts: InputFacts): InputPlace {
  const { waiting, most } = facts;
  if (facts.aged) return { kind: 'ask' };
  if (waiting.bytes + facts.bytes > most.bytes) return { kind: 'refuse' };
  if (facts.continues !== undefined) return { kind: facts.continues === 'running' ? 'fold' : 'join' };
  if (waiting.messages >= most.messages) return { kind: 'refuse' };
  if (!facts.busy) return { kind: 'go' };
  if (!facts.running || facts.mode === 'queue') return { kind: 'queue' };
  if (facts.mode === 'interrupt') return facts.workers ? { kind: 'queue', why: 'workers' } : { kind: 'interrupt' };
  if (!facts.own) return { kind: 'queue', why: 'foreign' };
  return facts.files ? { kind: 'queue', why: 'files' } : { kind: 'steer' };
}

const WHY = {
  files: ': a running turn takes words, not files',
  workers: ': workers are at work and are not interrupted; /stop ends them',
  foreign: ': only who asked can steer what runs',
} as const;

/** `before`: how many come first, the running one included. */
export function queuedText(before: number, why?: keyof typeof WHY): string {
  return `Queued, ${before} before it${why === undefined ? '' : WHY[why]}.`;
}

/** `count`: how many were refused within this minute. */
export function refusedText(waiting: number, count: number): string {
  const which = count === 1 ? 'Not queued' : `${count} messages not queued`;
  const wait = waiting === 1 ? '1 message already waits' : `${waiting} messages already wait`;
  return `${which}: ${wait} here. /status shows them, /stop all clears yours.`;
}
