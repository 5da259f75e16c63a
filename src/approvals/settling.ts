import type { ApprovalId } from '../contract/ids.ts';
import type { Actor } from '../contract/message.ts';
import type { ApprovalRow, Settlement, Surface } from '../store/approvals.ts';
import type { NewGrant } from '../store/grants.ts';
import { actorKey } from './actor-key.ts';
import { rowFacts } from './audit-trail.ts';
import type { BrokerDeps } from './broker-deps.ts';
import type { CardDesk } from './card-desk.ts';
import { outcomeLine } from './outcome-text.ts';

/** What a person chose, on which surface. */
export interface Answer {
  readonly choice: 'once' | 'timed' | 'session' | 'always' | 'job' | 'deny';
  readonly by: Actor;
  readonly surface: Surface;
  readonly reason?: string;
  /** Of a timed yes; absent: as the button says. */
  readonly minutes?: number;
}

/** Session and timed grants never last longer. */
const LONGEST_GRANT_MS = 12 * 3_600_000;

/** Leaving `pending`: state, grants, audit event and card edits are one transaction, and the news follows it. */
export class Settling {
  readonly #deps: BrokerDeps;
  readonly #desk: CardDesk;
  readonly #announce: (row: ApprovalRow) => void;

  constructor(deps: BrokerDeps, desk: CardDesk, announce: (row: ApprovalRow) => void) {
    this.#deps = deps;
    this.#desk = desk;
    this.#announce = announce;
  }

  /** A person's yes or no. Undefined: somebody or something was faster. */
  answer(row: ApprovalRow, { choice, by, surface, reason, minutes }: Answer): ApprovalRow | undefined {
    const { store, clock } = this.#deps;
    const state = choice === 'deny' ? 'denied' : 'granted';
    const settlement = { state, choice, by, surface, ...(reason === undefined ? {} : { reason }) } as const;
    return store.tx(() => {
      if (minutes !== undefined) store.approvals.amend(row.id, { ...row.details, timedMinutes: minutes });
      const settled = store.approvals.settle(row.id, settlement, clock.now());
      if (!settled) return undefined;
      this.#told(settled, by);
      this.#grants(settled, by);
      return settled;
    });
  }

  /** The words that answer a question. Undefined: somebody or something was faster. */
  reply(
    id: ApprovalId,
    { by, surface, reason }: Pick<Answer, 'by' | 'surface'> & { reason: string },
  ): ApprovalRow | undefined {
    const { store, clock } = this.#deps;
    return store.tx(() => {
      const settled = store.approvals.settle(id, { state: 'granted', by, surface, reason }, clock.now());
      if (settled) this.#told(settled, by);
      return settled;
    });
  }

  /** An end that is nobody's answer. */
  end(id: ApprovalId, settlement: Settlement): ApprovalRow | undefined {
    const { store, clock } = this.#deps;
    return store.tx(() => {
      const ended = store.approvals.close(id, settlement, clock.now());
      if (ended) this.#told(ended, undefined);
      return ended;
    });
  }

  /** One yes of two. */
  vote(row: ApprovalRow, actor: Actor, surface: Surface): void {
    const { store, clock, trail } = this.#deps;
    store.tx(() => {
      const details = { ...row.details, votes: [...row.details.votes, { actor, at: clock.now() }] };
      if (!store.approvals.amend(row.id, details)) return;
      trail.write('vote', { ...rowFacts(row), actor, surface }, clock.now());
      this.#desk.amend({ ...row, details }, `vote${details.votes.length}`);
    });
  }

  #told(row: ApprovalRow, actor: Actor | undefined): void {
    const { store, clock, trail, time, wake } = this.#deps;
    trail.write(
      row.state as 'granted' | 'denied' | 'expired' | 'cancelled',
      {
        ...rowFacts(row),
        ...(actor && { actor }),
        ...(row.surface && { surface: row.surface }),
        ...(row.choice && { choice: row.choice }),
        ...(row.reason && { reason: row.reason }),
      },
      clock.now(),
    );
    this.#desk.close(row, outcomeLine(row, time));
    if (row.kind === 'offer' || (row.call === null && row.state !== 'granted')) store.approvals.forgetText(row.id);
    this.#announce(row);
    wake();
  }

  #grants(row: ApprovalRow, by: Actor): void {
    const { store, clock, trail } = this.#deps;
    const grant = lasting(row, by, clock.now());
    if (!grant) return;
    for (const template of row.details.grants) {
      const made = store.grants.add({ ...grant, ...template });
      const facts = { ...rowFacts(row), actor: by, grant: made.id, choice: grant.kind, rules: [template.rule] };
      trail.write('grant-made', facts, clock.now());
    }
  }
}

type Lasting = Pick<NewGrant, 'kind' | 'session' | 'job' | 'jobs' | 'actor' | 'approval' | 'createdAt' | 'expiresAt'>;

function lasting(row: ApprovalRow, by: Actor, now: number): Lasting | undefined {
  const { choice, details, session, requester } = row;
  const common = { approval: row.id, createdAt: now, actor: actorKey(by), session: null, job: null, jobs: false };
  switch (choice) {
    case 'session':
      return { ...common, kind: choice, session, expiresAt: now + LONGEST_GRANT_MS };
    case 'timed':
      return {
        ...common,
        kind: choice,
        session,
        expiresAt: now + Math.min(details.timedMinutes * 60_000, LONGEST_GRANT_MS),
      };
    case 'always':
      return { ...common, kind: choice, expiresAt: null };
    case 'job':
      return {
        ...common,
        kind: choice,
        job: details.job?.id ?? null,
        jobs: true,
        actor: actorKey(requester),
        expiresAt: null,
      };
    default:
      return undefined;
  }
}
