import { describe, expect, it } from 'vitest';
import {
  type BootFacts,
  type BootWeight,
  type BreakerLimits,
  HOLD_RULES,
  judgeBoots,
  judgeTurn,
  type ResumeLimits,
  type TurnFacts,
  type TurnRule,
  weigh,
} from '../../src/process/breaker.ts';
import type { BootEnd } from '../../src/store/boots.ts';

const boot = (how: BootEnd | null, over: Partial<BootFacts> = {}): BootFacts => ({
  how,
  plan: null,
  settledAt: null,
  interrupted: 0,
  resumedToAnEnd: 0,
  ...over,
});
const planned = { plan: 'restart' } as const;
const cutOff = (how: BootEnd, over: Partial<BootFacts> = {}) => boot(how, { interrupted: 1, ...over });

describe('what one boot counts for (gateway 8)', () => {
  it.each<[BootEnd, Partial<BootFacts>, BootWeight, BootWeight]>([
    // how it ended, planned or not, without a turn cut off, with one
    ['stopped', { plan: 'stop' }, 'resets', 'neutral'],
    ['restarted', planned, 'resets', 'neutral'],
    ['signal', {}, 'resets', 'counts'],
    ['forced', {}, 'neutral', 'counts'],
    ['forced', planned, 'neutral', 'neutral'],
    ['crash', {}, 'neutral', 'counts'],
    ['watchdog', {}, 'neutral', 'counts'],
    ['overrun', {}, 'neutral', 'counts'],
    ['overrun', planned, 'neutral', 'neutral'],
    ['vanished', {}, 'neutral', 'counts'],
    ['start_failed', {}, 'neutral', 'counts'],
  ])('%s %o: %s alone, %s with a turn cut off', (how, over, alone, withTurn) => {
    expect(weigh(boot(how, over))).toBe(alone);
    expect(weigh(cutOff(how, over))).toBe(withTurn);
  });

  const ALL: readonly BootEnd[] = ['signal', 'forced', 'crash', 'watchdog', 'overrun', 'vanished', 'start_failed'];
  it.each(ALL)('%s, settled or with a resumed turn that ended: it proved itself', (how) => {
    expect(weigh(cutOff(how, { settledAt: 1 }))).toBe('resets');
    expect(weigh(cutOff(how, { resumedToAnEnd: 1 }))).toBe('resets');
  });
});

describe('the global streak (gateway 8)', () => {
  it('is the boots it consists of, newest first', () => {
    const [first, second] = [cutOff('vanished'), cutOff('crash')];
    expect(judgeBoots([second, boot('vanished'), first, boot('signal'), cutOff('crash')])).toEqual([second, first]);
  });

  const counts = cutOff('vanished');
  const neutral = boot('vanished');
  const resets = boot('signal');
  it.each<[string, readonly BootFacts[], number]>([
    ['no boots', [], 0],
    ['the present boot is none of them', [boot(null), counts], 1],
    ['in a row', [counts, cutOff('crash'), cutOff('signal')], 3],
    ['neutral ones are passed over', [counts, neutral, cutOff('restarted', planned), counts], 2],
    ['a resetting one ends it', [counts, resets, counts, counts], 1],
    ['nothing before it matters', [resets, counts, counts], 0],
    ['a settled one ends it, whatever its end', [counts, cutOff('crash', { settledAt: 5 }), counts], 1],
    ['a resumed turn that came to its end ends it', [counts, cutOff('crash', { resumedToAnEnd: 1 }), counts], 1],
  ])('%s', (_, boots, streak) => {
    expect(judgeBoots(boots)).toHaveLength(streak);
  });
});

const NOW = 10_000_000;
const RESUME: ResumeLimits = { enabled: true, max_attempts: 5, max_age_s: 3600 };
const BREAKER: BreakerLimits = { session_limit: 3, global_limit: 5 };
const FINE: TurnFacts = {
  ended: false,
  allowed: true,
  platform: true,
  parked: false,
  answered: false,
  newerInput: false,
  heldBy: null,
  readable: true,
  restored: false,
  sessionStreak: 0,
  attempts: 1,
  globalStreak: 1,
  interruptedAt: NOW - 1_000,
};
const judged = (facts: Partial<TurnFacts>, resume: Partial<ResumeLimits> = {}, breaker: Partial<BreakerLimits> = {}) =>
  judgeTurn({ ...FINE, ...facts }, NOW, { resume: { ...RESUME, ...resume }, breaker: { ...BREAKER, ...breaker } });

describe('judgeTurn (gateway 8)', () => {
  /** Everything at once is wrong; each row takes away the reason of the row before it: the order is the point. */
  const steps: readonly [TurnRule, Partial<TurnFacts>][] = [
    ['session_ended', {}],
    ['not_allowed', { ended: false }],
    ['no_platform', { allowed: true }],
    ['awaiting_person', { platform: true }],
    ['answered', { parked: false }],
    ['newer_input', { answered: false }],
    ['global_loop', { newerInput: false }],
    ['state_unreadable', { heldBy: null }],
    ['restored', { readable: true }],
    ['resume_off', { restored: false }],
  ];
  const worst: TurnFacts = {
    ended: true,
    allowed: false,
    platform: false,
    parked: true,
    answered: true,
    newerInput: true,
    heldBy: 'global_loop',
    readable: false,
    restored: true,
    sessionStreak: 3,
    attempts: 5,
    globalStreak: 5,
    interruptedAt: NOW - 3_600_001,
  };
  it.each(steps.map(([rule], i) => [rule, Object.assign({}, worst, ...steps.slice(0, i + 1).map(([, f]) => f))]))(
    '%s comes before what follows',
    (rule, facts) => {
      expect(judged(facts as TurnFacts, { enabled: false })).toBe(rule);
    },
  );

  const bad = { sessionStreak: 3, attempts: 5, globalStreak: 5, interruptedAt: NOW - 3_600_001 };
  it.each<[TurnRule, Partial<TurnFacts>]>([
    ['session_loop', bad],
    ['attempts', { ...bad, sessionStreak: 2 }],
    ['global_loop', { ...bad, sessionStreak: 2, attempts: 4 }],
    ['stale', { ...bad, sessionStreak: 2, attempts: 4, globalStreak: 4 }],
    ['suspect', { sessionStreak: 2, attempts: 4, globalStreak: 4 }],
    ['resume', { sessionStreak: 1, attempts: 4, globalStreak: 4 }],
  ])('%s comes before what follows, too', (rule, facts) => {
    expect(judged(facts)).toBe(rule);
  });

  it.each<[TurnRule, Partial<TurnFacts>]>([
    ['session_loop', { sessionStreak: 4 }],
    ['attempts', { attempts: 6 }],
    ['global_loop', { globalStreak: 9 }],
    ['resume', { interruptedAt: NOW - 3_600_000 }],
    ['stale', { interruptedAt: 0 }],
    ['resume', { interruptedAt: NOW + 60_000 }],
  ])('at the edges: %s for %o', (rule, facts) => {
    expect(judged(facts)).toBe(rule);
  });

  it('0 switches a limit off', () => {
    expect(judged({ sessionStreak: 99 }, {}, { session_limit: 0 })).toBe('resume');
    expect(judged({ globalStreak: 99 }, {}, { global_limit: 0 })).toBe('resume');
  });

  it.each(HOLD_RULES)('what a person was asked about stays with them: %s', (rule) => {
    expect(judged({ heldBy: rule })).toBe(rule);
    expect(judged({ heldBy: rule, readable: false, sessionStreak: 9 })).toBe(rule);
  });
});
