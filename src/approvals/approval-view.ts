import type { Actor } from '../contract/message.ts';
import type { ApprovalRow } from '../store/approvals.ts';
import type { GrantRow } from '../store/grants.ts';
import { actorKey } from './actor-key.ts';
import type { Redactor } from './redact.ts';
import { visible } from './visible.ts';

/** A request as the page's API and the command line tell it: JSON, times in ISO UTC, secrets masked, nothing invisible. */
export type ApprovalView = ReturnType<typeof approvalView>;

export function approvalView(row: ApprovalRow, redactor: Redactor) {
  const shown = (text: string) => visible(redactor.text(text));
  const { details } = row;
  return {
    ...{ id: row.id, code: row.code, kind: row.kind, state: row.state, guard: row.guard, tool: row.tool },
    /** Null: it is over, and its text is gone. */
    command: row.command === null ? null : shown(row.command),
    findings: row.findings.map(({ rule, grade, why }) => ({ rule, grade, why: shown(why) })),
    choices: row.choices,
    requester: person(row.requester),
    run: { kind: row.runKind, depth: row.depth },
    ...{ job: details.job?.name ?? null, worker: details.worker ?? null, effect: details.effect ?? null },
    ...{ cwd: row.cwd, backend: row.backend, user: details.user ?? null, chat: row.address },
    ...{ people: details.people, votes: details.votes.map(({ actor }) => person(actor)), advised: details.advised },
    /** Why nothing lasting can be granted. */
    bar: details.bar,
    ...{ createdAt: iso(row.createdAt), expiresAt: iso(row.expiresAt), decidedAt: iso(row.decidedAt) },
    decidedBy: row.decidedBy === null ? null : person(row.decidedBy),
    ...{ surface: row.surface, choice: row.choice, reason: row.reason === null ? null : shown(row.reason) },
  };
}

export type GrantView = ReturnType<typeof grantView>;

export function grantView(grant: GrantRow, redactor: Redactor) {
  const { id, kind, rule, shape, cwd, session, job, jobs, actor, uses, digest } = grant;
  const words = [...grant.assignments.map((pair) => pair.join('=')), ...grant.wrappers, ...grant.argv];
  return {
    ...{ id, kind, rule, shape, cwd, session, job, jobs, actor, uses },
    /** Null: bound to one script or call. */
    command: digest === null ? visible(redactor.text(words.join(' '))) : null,
    createdAt: iso(grant.createdAt),
    expiresAt: iso(grant.expiresAt),
  };
}

const person = (actor: Actor) => ({ id: actorKey(actor), name: visible(actor.name) });

function iso(at: number): string;
function iso(at: number | null): string | null;
function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
