import type { BootRow } from '../store/boots.ts';

/** What a boot says about the daemon's health; gateway.md section 3. */
export type BootWeight = 'resets' | 'neutral' | 'counts';

export type BootFacts = Pick<BootRow, 'how' | 'plan' | 'settledAt' | 'interrupted' | 'resumedToAnEnd'>;

/** A boot that proved itself says that all is well, however it ended. */
export function weigh(boot: BootFacts): BootWeight {
  if (boot.settledAt !== null || boot.resumedToAnEnd > 0) return 'resets';
  if (boot.interrupted > 0) return cutsOff(boot) ? 'counts' : 'neutral';
  return boot.how === 'stopped' || boot.how === 'restarted' || boot.how === 'signal' ? 'resets' : 'neutral';
}

/** Whether an end of this kind counts against the turns it cut off. Ends that a person planned never do. */
export function cutsOff({ how, plan }: Pick<BootFacts, 'how' | 'plan'>): boolean {
  switch (how) {
    case 'stopped':
    case 'restarted':
      return false;
    case 'forced':
    case 'overrun':
      return plan === null;
    // No turn runs before ready; if one did, it is as suspect as any.
    case 'start_failed':
    case 'signal':
    case 'crash':
    case 'watchdog':
    case 'vanished':
      return true;
    case null:
      return false;
  }
}

/** The global streak: interrupted boots in a row, from the newest ended one backwards. Time plays no part in it. */
export function judgeBoots<T extends BootFacts>(newestFirst: readonly T[]): readonly T[] {
  const ended = newestFirst.filter(({ how }) => how !== null);
  const end = ended.findIndex((boot) => weigh(boot) === 'resets');
  return ended.slice(0, end === -1 ? ended.length : end).filter((boot) => weigh(boot) === 'counts');
}

/** Why an unfinished turn goes on or waits; gateway.md section 3. */
export type TurnRule =
  | 'session_ended'
  | 'not_allowed'
  | 'no_platform'
  | 'awaiting_person'
  | 'answered'
  | 'newer_input'
  | 'state_unreadable'
  | 'restored'
  | 'resume_off'
  | 'session_loop'
  | 'attempts'
  | 'global_loop'
  | 'stale'
  | 'suspect'
  | 'resume';

/** Rules that leave a turn to a person. */
export const HOLD_RULES = [
  'state_unreadable',
  'restored',
  'resume_off',
  'session_loop',
  'attempts',
  'global_loop',
  'stale',
] as const satisfies readonly TurnRule[];
export type HoldRule = (typeof HOLD_RULES)[number];

export function isHoldRule(rule: string | null): rule is HoldRule {
  return HOLD_RULES.some((one) => one === rule);
}

export interface TurnFacts {
  /** Its conversation is over: `/new`. */
  readonly ended: boolean;
  /** Its requester may still talk here. */
  readonly allowed: boolean;
  /** Its platform is configured. */
  readonly platform: boolean;
  /** An approval or question of it is pending. */
  readonly parked: boolean;
  /** A person has answered what it was parked on: nothing holds that back. */
  readonly answered: boolean;
  /** Later messages of its session wait. */
  readonly newerInput: boolean;
  /** A person was asked what becomes of it and has not answered: it goes on waiting. */
  readonly heldBy: HoldRule | null;
  /** Journal and attempts say something we understand. The numbers below mean nothing otherwise. */
  readonly readable: boolean;
  /** The database came back from a backup: its past must not act. */
  readonly restored: boolean;
  readonly sessionStreak: number;
  /** Dispatches so far, whatever interrupted them. */
  readonly attempts: number;
  readonly globalStreak: number;
  readonly interruptedAt: number;
}

export interface ResumeLimits {
  readonly enabled: boolean;
  readonly max_attempts: number;
  readonly max_age_s: number;
}

/** 0 switches a limit off. */
export interface BreakerLimits {
  readonly session_limit: number;
  readonly global_limit: number;
}

/** First match wins; the rule is stored, logged and shown. Rules of the session come first and their limit is lower. */
export function judgeTurn(
  turn: TurnFacts,
  now: number,
  limits: { readonly resume: ResumeLimits; readonly breaker: BreakerLimits },
): TurnRule {
  const { resume, breaker } = limits;
  if (turn.ended) return 'session_ended';
  if (!turn.allowed) return 'not_allowed';
  if (!turn.platform) return 'no_platform';
  if (turn.parked) return 'awaiting_person';
  if (turn.answered) return 'answered';
  if (turn.newerInput) return 'newer_input';
  if (turn.heldBy !== null) return turn.heldBy;
  if (!turn.readable) return 'state_unreadable';
  if (turn.restored) return 'restored';
  if (!resume.enabled) return 'resume_off';
  if (reached(turn.sessionStreak, breaker.session_limit)) return 'session_loop';
  if (turn.attempts >= resume.max_attempts) return 'attempts';
  if (reached(turn.globalStreak, breaker.global_limit)) return 'global_loop';
  if (now - turn.interruptedAt > resume.max_age_s * 1000) return 'stale';
  if (reached(turn.sessionStreak + 1, breaker.session_limit)) return 'suspect';
  return 'resume';
}

/** Whether a streak has come to its limit. */
export function reached(streak: number, limit: number): boolean {
  return limit > 0 && streak >= limit;
}
