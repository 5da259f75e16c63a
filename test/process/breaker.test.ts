import { describe, expect, it } from 'vitest';
import { judgeTurn, type ResumeLimits, type TurnFacts } from '../../src/process/breaker.ts';

const NOW = 10_000_000;
const LIMITS: ResumeLimits = { enabled: true, max_attempts: 5, max_age_s: 3600 };
const FINE: TurnFacts = { ended: false, allowed: true, parked: false, attempts: 1, interruptedAt: NOW - 1_000 };

describe('judgeTurn', () => {
  // Each row takes away the reason of the row before it: the order is the point.
  const worst = { ended: true, allowed: false, parked: true, attempts: 5, interruptedAt: NOW - 3_600_001 };
  it.each<[string, Partial<TurnFacts>, Partial<ResumeLimits>]>([
    ['session_ended', worst, { enabled: false }],
    ['not_allowed', { ...worst, ended: false }, { enabled: false }],
    ['awaiting_person', { ...worst, ended: false, allowed: true }, { enabled: false }],
    ['resume_off', { attempts: 5, interruptedAt: worst.interruptedAt }, { enabled: false }],
    ['attempts', { attempts: 5, interruptedAt: worst.interruptedAt }, {}],
    ['stale', { interruptedAt: worst.interruptedAt }, {}],
    ['resume', {}, {}],
  ])('%s', (rule, facts, limits) => {
    expect(judgeTurn({ ...FINE, ...facts }, NOW, { ...LIMITS, ...limits })).toBe(rule);
  });

  it.each<[string, Partial<TurnFacts>]>([
    ['resume', { attempts: 4 }],
    ['attempts', { attempts: 6 }],
    ['resume', { interruptedAt: NOW - 3_600_000 }],
    ['stale', { interruptedAt: 0 }],
    ['resume', { interruptedAt: NOW + 60_000 }],
  ])('at the edges: %s for %o', (rule, facts) => {
    expect(judgeTurn({ ...FINE, ...facts }, NOW, LIMITS)).toBe(rule);
  });
});
