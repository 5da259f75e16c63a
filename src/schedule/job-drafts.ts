import { createHash } from 'node:crypto';
import type { Schedule, Timed } from '../contract/schedule.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { countSlots, type RunCalculator } from './due-slots.ts';
import { targetWords } from './echo.ts';
import { GRAMMAR_VERSION } from './grammar.ts';
import { type JobOrder, JobProblem, type OrderOptions, type Requester } from './job-order.ts';
import { checkLinks, checkMode, checkPrompt, checkTargets, checkText, isFixedText, ownerKey } from './job-rules.ts';
import { readOrder } from './order-reading.ts';
import { hasChat, type Places } from './places.ts';
import type { ReadOptions } from './read-schedule.ts';

export interface DraftDeps {
  readonly store: Pick<Store, 'jobs' | 'firings' | 'grants'>;
  readonly runs: RunCalculator;
  readonly places: Pick<Places, 'refused' | 'homeless'>;
  readonly defaultModel: () => string | null;
  /** What a phrase is read against for somebody. */
  readonly readOptions: (from: Requester) => ReadOptions;
}

const LONGEST_NAME = 80;

/** Orders as rows. Throws JobProblem for what cannot be. Call inside the transaction that stores the row. */
export class JobDrafts {
  readonly #deps: DraftDeps;

  constructor(deps: DraftDeps) {
    this.#deps = deps;
  }

  /** A new row, not yet stored. */
  create(order: JobOrder, from: Requester, options: OrderOptions, now: number): JobRow {
    const prompt = order.prompt ?? '';
    checkPrompt(prompt, isFixedText({ agent: order.agent ?? true, script: order.script?.path ?? null }));
    const id = options.id ?? this.#deps.store.jobs.newId();
    const base: JobRow = {
      ...{ id, owner: from.by, origin: from.address, direct: from.direct, grammarVersion: GRAMMAR_VERSION },
      ...{
        name: nameOf(order, prompt),
        prompt,
        promptHash: hashOf(prompt),
        deliver: [hasChat(from.address) ? 'origin' : 'local'],
      },
      ...{ tools: null, model: null, workdir: null, script: null, scriptSha256: null, agent: true, contextFrom: [] },
      ...{ continuity: false, approvalMode: null, misfire: null, maxFirings: null, firingsClaimed: 0 },
      defaultModel: this.#deps.defaultModel(),
      ...{
        schedule: { kind: 'at', at: 0, tz: 'UTC' },
        tz: 'UTC',
        tzSource: 'none',
        text: '',
        nextRunAt: null,
        accountedTo: now,
      },
      ...{ state: 'scheduled', pausedBy: null, pausedReason: null, failStreak: 0, blockedStreak: 0, busyStreak: 0 },
      ...{ failures: {}, notBefore: null, holdReason: null, rev: 1, createdAt: now, updatedAt: now, deletedAt: null },
    };
    return this.#held(this.#shaped(this.#timed(base, order, from, now), order, from), options, from);
  }

  /** The schedule of an order in the row. */
  #timed(job: JobRow, order: JobOrder, from: Requester, now: number): JobRow {
    if (order.after !== undefined) {
      const schedule: Schedule = { kind: 'after', job: order.after };
      return { ...job, schedule, text: `after ${order.after}`, nextRunAt: null, maxFirings: repeats(order, schedule) };
    }
    const read = readOrder(order, this.#deps.readOptions(from));
    const { schedule, zoneSource, text, next } = read;
    const maxFirings = repeats(order, schedule);
    return {
      ...job,
      schedule,
      tz: schedule.tz,
      tzSource: zoneSource,
      text,
      nextRunAt: next[0] ?? null,
      accountedTo: now,
      maxFirings,
    };
  }

  /** What an order says beside the schedule. */
  #shaped(job: JobRow, order: JobOrder, from: Requester): JobRow {
    const shaped: JobRow = {
      ...job,
      deliver: order.deliver ?? job.deliver,
      tools: order.tools ?? job.tools,
      contextFrom: order.contextFrom ?? job.contextFrom,
      continuity: order.continuity ?? job.continuity,
      misfire: order.misfire ?? job.misfire,
      approvalMode: order.approvalMode ?? job.approvalMode,
      model: order.model ?? job.model,
      workdir: order.workdir ?? job.workdir,
      script: order.script?.path ?? job.script,
      scriptSha256: order.script?.sha256 ?? job.scriptSha256,
      agent: order.agent ?? job.agent,
    };
    checkMode(order.approvalMode ?? null, from);
    checkTargets(shaped);
    if (order.deliver !== undefined) this.#checkPlaces(shaped);
    checkText(shaped);
    checkLinks(shaped, (id) => this.#deps.store.jobs.get(id));
    return shaped;
  }

