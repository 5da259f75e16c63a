import type { Clock } from '../contract/clock.ts';
import type { SessionId } from '../contract/ids.ts';
import type { Actor } from '../contract/message.ts';
import type { GrantRow } from '../store/grants.ts';
import type { Store } from '../store/store.ts';
import { actorKey } from './actor-key.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ApprovalsConfig } from './policy-config.ts';

export interface GrantDeskDeps {
  readonly store: Pick<Store, 'grants' | 'tx'>;
  readonly clock: Clock;
  readonly trail: AuditTrail;
  readonly config: () => Pick<ApprovalsConfig, 'approvers'>;
}

/** What became of a change: the grant, or why not. */
export type GrantChange =
  | { readonly kind: 'done'; readonly grant: GrantRow }
  | { readonly kind: 'unknown' | 'ambiguous' | 'not-yours' | 'not-always' };

/** Who sees and ends which remembered yes; chat, page and command line use the same. */
export class GrantDesk {
  readonly #deps: GrantDeskDeps;

  constructor(deps: GrantDeskDeps) {
    this.#deps = deps;
  }

  /** Newest first: an approver sees all, others their own and those of this session. */
  visible(by: Actor, session: SessionId | undefined): readonly GrantRow[] {
    const all = this.#deps.store.grants.list(this.#deps.clock.now());
    if (this.isApprover(by)) return all;
    return all.filter((grant) => grant.actor === actorKey(by) || (session !== undefined && grant.session === session));
  }

  isApprover(by: Actor): boolean {
    return this.#deps.config().approvers.includes(actorKey(by));
  }

  /** By id or its beginning. Whoever gave it, or an approver. */
  revoke(id: string, by: Actor): GrantChange {
    return this.#change(id, (grant, now) => {
      if (grant.actor !== actorKey(by) && !this.isApprover(by)) return { kind: 'not-yours' };
      this.#deps.store.grants.revoke(grant.id, now);
      this.#deps.trail.write('grant-revoked', { actor: by, grant: grant.id, rules: [grant.rule] }, now);
      return { kind: 'done', grant };
    });
  }

  /** Lets jobs use an Always, or no longer. Approvers only. */
  setJobs(id: string, on: boolean, by: Actor): GrantChange {
    return this.#change(id, (grant, now) => {
      if (!this.isApprover(by)) return { kind: 'not-yours' };
      if (!this.#deps.store.grants.setJobs(grant.id, on)) return { kind: 'not-always' };
      const detail = on ? 'jobs on' : 'jobs off';
      this.#deps.trail.write('grant-changed', { actor: by, grant: grant.id, rules: [grant.rule], detail }, now);
      return { kind: 'done', grant: { ...grant, jobs: on } };
    });
  }

  #change(id: string, change: (grant: GrantRow, now: number) => GrantChange): GrantChange {
    const { store, clock } = this.#deps;
    const now = clock.now();
    const found = id.length < 4 ? [] : store.grants.list(now).filter((grant) => grant.id.startsWith(id.toLowerCase()));
    const [grant, ...more] = found;
    if (!grant) return { kind: 'unknown' };
    return more.length > 0 ? { kind: 'ambiguous' } : store.tx(() => change(grant, now));
  }
}
