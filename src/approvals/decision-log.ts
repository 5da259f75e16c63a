import type { Authority } from '../context/authority.ts';
import type { CallId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import type { GrantRow } from '../store/grants.ts';
import type { CallEnd } from '../store/transcript.ts';
import type { AuditFacts } from './audit-trail.ts';
import type { Decision } from './decide.ts';
import type { GateCall, GateDeps } from './gate-deps.ts';
import type { Subject } from './subject.ts';

interface Judged {
  readonly call: GateCall;
  readonly subject: Subject;
  readonly who: Authority;
}

/** What the gate decided, counted and written down; a decision that cannot be written must not happen. */
export class DecisionLog {
  readonly counts = new Map<string, number>();
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  decided(judged: Judged, { label, why }: Decision): void {
    this.#write('decided', judged, { label, reason: why });
    this.#count(judged, label);
  }

  /** Safe calls are counted, not stored, unless the operator wants them. */
  allowed(judged: Judged, { label, why }: Decision, grants: readonly GrantRow[]): void {
    const byGrant =
      label === 'allow:session' || label === 'allow:timed' || label === 'allow:always' || label === 'allow:job';
    this.#record(() => {
      if (label !== 'allow:safe' || this.#deps.config().audit_safe)
        this.#write('decided', judged, { label, reason: why });
      for (const { id } of byGrant ? grants : []) {
        this.#deps.store.grants.used(id);
        this.#write('grant-used', judged, { label, grant: id });
      }
    });
    this.#count(judged, label);
  }

  /** Refused without a look at the table. */
  refusal(judged: Judged, label: string): void {
    this.#write('decided', judged, { label });
    this.#count(judged, label);
  }

  callback(judged: Judged, yes: boolean): void {
    this.#write(yes ? 'granted' : 'denied', judged, { choice: yes ? 'once' : 'deny', surface: 'callback' });
  }

  /** One yes, one start: false where it was begun before. Commit comes before the first byte of effect. */
  begun({ run, call }: GateCall, row: ApprovalRow): boolean {
    const { store, trail, clock } = this.#deps;
    return this.#record(() => {
      if (!store.approvals.begin(row.id, clock.now())) return false;
      const facts = {
        approval: row.id,
        ...(run && { run }),
        rules: row.findings.map(({ rule }) => rule),
        cwd: row.cwd,
      };
      trail.write('begun', row.command === null ? facts : { ...facts, command: row.command }, clock.now());
      if (!store.transcript.call(call)) store.approvals.forgetText(row.id);
      return true;
    });
  }

  /** Too late to refuse: what cannot be written here is logged. */
  ended(
    call: CallId,
    run: RunContext,
    { state, exit }: { readonly state: CallEnd; readonly exit?: number | null },
  ): void {
    const { store, trail, clock, log } = this.#deps;
    const approval = store.approvals.ofCall(call)?.id;
    const facts = { run, detail: state, ...(approval && { approval }), ...(exit === undefined ? {} : { exit }) };
    try {
      trail.write('ended', facts, clock.now());
    } catch (error) {
      log.error({ call, error: String(error) }, 'the end of a call could not be written to the audit');
    }
  }

  /** Work of others that writes first: what it cannot write is nobody's yes. */
  async guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw new Unwritable('the question could not be written', { cause: error });
    }
  }

  /** Whether an error came from writing here; it is logged then. */
  unwritable(error: unknown): boolean {
    if (!(error instanceof Unwritable)) return false;
    this.#deps.log.error(
      { error: String(error.cause) },
      'a decision could not be written to the audit; the call was refused',
    );
    return true;
  }

  #write(
    event: 'decided' | 'grant-used' | 'granted' | 'denied',
    { call, subject, who }: Judged,
    more: AuditFacts,
  ): void {
    const { trail, clock } = this.#deps;
    const { run } = call;
    const actor = run?.kind === 'chat' ? run.actor : run?.kind === 'cron' ? run.owner : undefined;
    const facts = {
      ...(run && { run }),
      ...(run?.kind === 'chat' ? { address: run.replyTo } : {}),
      ...(actor && { actor }),
      authority: who.who,
      rules: subject.findings.map(({ rule }) => rule),
      command: subject.command,
      cwd: subject.cwd,
      ...more,
    };
    this.#record(() => trail.write(event, facts, clock.now()));
  }

  #record<T>(write: () => T): T {
    try {
      return this.#deps.store.tx(write);
    } catch (error) {
      throw error instanceof Unwritable ? error : new Unwritable('the audit could not be written', { cause: error });
    }
  }

  #count({ who }: Judged, label: string): void {
    const key = `${who.who} ${label}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

class Unwritable extends Error {}
