import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import { judgeTurn, type ResumeLimits } from './breaker.ts';

export interface RecoveryDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly now: number;
  readonly log: Log;
  readonly allowed: (turn: TurnRow) => boolean;
  readonly limits: ResumeLimits;
  readonly redact: (text: string) => string;
}

/**
 * What a dead process left: open attempts were interrupted, begun calls have an unknown outcome, rows being sent are
 * ambiguous. One transaction, before anything talks to a platform. Returns the turns to dispatch again.
 */
export function recover(deps: RecoveryDeps): readonly TurnRow[] {
  const { store, boot, now, log } = deps;
  return store.tx(() => {
    const interrupted = store.turns.recover(boot, now);
    const unknown = store.transcript.recover(boot, now);
    const ambiguous = store.outbox.recover(now);
    const reopened = store.inbox.recover();
    store.sessions.clearYolo();
    const resume = store.turns.unfinished().filter((turn) => judge(turn, deps));
    if (interrupted.length + unknown.length + ambiguous + reopened > 0) {
      log.warn(
        { interrupted: interrupted.length, unknown: unknown.length, ambiguous, reopened },
        'the last boot was cut off',
      );
    }
    for (const call of unknown) tellUnknown(call, deps);
    return resume;
  });
}

/** Whether the turn is to be dispatched again; what is not is held, ended or left waiting here. */
function judge(turn: TurnRow, { store, now, allowed, limits, log }: RecoveryDeps): boolean {
  const attempts = store.turns.attempts(turn.id);
  const facts = {
    ended: store.sessions.get(turn.session)?.endedAt !== null,
    allowed: allowed(turn),
    parked: store.turns.awaitsPerson(turn.id),
    attempts,
    interruptedAt: turn.interruptedAt ?? now,
  };
  const rule = judgeTurn(facts, now, limits);
  log.info({ turn: turn.id, rule, attempts }, 'judged an unfinished turn');
  switch (rule) {
    case 'resume':
      return true;
    case 'awaiting_person':
      return false;
    case 'session_ended':
    case 'not_allowed':
      abandon(turn, rule, store, now);
      return false;
    case 'attempts':
    case 'stale':
    case 'resume_off':
      hold(turn, rule, attempts, store, now);
      return false;
  }
}

function abandon(turn: TurnRow, rule: string, store: Store, now: number): void {
  store.transcript.skipOpen(turn.id, `not run: ${rule}`, now);
  store.turns.end(turn.id, 'abandoned', now, rule);
  store.inbox.finishTurn(turn.id, 'refused', now, rule);
  store.outbox.cancelTurn(turn.id);
}

function hold(turn: TurnRow, rule: string, attempts: number, store: Store, now: number): void {
  store.turns.setState(turn.id, 'held', rule);
  const { address, direct } = turn;
  const text = `I was interrupted ${attempts} ${attempts === 1 ? 'time' : 'times'} while working on your last message and have not started it again (${rule}). Write anything to go on; what I had done so far is kept.`;
  store.outbox.put({ key: `held:${turn.id}:${attempts}`, kind: 'notice', address, direct, message: { text } }, now);
}

/** Nobody finds out by accident that a command may or may not have run. */
function tellUnknown(
  call: { readonly id: string; readonly turn: string; readonly name: string; readonly raw: string },
  { store, redact, now }: RecoveryDeps,
): void {
  const turn = store.turns.get(call.turn as TurnRow['id']);
  if (!turn) return;
  const { address, direct } = turn;
  const what = redact(call.raw).replaceAll('`', "'").slice(0, 200);
  const text = `hermod was restarted while \`${call.name} ${what}\` was running. Its outcome is unknown, and I do not run it again by myself.`;
  store.outbox.put({ key: `unknown:${call.id}`, kind: 'notice', address, direct, message: { text } }, now);
}
