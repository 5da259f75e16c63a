import { z } from 'zod';
import { approvalView, grantView } from '../../approvals/approval-view.ts';
import type { Broker } from '../../approvals/broker.ts';
import type { GrantChange, GrantDesk } from '../../approvals/grant-desk.ts';
import type { Redactor } from '../../approvals/redact.ts';
import type { ApprovalId } from '../../contract/ids.ts';
import type { Approvals } from '../../store/approvals.ts';
import { HttpError } from '../http-error.ts';
import type { Route, Visit } from '../route.ts';
import { readBody } from './body.ts';
import { CLI, personOf } from './person.ts';

export interface ApprovalRoutesDeps {
  readonly approvals: Pick<Approvals, 'get' | 'pending' | 'recent'>;
  readonly broker: Pick<Broker, 'answer'>;
  /** Of whoever holds the home: it may end every grant and open an Always to jobs. */
  readonly grants: Pick<GrantDesk, 'visible' | 'revoke' | 'setJobs'>;
  readonly redactor: () => Redactor;
}

const RECENT = 50;
const decision = z.strictObject({
  choice: z.enum(['once', 'timed', 'session', 'always', 'job', 'deny']),
  minutes: z.int().min(1).max(720).optional(),
  reason: z.string().trim().max(500).optional(),
  /** What the caller believes it to be. */
  expected: z.literal('pending'),
});
const jobs = z.strictObject({ on: z.boolean() });
const nothing = z.strictObject({});

/** Requests and remembered yeses. A signed-in browser and this machine's command line act as people; no other token does. */
export function approvalRoutes(deps: ApprovalRoutesDeps): readonly Route[] {
  const { approvals, grants, redactor } = deps;
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, access: 'read', handle });
  const post = (path: string, handle: Route['handle']): Route => {
    return { method: 'POST', path, access: 'operate', body: 'json', handle };
  };
  const changed = (change: GrantChange) => ({ grant: grantView(doneOr(change), redactor()) });
  return [
    get('/api/v1/approvals', ({ request }) => {
      const all = (request.query as { all?: string }).all === '1';
      const rows = all ? approvals.recent(RECENT) : approvals.pending();
      return { approvals: rows.map((row) => approvalView(row, redactor())) };
    }),
    get('/api/v1/approvals/:id', ({ request }) => {
      const row = approvals.get(idOf(request) as ApprovalId);
      if (!row) throw unknown('request');
      return { approval: approvalView(row, redactor()) };
    }),
    post('/api/v1/approvals/:id/decision', (visit) => decide(visit, deps)),
    get('/api/v1/grants', () => ({
      grants: grants.visible(HOLDER, undefined).map((row) => grantView(row, redactor())),
    })),
    post('/api/v1/grants/:id/revoke', ({ request, caller }) => {
      readBody(nothing, request.body);
      return changed(grants.revoke(idOf(request), personOf(caller).by));
    }),
    post('/api/v1/grants/:id/jobs', ({ request, caller }) => {
      const { on } = readBody(jobs, request.body);
      return changed(grants.setJobs(idOf(request), on, personOf(caller).by));
    }),
  ];
}

/** By the same function as a press: who may, what is offered, and who was first. */
function decide({ request, caller }: Visit, { broker, approvals, redactor }: ApprovalRoutesDeps) {
  const { by, surface } = personOf(caller);
  const { choice, minutes, reason } = readBody(decision, request.body);
  const id = idOf(request) as ApprovalId;
  const more = { ...(minutes === undefined ? {} : { minutes }), ...(reason ? { reason } : {}) };
  const { kind, text } = broker.answer(id, { choice, by, surface, ...more });
  switch (kind) {
    case 'won':
    case 'first-of-two': {
      const row = approvals.get(id);
      return { text, approval: row ? approvalView(row, redactor()) : null };
    }
    case 'late':
      throw new HttpError(409, 'decided', text, 'Nothing is left to do.');
    case 'not-yours':
      throw new HttpError(403, 'not_yours', text, `Add ${by.platform}:${by.id} to approvals.approvers if it should.`);
    case 'does-not-fit':
      throw new HttpError(422, 'not_offered', text, 'Look at what it offers.');
    case 'unknown':
      throw unknown('request');
  }
}

const HOLDER = CLI;

function doneOr(change: GrantChange) {
  switch (change.kind) {
    case 'done':
      return change.grant;
    case 'unknown':
      throw unknown('grant');
    case 'ambiguous':
      throw new HttpError(422, 'ambiguous', 'Several grants begin like this.', 'Write more of the id.');
    case 'not-always':
      throw new HttpError(422, 'not_always', 'Only an Always can be opened to jobs.', 'List the grants.');
    case 'not-yours':
      throw new HttpError(403, 'not_yours', 'Only who gave it or an approver can do that.', 'Ask them.');
  }
}

const idOf = (request: Visit['request']) => (request.params as { id: string }).id;
const unknown = (what: string) => new HttpError(404, 'not_found', `There is no such ${what}.`, 'List what there is.');
