import type { Clock } from '../contract/clock.ts';
import type { BootId, JobId } from '../contract/ids.ts';
import type { CronMode } from '../contract/run.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { RunCalculator } from './due-slots.ts';
import { echo } from './echo.ts';
import { JobDrafts, recordGap } from './job-drafts.ts';
import { type JobOrder, JobProblem, type OrderOptions, type Requester } from './job-order.ts';
import { checkPrompt, isFixedText, isListed, mayEdit, ownerKey, sameSchedule, sameWork } from './job-rules.ts';
import type { JobsConfig } from './jobs-config.ts';
import { hasChat, type Places } from './places.ts';
import type { ReadOptions } from './read-schedule.ts';
import { dayText, instantText } from './time-words.ts';
import { localAt } from './wall-clock.ts';

export interface DeskDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly config: () => JobsConfig;
  readonly cronMode: () => CronMode;
  /** The configured default; null: none. */
  readonly defaultModel: () => string | null;
  readonly runs: RunCalculator;
  readonly places: Pick<Places, 'refused' | 'homeless'>;
  /** Ends the running firing of a job; false: none runs. */
  readonly cancel: (job: JobId) => boolean;
  /** Something may be due earlier than before. */
  readonly poke: () => void;
  /** A firing waits: look for it. */
  readonly look: () => void;
  readonly wake: () => void;
}

/** How somebody starts a job by hand. */
export interface ByHand {
  /** Words added to the prompt this once. */
  readonly extra?: string | undefined;
  /** Jobs that follow it start, too. */
  readonly chain?: boolean | undefined;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CONFIRM_MS = DAY_MS;
const NOT_CONFIRMED = 'It waits until somebody has read its prompt; press Confirm on its card.';

/** Everything people do with jobs. Each method is one transaction, throws JobProblem with a sentence, and says what it stored. */
export class JobDesk {
  readonly #deps: DeskDeps;
  readonly #drafts: JobDrafts;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
    this.#drafts = new JobDrafts({ ...deps, readOptions: (from) => this.readOptions(from) });
  }

  create(order: JobOrder, from: Requester, options: OrderOptions = {}): JobRow {
    const { store, clock, poke } = this.#deps;
    const now = clock.now();
    const job = store.tx(() => {
      this.#checkCaps(from, now);
      const made = this.#drafts.create(order, from, options, now);
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
    return this.#change(id, from, rev, (job, now) => {
      const edited = this.#drafts.edit(job, order, from, options, now);
      this.#echo({ ...edited, rev: job.rev + 1 }, from);
      return edited;
    });
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
      if (job.pausedReason === 'confirm') throw new JobProblem('confirm', NOT_CONFIRMED);
      return this.#armed(job, now);
    });
  }

  /** Runs it once by hand; slots, counts and streaks stay as they are. Followers start only when `chain` says so. */
  run(id: JobId, from: Requester, { extra, chain = false }: ByHand = {}): JobRow {
    const { store, boot, clock, look } = this.#deps;
    const now = clock.now();
    const job = store.tx(() => {
      const found = this.#mine(id, from);
      if (found.state === 'deleted') throw new JobProblem('state', 'It is deleted.');
      if (found.pausedReason === 'confirm') throw new JobProblem('confirm', NOT_CONFIRMED);
      const open = store.firings.openOf(id);
      if (open)
        throw new JobProblem('busy', `Still running since ${this.time(open.begunAt ?? open.claimedAt, from, found)}.`);
      if (extra !== undefined) checkPrompt(extra, isFixedText(found));
      const by = ownerKey(from.by);
      const firing = {
        job: id,
        jobRev: found.rev,
        slotAt: null,
        trigger: 'manual',
        by,
        chain,
        notBefore: now,
      } as const;
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
      const pausedReason = job.pausedReason === 'confirm' ? 'confirm' : null;
      return { ...job, state: 'deleted', nextRunAt: null, deletedAt: now, pausedReason };
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
      const back: JobRow = { ...job, deletedAt: null };
      if (job.pausedReason === 'confirm') return { ...back, state: 'paused' };
      const over = job.schedule.kind === 'at' && job.schedule.at <= job.accountedTo;
      return over ? { ...back, state: 'completed' } : this.#armed(back, now);
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

  /** Its script may run as it was when that was last refused. */
  accept(id: JobId, from: Requester, rev?: number): JobRow {
    return this.#change(id, from, rev, (job) => {
      const { script: scriptSha256, ...failures } = job.failures;
      if (scriptSha256 === undefined) throw new JobProblem('state', 'There is nothing to accept.');
      return { ...job, scriptSha256, failures, failStreak: 0, notBefore: null };
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
    const { now } = this;
    return this.#all(from).filter((job) => isListed(job, now));
  }

  #all(from: Requester): readonly JobRow[] {
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
      .find((one) => sameWork(one, job) && sameSchedule(one.schedule, job.schedule));
    if (!same) return;
    const date = dayText(localAt(this.readerTz(from, job), same.deletedAt ?? now));
    throw new JobProblem(
      'deleted_before',
      `You deleted this job on ${date}. Make it again? /jobs undo ${same.id.slice(0, 4)} brings it back.`,
    );
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
    if (schedule.kind !== 'at') recordGap(job, now, 'paused', this.#deps);
    const accountedTo = schedule.kind === 'at' ? job.accountedTo : now;
    return { ...job, ...clean, state: 'scheduled', nextRunAt: next, accountedTo };
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
    const message = echo(job, facts);
    store.outbox.put(
      { key: `job-echo:${job.id}:${job.rev}`, kind: 'notice', address, direct, message, person: ownerKey(from.by) },
      facts.now,
    );
    wake();
  }
}
