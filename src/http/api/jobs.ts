import { z } from 'zod';
import { nextOf } from '../../schedule/echo.ts';
import type { JobDesk } from '../../schedule/job-desk.ts';
import { type JobOrder, JobProblem, type Requester } from '../../schedule/job-order.ts';
import { showText } from '../../schedule/job-texts.ts';
import type { JobVerbs } from '../../schedule/job-verbs.ts';
import type { JobRow, JobTarget } from '../../store/jobs.ts';
import type { Store } from '../../store/store.ts';
import { HttpError } from '../http-error.ts';
import type { Route } from '../route.ts';

export interface JobRoutesDeps {
  readonly desk: JobDesk;
  readonly verbs: Pick<JobVerbs, 'answer'>;
  readonly store: Pick<Store, 'firings' | 'jobs'>;
  /** A script a job may run: a file of the scripts folder, with its hash. Throws JobProblem for anything else. */
  readonly script: (path: string) => NonNullable<JobOrder['script']>;
}

const OPERATOR: Requester = {
  by: { platform: 'cli', id: 'operator', name: 'the operator' },
  address: { platform: 'cli', bot: 'local', chat: 'operator' },
  direct: true,
  admin: true,
};

const order = z.strictObject({
  when: z.string().max(300).optional(),
  prompt: z.string().optional(),
  name: z.string().max(80).optional(),
  tz: z.string().max(100).optional(),
  after: z.string().optional(),
  deliver: z.array(z.string().regex(/^(?:origin|local|all|home:[a-z][a-z0-9_-]*)$/)).optional(),
  repeat: z.union([z.enum(['forever', 'once']), z.int().min(1).max(1000)]).optional(),
  tools: z.array(z.string()).optional(),
  context_from: z.array(z.string()).optional(),
  continuity: z.boolean().optional(),
  misfire: z.enum(['once', 'skip', 'run', 'drop']).optional(),
  approval_mode: z.enum(['deny', 'allowlist', 'ask', 'approve']).optional(),
  model: z.string().optional(),
  workdir: z.string().optional(),
  script: z.string().optional(),
  agent: z.boolean().optional(),
});

const body = z.union([
  z.strictObject({ args: z.string().max(100_000) }),
  z.strictObject({ add: order }),
  z.strictObject({ edit: order, job: z.string(), rev: z.int().optional() }),
]);

const SHOWN = 3;
const HISTORY = 20;

/** Jobs for programs that may read, and what the command line changes of them; its own reads need no daemon. */
export function jobRoutes(deps: JobRoutesDeps): readonly Route[] {
  return [
    { method: 'GET', path: '/api/v1/jobs', access: 'read', handle: () => list(deps) },
    {
      method: 'GET',
      path: '/api/v1/jobs/:id',
      access: 'read',
      handle: ({ request }) => one((request.params as { readonly id: string }).id, deps),
    },
    {
      method: 'POST',
      path: '/api/v1/jobs',
      access: 'operate',
      body: 'json',
      handle: ({ request }) => answer(request.body, deps),
    },
  ];
}

function list({ desk, store }: JobRoutesDeps) {
  return { jobs: desk.list(OPERATOR).map((job) => view(job, store, desk.now)) };
}

function one(word: string, { desk, store }: JobRoutesDeps) {
  try {
    const job = desk.find(word, OPERATOR);
    const firings = store.firings.ofJob(job.id, HISTORY).map((firing) => ({
      ...firing,
      deliveries: store.firings.deliveriesOf(firing.id),
    }));
    return { ...view(job, store, desk.now), firings, gaps: store.firings.gapsOf(job.id, HISTORY) };
  } catch (error) {
    if (error instanceof JobProblem)
      throw new HttpError(404, error.code, error.message, 'GET /api/v1/jobs lists them all.');
    throw error;
  }
}

/** The row, its next runs as ISO instants, and how the last one ended. */
function view(job: JobRow, { firings }: JobRoutesDeps['store'], now: number) {
  const next = job.state === 'scheduled' ? nextOf(job, now, SHOWN).map((at) => new Date(at).toISOString()) : [];
  return { ...job, next, last: firings.lastEnded(job.id) ?? null };
}

function answer(asked: unknown, deps: JobRoutesDeps) {
  const read = body.safeParse(asked);
  if (!read.success)
    throw new HttpError(400, 'bad_request', z.prettifyError(read.error), 'hermod jobs shows how it is used.');
  const { data } = read;
  if ('args' in data) return deps.verbs.answer(data.args, OPERATOR);
  try {
    const job = 'add' in data ? add(data.add, deps) : edit(data, deps);
    return { ok: true, text: shown(job, deps), job: job.id };
  } catch (error) {
    if (error instanceof JobProblem) return { ok: false, text: error.message, code: error.code };
    throw error;
  }
}

function add(wanted: z.output<typeof order>, deps: JobRoutesDeps): JobRow {
  return deps.desk.create(orderOf(wanted, deps), OPERATOR);
}

function edit(
  { edit: wanted, job, rev }: { edit: z.output<typeof order>; job: string; rev?: number | undefined },
  deps: JobRoutesDeps,
): JobRow {
  const found = deps.desk.find(job, OPERATOR);
  return deps.desk.edit(found.id, rev ?? found.rev, orderOf(wanted, deps), OPERATOR);
}

function orderOf(wanted: z.output<typeof order>, { desk, script }: JobRoutesDeps): JobOrder {
  const { after, context_from, approval_mode, deliver, script: path, ...rest } = wanted;
  const named = (word: string) => desk.find(word, OPERATOR).id;
  return {
    ...rest,
    after: after === undefined ? undefined : named(after),
    contextFrom: context_from?.map(named),
    approvalMode: approval_mode,
    deliver: deliver as readonly JobTarget[] | undefined,
    script: path === undefined ? undefined : script(path),
  };
}

function shown(job: JobRow, { desk, store }: JobRoutesDeps): string {
  return showText(job, store, { now: desk.now, tz: desk.readerTz(OPERATOR, job) });
}
