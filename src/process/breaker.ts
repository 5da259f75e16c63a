/** Why an unfinished turn goes on or waits; gateway.md section 3. */
export type TurnRule =
  | 'session_ended'
  | 'not_allowed'
  | 'awaiting_person'
  | 'resume_off'
  | 'attempts'
  | 'stale'
  | 'resume';

export interface TurnFacts {
  /** Its conversation is over: `/new`. */
  readonly ended: boolean;
  /** Its requester may still talk here. */
  readonly allowed: boolean;
  /** An approval or question of it is pending. */
  readonly parked: boolean;
  /** Dispatches so far, whatever interrupted them. */
  readonly attempts: number;
  readonly interruptedAt: number;
}

export interface ResumeLimits {
  readonly enabled: boolean;
  readonly max_attempts: number;
  readonly max_age_s: number;
}

/** First match wins; the rule is stored, logged and shown. */
export function judgeTurn(turn: TurnFacts, now: number, limits: ResumeLimits): TurnRule {
  if (turn.ended) return 'session_ended';
  if (!turn.allowed) return 'not_allowed';
  if (turn.parked) return 'awaiting_person';
  if (!limits.enabled) return 'resume_off';
  if (turn.attempts >= limits.max_attempts) return 'attempts';
  if (now - turn.interruptedAt > limits.max_age_s * 1000) return 'stale';
  return 'resume';
}
