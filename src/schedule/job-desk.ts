import { createHash } from 'node:crypto';
import type { Clock } from '../contract/clock.ts';
import type { BootId, JobId } from '../contract/ids.ts';
import type { CronMode } from '../contract/run.ts';
import type { Schedule, Timed } from '../contract/schedule.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { countSlots, type RunCalculator } from './due-slots.ts';
import { echo } from './echo.ts';
import { GRAMMAR_VERSION } from './grammar.ts';
import { jobButtons } from './job-buttons.ts';
import { type JobOrder, JobProblem, type OrderOptions, type Requester } from './job-order.ts';
import { checkLinks, checkMode, checkPrompt, checkTargets, mayEdit, ownerKey, sameSchedule } from './job-rules.ts';
import type { JobsConfig } from './jobs-config.ts';
import { readOrder } from './order-reading.ts';
import { hasChat } from './places.ts';
import type { ReadOptions } from './read-schedule.ts';
import { dayText, instantText } from './time-words.ts';
import { localAt } from './wall-clock.ts';

export interface DeskDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly config: () => JobsConfig;
  readonly cronMode: () => CronMode;
  readonly runs: RunCalculator;
  /** Ends the running firing of a job; false: none runs. */
  readonly cancel: (job: JobId) => boolean;
  /** Something may be due earlier than before. */
  readonly poke: () => void;
  /** A firing waits: look for it. */
  readonly look: () => void;
  readonly wake: () => void;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CONFIRM_MS = DAY_MS;
const LONGEST_NAME = 80;

