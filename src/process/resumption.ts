import type { Log } from '../contract/log.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import type { Journal } from './boot-journal.ts';
import {
  type BreakerLimits,
  type HoldRule,
  judgeTurn,
  type ResumeLimits,
  type TurnFacts,
  type TurnRule,
} from './breaker.ts';
import { holdCard } from './hold-card.ts';
import { holdStory, type Show } from './hold-story.ts';
import { attemptsOf, closeHold, dropTurn, heldBy, putHold } from './holds.ts';
import { sessionStreak } from './session-streak.ts';

export interface JudgeDeps {
  readonly store: Store;
  readonly now: number;
  readonly log: Log;
  readonly allowed: (turn: TurnRow) => boolean;
  /** A platform of that name is configured. */
  readonly platform: (name: string) => boolean;
  readonly limits: { readonly resume: ResumeLimits & { readonly hold_days: number }; readonly breaker: BreakerLimits };
  readonly restored: boolean;
  /** Undefined: it cannot be read. */
  readonly journal: Journal | undefined;
  readonly show: Show;
}

export interface Judged {
  readonly turn: TurnRow;
  readonly rule: TurnRule;
  /** Dispatches so far. */
  readonly attempts: number;
  /** It is to be dispatched again. */
  readonly goesOn: boolean;
}

const DAY_MS = 86_400_000;

/** Judges every unfinished turn and writes down what follows: ended, held with its card, parked, or waiting for its place. */
export function judgeUnfinished(deps: JudgeDeps): readonly Judged[] {
  return deps.store.turns.unfinished().map((turn) => judge(turn, deps));
}

/** One turn. Call it inside a transaction. */
export function judge(turn: TurnRow, deps: JudgeDeps): Judged {
  const facts = factsOf(turn, deps);
  const rule = judgeTurn(facts, deps.now, deps.limits);
  const { sessionStreak: streak, globalStreak, attempts } = facts;
  deps.log.info({ turn: turn.id, rule, attempts, streak, globalStreak }, 'judged an unfinished turn');
  return { turn, rule, attempts, goesOn: obey(turn, rule, deps) };
}

function factsOf(turn: TurnRow, { store, now, allowed, platform, restored, journal }: JudgeDeps): TurnFacts {
  const history = journal && readHistory(store, turn);
  const parked = store.turns.awaitsPerson(turn.id);
  return {
    ended: store.sessions.get(turn.session)?.endedAt !== null,
    allowed: allowed(turn),
    platform: platform(turn.address.platform),
    parked,
    answered: turn.state === 'parked' && !parked && store.turns.isAnswered(turn.id),
    newerInput: store.inbox.waitingCount(turn.session) > 0,
    heldBy: heldBy(turn),
    readable: history !== undefined,
    restored,
    sessionStreak: history?.streak ?? 0,
    attempts: history?.attempts ?? 0,
    globalStreak: journal?.streak ?? 0,
    interruptedAt: turn.interruptedAt ?? now,
  };
}

/** Undefined: something in it is not of our making. */
function readHistory(store: Store, turn: TurnRow): { readonly streak: number; readonly attempts: number } | undefined {
  try {
    const { attempts } = store;
    const streak = sessionStreak(attempts.ofSession(turn.session), attempts.personBoot(turn.session));
    return { streak, attempts: store.turns.attempts(turn.id) };
  } catch {
    return undefined;
  }
}

/** True: it goes on. */
function obey(turn: TurnRow, rule: TurnRule, deps: JudgeDeps): boolean {
  const { store, now } = deps;
  switch (rule) {
    case 'answered':
      // Parked, not held: a message that comes before its place does not push the person's answer aside.
      store.turns.setState(turn.id, 'parked', rule);
      return true;
    case 'resume':
    case 'suspect':
      store.turns.setState(turn.id, 'held', rule);
      return true;
    case 'no_platform':
      store.turns.setState(turn.id, 'held', rule);
      return false;
    case 'awaiting_person':
      store.turns.setState(turn.id, 'parked', rule);
      return false;
    case 'session_ended':
    case 'not_allowed':
      closeHold(store, turn, `Not taken up again (${rule}).`, now);
      dropTurn(store, turn, 'abandoned', rule, now);
      return false;
    case 'newer_input':
      closeHold(store, turn, 'Not taken up again: your next message came.', now);
      dropTurn(store, turn, 'superseded', rule, now);
      return false;
    default:
      hold(turn, rule, deps);
      return false;
  }
}

function hold(turn: TurnRow, rule: HoldRule, deps: JudgeDeps): void {
  const { store, now, limits, show } = deps;
  store.turns.setState(turn.id, 'held', rule);
  const card = holdCard(turn.id, attemptsOf(store, turn), holdStory(store, turn, rule, show));
  putHold(store, turn, card, now, limits.resume.hold_days * DAY_MS);
}
