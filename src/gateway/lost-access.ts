import { actorKey } from '../approvals/actor-key.ts';
import type { Broker } from '../approvals/broker.ts';
import type { Clock } from '../contract/clock.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Actor, Inbound } from '../contract/message.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import { endTurn } from './commands/stop.ts';
import type { Lanes } from './lanes.ts';

export interface LostAccessDeps {
  readonly store: Store;
  readonly broker: Pick<Broker, 'cancelRequester'>;
  readonly lanes: Pick<Lanes, 'running' | 'stop' | 'kick'>;
  readonly clock: Clock;
  readonly endProcesses: (session: SessionId) => void;
  readonly wake: () => void;
}

/**
 * Somebody (`platform:id`) may no longer use hermod: what they asked is cancelled, what they allowed is revoked, and their
 * turns end, running, parked or held. Call it whenever access is taken away, in no transaction. Returns how many turns ended.
 */
export function endAccess(deps: LostAccessDeps, actor: string): number {
  const { store, broker, lanes, clock, endProcesses, wake } = deps;
  const now = clock.now();
  const turns = store.tx(() => {
    broker.cancelRequester(actor);
    const theirs = store.turns.unfinished().filter((turn) => actorKey(turn.actor) === actor);
    for (const turn of theirs) endTurn(store, turn, { by: 'access', closing: GONE }, now);
    return theirs;
  });
  for (const { id, session } of turns) {
    if (lanes.running(session)?.turn.id === id) {
      lanes.stop(session, 'stop');
      endProcesses(session);
    }
    lanes.kick(session);
  }
  wake();
  return turns.length;
}

const GONE = 'Not taken up again: who asked may no longer use hermod.';

/**
 * Who has something pending or remembered, or one of these turns, and may talk at none of the places where that came from: people whose access was
 * taken away by the configuration, while hermod was down or by a reload.
 */
export function lostActors(
  { approvals, grants }: Pick<Store, 'approvals' | 'grants'>,
  mayTalk: (event: Pick<Inbound, 'by' | 'address' | 'direct'>) => boolean,
  now: number,
  turns: readonly Pick<TurnRow, 'actor' | 'address' | 'direct'>[] = [],
): readonly string[] {
  const asked = approvals.pending().map((row) => ({ ...row, by: row.requester }));
  const remembered = grants.list(now).flatMap(({ actor, approval }) => {
    const row = approval === null ? undefined : approvals.get(approval);
    const by = [row?.decidedBy, row?.requester].find((one): one is Actor => Boolean(one) && actorKey(one!) === actor);
    return row && by ? [{ by, address: row.address, direct: row.direct }] : [];
  });
  const allowed = new Map<string, boolean>();
  const working = turns.map(({ actor, address, direct }) => ({ by: actor, address, direct }));
  for (const event of [...asked, ...remembered, ...working]) {
    const key = actorKey(event.by);
    allowed.set(key, (allowed.get(key) ?? false) || mayTalk(event));
  }
  return [...allowed].filter(([, may]) => !may).map(([actor]) => actor);
}
