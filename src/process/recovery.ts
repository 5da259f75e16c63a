import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Store } from '../store/store.ts';
import type { CallRow } from '../store/transcript.ts';
import { type Journal, readJournal } from './boot-journal.ts';
import { isHoldRule } from './breaker.ts';
import { tellBack } from './restart-notices.ts';
import { type JudgeDeps, type Judged, judgeUnfinished } from './resumption.ts';

export interface RecoveryDeps extends Omit<JudgeDeps, 'journal'> {
  readonly boot: BootId;
  /** Ends approvals nobody can answer any more; it runs before turns are judged. */
  readonly settleApprovals: () => void;
}

export interface Recovered {
  readonly judged: readonly Judged[];
  /** Undefined: it cannot be read, and nothing is resumed. */
  readonly journal: Journal | undefined;
}

/** Rows of a dead process, put right. */
interface Repaired {
  readonly unknown: readonly CallRow[];
  /** False: attempts could not be read, and say nothing. */
  readonly readable: boolean;
}

/**
 * What a dead process left: open attempts were interrupted, begun calls have an unknown outcome, rows being sent are
 * ambiguous; then every unfinished turn is judged, and whoever has to know is told. One transaction, before anything talks to a
 * platform.
 */
export function recover(deps: RecoveryDeps): Recovered {
  const { store, now } = deps;
  return store.tx(() => {
    const { unknown, readable } = repair(deps);
    deps.settleApprovals();
    const journal = readable ? readJournal(store, deps.log) : undefined;
    const judged = judgeUnfinished({ ...deps, journal });
    tellBack(store, news(unknown, judged, deps), now);
    return { judged, journal };
  });
}

function repair({ store, boot, now, log }: RecoveryDeps): Repaired {
  const interrupted = cutAttempts(store, boot, now, log);
  const unknown = store.transcript.recover(boot, now);
  const ambiguous = store.outbox.recover(now);
  const reopened = store.inbox.recover();
  store.sessions.clearYolo();
  if ((interrupted ?? 0) + unknown.length + ambiguous + reopened > 0) {
    log.warn({ interrupted, unknown: unknown.length, ambiguous, reopened }, 'the last boot was cut off');
  }
  return { unknown, readable: interrupted !== undefined };
}

/** Undefined: the attempts cannot be read; nothing is resumed then, and people are served as ever. */
function cutAttempts(store: Store, boot: BootId, now: number, log: Log): number | undefined {
  try {
    const cut = store.turns.recover(boot, now).length;
    store.boots.tally();
    return cut;
  } catch (error) {
    log.error({ error }, 'the attempts of earlier boots cannot be read; nothing is resumed');
    return undefined;
  }
}

/** A card of a held turn tells of its call itself, and a turn nobody may see tells nothing. */
function news(unknown: readonly CallRow[], judged: readonly Judged[], { store, show }: RecoveryDeps) {
  const rules = new Map(judged.map(({ turn, rule }) => [turn.id, rule]));
  const resumed = judged
    .filter(({ goesOn }) => goesOn)
    .map(({ turn: { address, direct } }) => ({ address, direct, resumed: true, unknown: [] }));
  const calls = unknown.flatMap((call) => {
    const turn = store.turns.get(call.turn);
    const rule = rules.get(call.turn) ?? null;
    if (!turn || rule === 'not_allowed' || isHoldRule(rule)) return [];
    const { address, direct } = turn;
    const text = `${show.call(call)} was running when hermod was restarted. Its outcome is unknown, and I do not run it again by myself.`;
    return [{ address, direct, resumed: false, unknown: [text] }];
  });
  return [...resumed, ...calls];
}