  #checkPlaces(job: JobRow): void {
    const { places } = this.#deps;
    const [homeless] = places.homeless(job);
    if (homeless !== undefined)
      throw new JobProblem('deliver', `Nobody has set ${targetWords([homeless])}; /sethome in a chat does.`);
    const refused = places.refused(job);
    if (refused.length > 0) throw new JobProblem('deliver', `Its owner may not post in ${targetWords(refused)}.`);
  }

  /** Paused until somebody has read it, or until they resume it. */
  #held(job: JobRow, { tainted, paused }: OrderOptions, from: Requester): JobRow {
    const reason = tainted ? 'confirm' : paused;
    if (reason === undefined) return job;
    return { ...job, state: 'paused', nextRunAt: null, pausedBy: ownerKey(from.by), pausedReason: reason };
  }

  /** The row as it is to become. A new schedule is written down as a revision, and what was due of the old one is closed. */
  edit(job: JobRow, order: JobOrder, from: Requester, options: OrderOptions, now: number): JobRow {
    const { store } = this.#deps;
    if (job.state === 'deleted') throw new JobProblem('state', 'It is deleted.');
    const prompt = order.prompt ?? job.prompt;
    const content = { agent: order.agent ?? job.agent, script: order.script?.path ?? job.script };
    if (order.prompt !== undefined || order.agent !== undefined) checkPrompt(prompt, isFixedText(content));
    const named = {
      ...job,
      name: order.name === undefined ? job.name : nameOf(order, prompt),
      prompt,
      promptHash: hashOf(prompt),
    };
    const timing = order.when !== undefined || order.structured !== undefined || order.after !== undefined;
    const timed = timing ? this.#retimed(job, named, order, from, now) : counted(named, order);
    const after = this.#held(this.#shaped(timed, order, from), options, from);
    if (after.workdir !== job.workdir) store.grants.revokeJob(job.id, now);
    if (timing) store.jobs.addRev({ ...after, rev: job.rev + 1 }, now);
    return after;
  }

  /** A new schedule: what was due of the old one is closed, and the job begins anew. */
  #retimed(before: JobRow, job: JobRow, order: JobOrder, from: Requester, now: number): JobRow {
    recordGap(before, now, 'edited', this.#deps);
    const fresh = this.#timed({ ...job, firingsClaimed: 0 }, order, from, now);
    const paused = before.state === 'paused';
    return {
      ...fresh,
      state: paused ? 'paused' : 'scheduled',
      nextRunAt: paused ? null : fresh.nextRunAt,
      accountedTo: now,
      ...{ failStreak: 0, blockedStreak: 0, busyStreak: 0, failures: {}, notBefore: null, holdReason: null },
    };
  }
}

/** The slots between what is accounted for and now get no firing. */
export function recordGap(
  job: JobRow,
  now: number,
  reason: 'paused' | 'edited',
  { store, runs }: Pick<DraftDeps, 'store' | 'runs'>,
): void {
  if (job.schedule.kind === 'after' || job.state === 'completed' || job.state === 'exhausted') return;
  const schedule: Timed = job.schedule;
  const first = runs.next(schedule, job.accountedTo);
  if (first === null || first > now) return;
  const last = runs.last(schedule, now) ?? first;
  store.firings.addGap({ job: job.id, reason, ...countSlots(schedule, first, last, runs) });
}

function hashOf(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex');
}

function nameOf({ name }: JobOrder, prompt: string): string {
  const words = (name ?? prompt).replace(/\s+/g, ' ').trim();
  return words.length <= LONGEST_NAME ? words : `${words.slice(0, LONGEST_NAME - 1).toWellFormed()}…`;
}

/** How many firings an order allows; null: no end. */
function repeats({ repeat = 'forever' }: JobOrder, schedule: Schedule): number | null {
  if (repeat === 'forever') return null;
  const count = repeat === 'once' ? 1 : repeat;
  if (schedule.kind === 'at' && count > 1)
    throw new JobProblem('repeat', 'One instant comes once; say for example "every day at 9" with repeat.');
  return schedule.kind === 'at' ? null : count;
}

/** A new count without a new schedule counts from now on. */
function counted(job: JobRow, order: JobOrder): JobRow {
  if (order.repeat === undefined) return job;
  return { ...job, maxFirings: repeats(order, job.schedule), firingsClaimed: 0 };
}