/** Everything people do with jobs. Each method is one transaction, throws JobProblem with a sentence, and says what it stored. */
export class JobDesk {
  readonly #deps: DeskDeps;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  create(order: JobOrder, from: Requester, options: OrderOptions = {}): JobRow {
    const { store, clock, poke } = this.#deps;
    const now = clock.now();
    const job = store.tx(() => {
      this.#checkCaps(from, now);
      const made = this.#draft(order, from, options, now);
      if (!options.again) this.#checkDeleted(made, from, now);
      store.jobs.insert(made);
      store.jobs.addRev(made, now);
      if (!options.quiet) this.#echo(made, from);
      return made;
    });
    poke();
    return job;
  }

  /** `rev`: the row the person saw. */
  edit(id: JobId, rev: number, order: JobOrder, from: Requester, options: OrderOptions = {}): JobRow {
    return this.#change(id, from, rev, (job, now) => this.#edited(job, order, from, options, now));
  }

  pause(id: JobId, from: Requester, rev?: number): JobRow {
    return this.#change(id, from, rev, (job) => {
      if (job.state !== 'scheduled') throw new JobProblem('state', `It is ${job.state} already.`);
      this.#dropWaiting(job, 'paused');
      return { ...job, state: 'paused', nextRunAt: null, pausedBy: ownerKey(from.by), pausedReason: null };
    });
  }

  /** Slots that went by get no firing: it waits for the next one. */
  resume(id: JobId, from: Requester, rev?: number): JobRow {
    return this.#change(id, from, rev, (job, now) => {
      if (job.state === 'scheduled') throw new JobProblem('state', 'It is scheduled already.');
      if (job.state === 'completed' || job.state === 'exhausted')
        throw new JobProblem('state', `It is ${job.state}; give it a new time with /jobs edit.`);
      if (job.state === 'deleted') throw new JobProblem('state', 'It is deleted.');
      return this.#armed(job, now);
    });
  }

  /** Runs it once by hand; slots, counts and streaks stay as they are. */
  run(id: JobId, from: Requester, extra?: string): JobRow {
    const { store, boot, clock, look } = this.#deps;
    const now = clock.now();
    const job = store.tx(() => {
      const found = this.#mine(id, from);
      if (found.state === 'deleted') throw new JobProblem('state', 'It is deleted.');
      if (found.pausedReason === 'confirm') throw new JobProblem('confirm', 'It waits for a yes; press Confirm first.');
      const open = store.firings.openOf(id);
      if (open)
        throw new JobProblem('busy', `Still running since ${this.time(open.begunAt ?? open.claimedAt, from, found)}.`);
      if (extra !== undefined) checkPrompt(extra);
      const by = ownerKey(from.by);
      const firing = { job: id, jobRev: found.rev, slotAt: null, trigger: 'manual', by, notBefore: now } as const;
      store.firings.claim(extra === undefined ? firing : { ...firing, extra }, boot, now);
      return found.state === 'missed' ? this.#stored(found, { ...found, state: 'completed' }, now) : found;
    });
    look();
    return job;
  }

  /** Ends the firing that runs or waits. */
  cancel(id: JobId, from: Requester): boolean {
    const job = this.#mine(id, from);
    return this.#dropWaiting(job, 'person') || this.#deps.cancel(id);
  }

  /** Kept for 30 days; a running firing ends and delivers unless `now`. */
  remove(id: JobId, from: Requester, rev?: number, atOnce = false): JobRow {
    const removed = this.#change(id, from, rev, (job, now) => {
      if (job.state === 'deleted') throw new JobProblem('state', 'It is deleted already.');
      this.#dropWaiting(job, 'deleted');
      this.#deps.store.grants.revokeJob(id, now);
      return { ...job, state: 'deleted', nextRunAt: null, deletedAt: now, pausedReason: null };
    });
    if (atOnce) this.#deps.cancel(id);
    return removed;
  }

  undo(id: JobId, from: Requester, rev?: number): JobRow {
    return this.#change(id, from, rev, (job, now) => {
      const { keep_days } = this.#deps.config();
      if (job.state !== 'deleted') throw new JobProblem('state', 'It is not deleted.');
      if (now - (job.deletedAt ?? 0) > keep_days * DAY_MS) throw new JobProblem('state', 'That is too long ago.');
      this.#checkLive(ownerKey(job.owner));
      return this.#armed({ ...job, deletedAt: null }, now);
    });
  }

  /** A missed one-shot is let go. */
  drop(id: JobId, from: Requester): JobRow {
    return this.#change(id, from, undefined, (job) => {
      if (job.state !== 'missed') throw new JobProblem('state', `It is ${job.state}.`);
      return { ...job, state: 'completed' };
    });
  }

  /** A job of a tainted turn, once its owner has read it. */
  confirm(id: JobId, from: Requester): JobRow {
    return this.#change(id, from, undefined, (job, now) => {
      if (job.pausedReason !== 'confirm') throw new JobProblem('state', 'There is nothing to confirm.');
      if (now - job.updatedAt > CONFIRM_MS) throw new JobProblem('state', 'That card is too old; make the job again.');
      return this.#armed(job, now);
    });
  }

  /** The last kind of error is not told again. */
  mute(id: JobId, from: Requester): JobRow {
    return this.#change(id, from, undefined, (job) => {
      const { told = [], muted = [] } = job.failures;
      const last = told.at(-1);
      if (last === undefined) throw new JobProblem('state', 'There is no error to mute.');
      return { ...job, failures: { ...job.failures, muted: [...new Set([...muted, last])] } };
    });
  }

  /** Own jobs; in a group that chat's; for an admin in a direct chat everybody's. */
  list(from: Requester): readonly JobRow[] {
    const { jobs } = this.#deps.store;
    if (!from.direct) return jobs.ofChat(from.address);
    return from.admin ? jobs.all() : jobs.ofOwner(ownerKey(from.by));
  }

  /** A job somebody may see, by the first four characters of its id or by its name. */
  find(word: string, from: Requester): JobRow {
    const { jobs } = this.#deps.store;
    const found = jobs.find(word.trim()).filter((job) => this.#sees(job, from));
    const live = found.filter(({ state }) => state !== 'deleted');
    const [one, ...more] = live.length > 0 ? live : found;
    if (!one) throw new JobProblem('no_job', `I know no job "${word.trim()}". /jobs lists them.`);
    if (more.length > 0) throw new JobProblem('which', `Which one? ${[one, ...more].map(({ id }) => id).join(', ')}`);
    return one;
  }

  /** What a phrase is read against here: the zone of the person, the chat, the configuration. */
  readOptions(from: Requester): ReadOptions {
    const { store, clock, config } = this.#deps;
    const { min_interval_s, horizon_years, timezone } = config();
    const person = store.timeZones.ofPerson(ownerKey(from.by));
    const chat = store.timeZones.ofChat(from.address);
    const fallback = person
      ? ({ tz: person, source: 'person' } as const)
      : chat
        ? ({ tz: chat, source: 'chat' } as const)
        : timezone
          ? ({ tz: timezone, source: 'config' } as const)
          : undefined;
    return { now: clock.now(), fallback, limits: { minIntervalS: min_interval_s, horizonYears: horizon_years } };
  }

  get now(): number {
    return this.#deps.clock.now();
  }

  /** An instant as the person reads it. */
  time(at: number, from: Requester, job?: JobRow): string {
    return instantText(this.readerTz(from, job), at);
  }

  readerTz(from: Requester, job?: JobRow): string {
    return this.readOptions(from).fallback?.tz ?? job?.tz ?? 'UTC';
  }

  /** Changes the zone of a person; their jobs keep the zones they have. Returns those that keep another. */
  setZone(tz: string, from: Requester): readonly JobRow[] {
    const { store } = this.#deps;
    return store.tx(() => {
      if (from.direct) store.timeZones.setPerson(ownerKey(from.by), tz);
      else store.timeZones.setChat(from.address, tz);
      return this.list(from).filter((job) => job.schedule.kind !== 'after' && job.tz !== tz);
    });
  }

  #change(id: JobId, from: Requester, rev: number | undefined, change: (job: JobRow, now: number) => JobRow): JobRow {
    const { store, clock, poke } = this.#deps;
    const now = clock.now();
    const job = store.tx(() => {
      const before = this.#mine(id, from);
      if (rev !== undefined && rev !== before.rev)
        throw new JobProblem('rev', `Somebody changed this job meanwhile (rev ${before.rev}).`);
      return this.#stored(before, change(before, now), now);
    });
    poke();
    return job;
  }

  #stored(before: JobRow, changed: JobRow, now: number): JobRow {
    const after = { ...changed, rev: before.rev + 1, updatedAt: now };
    if (!this.#deps.store.jobs.replace(before, after))
      throw new JobProblem('rev', `Somebody changed this job meanwhile (rev ${before.rev}).`);
    return after;
  }

  #mine(id: JobId, from: Requester): JobRow {
    const job = this.#deps.store.jobs.get(id);
    if (!job) throw new JobProblem('no_job', `I know no job "${id}".`);
    if (!mayEdit(job, from)) throw new JobProblem('not_yours', 'Only its owner or an admin may do that.');
    return job;
  }

  #sees(job: JobRow, from: Requester): boolean {
    return (
      mayEdit(job, from) || (!from.direct && this.#deps.store.jobs.ofChat(from.address).some(({ id }) => id === job.id))
    );
  }

  #checkCaps(from: Requester, now: number): void {
    const { store, config } = this.#deps;
    const owner = ownerKey(from.by);
    this.#checkLive(owner);
    const { max_creations_per_hour } = config();
    if (store.jobs.createdSince(owner, now - HOUR_MS) >= max_creations_per_hour)
      throw new JobProblem('cap', `You have made ${max_creations_per_hour} jobs within an hour; wait a little.`);
  }

  #checkLive(owner: string): void {
    const { store, config } = this.#deps;
    const { max_jobs_per_owner } = config();
    const live = store.jobs.ofOwner(owner).filter(({ state }) => state !== 'completed' && state !== 'exhausted');
    if (live.length >= max_jobs_per_owner)
      throw new JobProblem('cap', `You have ${live.length} jobs, which is the most; delete one first (/jobs).`);
  }

  #checkDeleted(job: JobRow, from: Requester, now: number): void {
    const { store, config } = this.#deps;
    const since = now - config().keep_days * DAY_MS;
    const same = store.jobs
      .deletedSince(ownerKey(from.by), since)
      .find((one) => one.promptHash === job.promptHash && sameSchedule(one.schedule, job.schedule));
    if (!same) return;
    const date = dayText(localAt(this.readerTz(from, job), same.deletedAt ?? now));
    throw new JobProblem('deleted_before', `You deleted this job on ${date}. Make it again?`);
  }

  #draft(order: JobOrder, from: Requester, options: OrderOptions, now: number): JobRow {
    const prompt = order.prompt ?? '';
    checkPrompt(prompt);
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
    const read = readOrder(order, this.readOptions(from));
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
    checkLinks(shaped, (id) => this.#deps.store.jobs.get(id));
    return shaped;
  }

  /** Paused until somebody has read it, or until they resume it. */
  #held(job: JobRow, { tainted, paused }: OrderOptions, from: Requester): JobRow {
    const reason = tainted ? 'confirm' : paused;
    if (reason === undefined) return job;
    return { ...job, state: 'paused', nextRunAt: null, pausedBy: ownerKey(from.by), pausedReason: reason };
  }

  #edited(job: JobRow, order: JobOrder, from: Requester, options: OrderOptions, now: number): JobRow {
    const { store } = this.#deps;
    if (job.state === 'deleted') throw new JobProblem('state', 'It is deleted.');
    const prompt = order.prompt ?? job.prompt;
    if (order.prompt !== undefined) checkPrompt(prompt);
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
    const stored = { ...after, rev: job.rev + 1 };
    if (timing) store.jobs.addRev(stored, now);
    this.#echo(stored, from);
    return after;
  }

  /** A new schedule: what was due of the old one is closed, and the job begins anew. */
  #retimed(before: JobRow, job: JobRow, order: JobOrder, from: Requester, now: number): JobRow {
    this.#gap(before, now, 'edited');
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

  /** Scheduled again from now on. Throws where nothing lies ahead. */
  #armed(job: JobRow, now: number): JobRow {
    const { runs } = this.#deps;
    const { schedule } = job;
    const clean = {
      pausedBy: null,
      pausedReason: null,
      notBefore: null,
      holdReason: null,
      failStreak: 0,
      blockedStreak: 0,
    };
    if (schedule.kind === 'after') return { ...job, ...clean, state: 'scheduled', nextRunAt: null };
    const next =
      schedule.kind === 'at' ? (schedule.at > job.accountedTo ? schedule.at : null) : runs.next(schedule, now);
    if (next === null || next <= now - DAY_MS)
      throw new JobProblem('state', 'Its time is over; give it a new one with /jobs edit.');
    if (schedule.kind !== 'at') this.#gap(job, now, 'paused');
    const accountedTo = schedule.kind === 'at' ? job.accountedTo : now;
    return { ...job, ...clean, state: 'scheduled', nextRunAt: next, accountedTo };
  }

  /** The slots between what is accounted for and now. */
  #gap(job: JobRow, now: number, reason: 'paused' | 'edited'): void {
    const { store, runs } = this.#deps;
    if (job.schedule.kind === 'after' || job.state === 'completed' || job.state === 'exhausted') return;
    const schedule: Timed = job.schedule;
    const first = runs.next(schedule, job.accountedTo);
    if (first === null || first > now) return;
    const last = runs.last(schedule, now) ?? first;
    store.firings.addGap({ job: job.id, reason, ...countSlots(schedule, first, last, runs) });
  }

  /** A firing that waits will not begin. False: none waits. */
  #dropWaiting(job: JobRow, reason: string): boolean {
    const { store, clock } = this.#deps;
    const open = store.firings.openOf(job.id);
    return open?.state === 'claimed' && store.firings.end(open.id, { state: 'cancelled', reason }, clock.now());
  }

  /** Written with the job, so that nobody can leave it out. */
  #echo(job: JobRow, from: Requester): void {
    const { store, clock, cronMode, wake } = this.#deps;
    if (!hasChat(from.address)) return;
    const facts = { now: clock.now(), readerTz: this.readerTz(from, job), cronMode: cronMode() };
    const { address, direct } = from;
    const message = job.pausedReason === 'confirm' ? confirmCard(job, echo(job, facts).text) : echo(job, facts);
    store.outbox.put(
      { key: `job-echo:${job.id}:${job.rev}`, kind: 'notice', address, direct, message, person: ownerKey(from.by) },
      facts.now,
    );
    wake();
  }
}

/** The whole prompt, for a person to read before it may ever run. */
function confirmCard(job: JobRow, echoed: string) {
  const fence = '`'.repeat(Math.max(3, ...(job.prompt.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  const why = 'This conversation read text of strangers, so the job waits until you have read its prompt (24 h).';
  return {
    text: `${echoed}\n${why}\n${fence}\n${job.prompt}\n${fence}`,
    buttons: jobButtons(job, ['confirm', 'delete']),
  };
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
