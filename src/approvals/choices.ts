import type { RunContext } from '../contract/run.ts';
import type { Choice, Guard } from '../store/approvals.ts';
import type { Decision } from './decide.ts';
import type { ApprovalsConfig } from './policy-config.ts';

export interface ChoiceFacts {
  readonly guard: Guard;
  readonly runKind: RunContext['kind'];
  readonly decision: Pick<Decision, 'onceOnly' | 'people'>;
  /** Why no standing grant can cover it, or null: one literal simple command. Shell only. */
  readonly bar: string | null;
  /** The whole command stands on every copy of the card. */
  readonly whole: boolean;
  readonly config: Pick<ApprovalsConfig, 'allow_permanent' | 'timed_grant_minutes'>;
}

/** What a card offers: the table of approvals.md section 3. */
export function choices(facts: ChoiceFacts): readonly Choice[] {
  const { guard, runKind, decision, bar, whole } = facts;
  if (decision.onceOnly || decision.people === 2 || !whole) return ['once', 'deny'];
  if (runKind === 'cron') return lasting(facts) ? ['once', 'job', 'deny'] : ['once', 'deny'];
  if (guard !== 'shell') return ['once', 'session', 'deny'];
  if (bar !== null) return ['once', 'deny'];
  return [
    'once',
    ...(facts.config.timed_grant_minutes > 0 ? (['timed'] as const) : []),
    'session',
    ...(lasting(facts) ? (['always'] as const) : []),
    'deny',
  ];
}

/** What an offer after a firing offers: the job's grant where Always would be possible, else nothing but a no. */
export function offerChoices(facts: Pick<ChoiceFacts, 'guard' | 'bar' | 'whole' | 'config'>): readonly Choice[] {
  return lasting(facts) && facts.whole ? ['job', 'deny'] : ['deny'];
}

function lasting({ guard, bar, config }: Pick<ChoiceFacts, 'guard' | 'bar' | 'config'>): boolean {
  return guard === 'shell' && bar === null && config.allow_permanent;
}
