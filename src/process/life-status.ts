import type { BootEnd } from '../store/boots.ts';
import { type BootFacts, cutsOff, type HoldRule, reached } from './breaker.ts';

/** How the life of the daemon goes, for whoever asks. */
export interface LifeStatus {
  /** Interrupted boots in a row before this one; null: the journal cannot be read, and nothing is resumed. */
  readonly streak: number | null;
  readonly limit: number;
  /** This boot has proved itself. */
  readonly settled: boolean;
  /** How earlier boots ended, newest first, ten at most. */
  readonly ends: readonly { readonly how: BootEnd; readonly interrupted: number; readonly at: number }[];
  /** Turns a person has to decide about, by rule. */
  readonly held: readonly HoldRule[];
  /** Interrupted turns that wait for their place. */
  readonly resuming: number;
  /** The longest the event loop was late in the last minute, ms. */
  readonly lagMs: number;
  /** Somebody would end the process if it froze. */
  readonly watched: boolean;
}

/** Whether interrupted turns wait for a person because of too many restarts. */
export function isTripped({ streak, limit }: Pick<LifeStatus, 'streak' | 'limit'>): boolean {
  return streak === null || reached(streak, limit);
}

/** Words for probes about what does not keep the daemon from being ready. */
export function lifeNotes(life: LifeStatus): readonly string[] {
  return [
    ...(life.streak === null ? ['journal_unreadable'] : []),
    ...(life.streak !== null && isTripped(life) && !life.settled ? ['breaker'] : []),
    ...(life.held.length > 0 ? ['held_turns'] : []),
    ...(life.watched ? [] : ['watchdog']),
  ];
}

/** Sentences for people. */
export function lifeText(life: LifeStatus): readonly string[] {
  return [`breaker: ${breakerText(life)}`, ...heldText(life), ...loopText(life)];
}

function breakerText({ streak, limit, settled, ends }: LifeStatus): string {
  if (streak === null) return 'the journal of boots cannot be read; interrupted turns wait for a person';
  if (streak > 0 && !settled) {
    const boots = streak === 1 ? 'the last boot was' : `the last ${streak} boots were`;
    const what = reached(streak, limit) ? '; interrupted turns wait for a person' : '';
    return `${boots} interrupted (limit ${limit})${what}`;
  }
  const clean = ends.findIndex(isInterrupted);
  const count = clean === -1 ? ends.length : clean;
  return count === 0 ? 'clear' : `clear, ${count === 1 ? 'last boot' : `last ${count} boots`} clean`;
}

function isInterrupted({ how, interrupted }: Pick<BootFacts, 'interrupted'> & { readonly how: BootEnd }): boolean {
  return interrupted > 0 && cutsOff({ how, plan: null });
}

function heldText({ held, resuming }: LifeStatus): readonly string[] {
  const rules = [...Map.groupBy(held, (rule) => rule)].map(([rule, { length }]) => `${length} by ${rule}`);
  return [
    ...(held.length > 0 ? [`held turns: ${rules.join(', ')}; each has a card in its chat`] : []),
    ...(resuming > 0 ? [`interrupted turns that wait for their place: ${resuming}`] : []),
  ];
}

const LATE_MS = 200;

function loopText({ lagMs, watched }: LifeStatus): readonly string[] {
  return [
    ...(lagMs >= LATE_MS ? [`event loop: up to ${Math.round(lagMs)} ms late in the last minute`] : []),
    ...(watched ? [] : ['watchdog: its thread is being started again']),
  ];
}
