import { randomBytes } from 'node:crypto';
import { currentRun } from '../context/run-context.ts';
import { HermodError } from '../contract/errors.ts';
import type { JobId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { CronMode } from '../contract/run.ts';
import type { Schedule } from '../contract/schedule.ts';
import type { Db } from './open.ts';

export type JobState = 'scheduled' | 'paused' | 'missed' | 'completed' | 'exhausted' | 'error' | 'deleted';

/** Where output goes: the chat the job was made in, nowhere, a platform's home, all homes, or one address. */
export type JobTarget = 'origin' | 'local' | 'all' | `home:${string}` | Address;

/** What people have heard about failures in a row, so that they hear of each kind once. */
export interface JobFailures {
  /** Kinds of error told in this streak. */
  readonly told?: readonly string[];
  readonly toldAt?: number;
  /** Kinds somebody muted. */
  readonly muted?: readonly string[];
  /** Since when its chat cannot be reached. */
  readonly unreachableSince?: number;
  /** SHA-256 of its script as it was found changed; people may accept it. */
  readonly script?: string;
}

export interface JobRow {
  readonly id: JobId;
  readonly name: string;
  readonly owner: Actor;
  /** Where it was made, frozen. */
  readonly origin: Address;
  readonly direct: boolean;
  readonly schedule: Schedule;
  /** For people to read; that of the schedule where it has one. */
  readonly tz: string;
  readonly tzSource: string;
  /** As typed. */
  readonly text: string;
  readonly grammarVersion: number;
  readonly prompt: string;
  readonly promptHash: string;
  readonly deliver: readonly JobTarget[];
  readonly tools: readonly string[] | null;
  readonly model: string | null;
  /** The default when it was made; null: none was configured. */
  readonly defaultModel: string | null;
  readonly workdir: string | null;
  readonly script: string | null;
  readonly scriptSha256: string | null;
  /** False: the script's output is the message, no model is asked. */
  readonly agent: boolean;
  readonly contextFrom: readonly JobId[];
  readonly continuity: boolean;
  readonly approvalMode: CronMode | null;
  readonly misfire: 'once' | 'skip' | 'run' | 'drop' | null;
  readonly maxFirings: number | null;
  readonly firingsClaimed: number;
  /** Set exactly while the state is `scheduled` and the kind is not `after`. */
  readonly nextRunAt: number | null;
  /** Every slot up to it has its record. */
  readonly accountedTo: number;
  /** The only truth about whether it runs. */
  readonly state: JobState;
  readonly pausedBy: string | null;
  readonly pausedReason: string | null;
  readonly failStreak: number;
  /** Firings in a row that could not begin for want of a tool, model or file. */
  readonly blockedStreak: number;
  /** Slots in a row that met a running firing. */
  readonly busyStreak: number;
  readonly failures: JobFailures;
  /** No slot before it fires; after a failure. */
  readonly notBefore: number | null;
  readonly holdReason: string | null;
  readonly rev: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
}

/** A change of the schedule, so that old slots can be computed again. */
export interface JobRev {
  readonly rev: number;
  readonly schedule: Schedule;
  readonly validFrom: number;
  readonly validTo: number | null;
}

/** Stored schedules. Nothing that runs for a job may write here: it throws. */
export interface Jobs {
  newId(): JobId;
  insert(job: JobRow): void;
  /** Writes what differs, if nobody changed the row since `before` was read. False: somebody did. */
  replace(before: JobRow, after: JobRow): boolean;
  /** The same for what a claim moves: next run, count, state. */
  move(before: JobRow, after: JobRow): boolean;
  get(id: JobId): JobRow | undefined;
  /** By id prefix of at least 4, then by exact name; deleted ones too. */
  find(word: string): readonly JobRow[];
  /** Not deleted, oldest first. */
  all(): readonly JobRow[];
  ofOwner(owner: string): readonly JobRow[];
  ofChat(address: Address): readonly JobRow[];
  followersOf(id: JobId): readonly JobRow[];
  /** Due now, the longest due first; behind a job that was looked at before. */
  due(now: number, limit: number, behind?: Pick<JobRow, 'nextRunAt' | 'id'>): readonly JobRow[];
  /** The next time after `now` at which a job falls due. */
  nextDueAfter(now: number): number | undefined;
  /** How many are scheduled, and the one that is due first. */
  scheduled(): { readonly count: number; readonly first: JobRow | undefined };
  /** Deleted since `since` by this owner, newest first. */
  deletedSince(owner: string, since: number): readonly JobRow[];
  /** How many an owner made since `since`, deleted ones included. */
  createdSince(owner: string, since: number): number;
  revs(id: JobId): readonly JobRev[];
  /** Ends the valid one, if any, and begins another. */
  addRev(job: JobRow, from: number): void;
}

interface Row {
  id: string;
  name: string;
  owner: string;
  origin: string;
  direct: number;
  tz: string;
  tz_source: string;
  text: string;
  grammar_version: number;
  prompt: string;
  prompt_hash: string;
  deliver: string;
  tools: string | null;
  model: string | null;
  default_model: string | null;
  workdir: string | null;
  script: string | null;
  script_sha256: string | null;
  agent: number;
  context_from: string;
  continuity: number;
  approval_mode: CronMode | null;
  misfire: JobRow['misfire'];
  max_firings: number | null;
  firings_claimed: number;
  next_run_at: number | null;
  accounted_to: number;
  state: JobState;
  paused_by: string | null;
  paused_reason: string | null;
  fail_streak: number;
  blocked_streak: number;
  busy_streak: number;
  failures: string;
  not_before: number | null;
  hold_reason: string | null;
  rev: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

interface ScheduleColumns {
  kind: Schedule['kind'];
  at: number | null;
  period: string | null;
  anchor_at: number | null;
  expr: string | null;
  upstream: string | null;
  tz: string;
}

function readSchedule({ kind, at, period, anchor_at, expr, upstream, tz }: ScheduleColumns): Schedule {
  switch (kind) {
    case 'at':
      return { kind, at: at as number, tz };
    case 'every':
      return { kind, period: period as string, anchorAt: anchor_at as number, tz };
    case 'cron':
      return { kind, expr: expr as string, tz };
    case 'after':
      return { kind, job: upstream as JobId };
  }
}

function scheduleColumns(schedule: Schedule, tz: string): ScheduleColumns {
  const none = { at: null, period: null, anchor_at: null, expr: null, upstream: null };
  switch (schedule.kind) {
    case 'at':
      return { ...none, kind: 'at', at: schedule.at, tz };
    case 'every':
      return { ...none, kind: 'every', period: schedule.period, anchor_at: schedule.anchorAt, tz };
    case 'cron':
      return { ...none, kind: 'cron', expr: schedule.expr, tz };
    case 'after':
      return { ...none, kind: 'after', upstream: schedule.job, tz };
  }
}

function read(row: Row & ScheduleColumns): JobRow {
  return {
    id: row.id as JobId,
    name: row.name,
    owner: JSON.parse(row.owner) as Actor,
    origin: JSON.parse(row.origin) as Address,
    direct: row.direct === 1,
    schedule: readSchedule(row),
    tz: row.tz,
    tzSource: row.tz_source,
    text: row.text,
    grammarVersion: row.grammar_version,
    prompt: row.prompt,
    promptHash: row.prompt_hash,
    deliver: JSON.parse(row.deliver) as JobTarget[],
    tools: row.tools === null ? null : (JSON.parse(row.tools) as string[]),
    model: row.model,
    defaultModel: row.default_model,
    workdir: row.workdir,
    script: row.script,
    scriptSha256: row.script_sha256,
    agent: row.agent === 1,
    contextFrom: JSON.parse(row.context_from) as JobId[],
    continuity: row.continuity === 1,
    approvalMode: row.approval_mode,
    misfire: row.misfire,
    maxFirings: row.max_firings,
    firingsClaimed: row.firings_claimed,
    nextRunAt: row.next_run_at,
    accountedTo: row.accounted_to,
    state: row.state,
    pausedBy: row.paused_by,
    pausedReason: row.paused_reason,
    failStreak: row.fail_streak,
    blockedStreak: row.blocked_streak,
    busyStreak: row.busy_streak,
    failures: JSON.parse(row.failures) as JobFailures,
    notBefore: row.not_before,
    holdReason: row.hold_reason,
    rev: row.rev,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

function columns(job: JobRow): Record<string, string | number | null> {
  return {
    id: job.id,
    name: job.name,
    owner: JSON.stringify(job.owner),
    owner_key: `${job.owner.platform}:${job.owner.id}`,
    origin: JSON.stringify(job.origin),
    origin_key: chatKey(job.origin),
    direct: job.direct ? 1 : 0,
    ...scheduleColumns(job.schedule, job.tz),
    tz_source: job.tzSource,
    text: job.text,
    grammar_version: job.grammarVersion,
    prompt: job.prompt,
    prompt_hash: job.promptHash,
    deliver: JSON.stringify(job.deliver),
    tools: job.tools === null ? null : JSON.stringify(job.tools),
    model: job.model,
    default_model: job.defaultModel,
    workdir: job.workdir,
    script: job.script,
    script_sha256: job.scriptSha256,
    agent: job.agent ? 1 : 0,
    context_from: JSON.stringify(job.contextFrom),
    continuity: job.continuity ? 1 : 0,
    approval_mode: job.approvalMode,
    misfire: job.misfire,
    max_firings: job.maxFirings,
    firings_claimed: job.firingsClaimed,
    next_run_at: job.nextRunAt,
    accounted_to: job.accountedTo,
    state: job.state,
    paused_by: job.pausedBy,
    paused_reason: job.pausedReason,
    fail_streak: job.failStreak,
    blocked_streak: job.blockedStreak,
    busy_streak: job.busyStreak,
    failures: JSON.stringify(job.failures),
    not_before: job.notBefore,
    hold_reason: job.holdReason,
    rev: job.rev,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    deleted_at: job.deletedAt,
  };
}

/** One chat, whatever thread of it. */
export function chatKey({ platform, bot, chat }: Address): string {
  return JSON.stringify([platform, bot, chat]);
}

/** Jobs and their workers, and what nobody is behind, cannot make or change jobs, however they come here. */
function refuseInsideJobs(): void {
  const run = currentRun();
  if (run && (run.kind === 'cron' || run.kind === 'unattended' || run.depth > 0))
    throw new HermodError('tool', 'Jobs cannot make or change jobs.');
}

const NAMES = Object.keys(columns(blank()));
const FIXED = ['id', 'created_at'];

export function createJobs(db: Db): Jobs {
  const select = (where: string) => db.prepare<unknown[], Row & ScheduleColumns>(`SELECT * FROM jobs WHERE ${where}`);
  const insert = db.prepare(
    `INSERT INTO jobs (${NAMES.join(', ')}) VALUES (${NAMES.map((name) => `@${name}`).join(', ')})`,
  );
  const update = db.prepare(`
    UPDATE jobs SET ${NAMES.filter((name) => !FIXED.includes(name))
      .map((name) => `${name} = @${name}`)
      .join(', ')}
    WHERE id = @id AND rev = @was_rev AND state = @was_state AND next_run_at IS @was_next`);
  const move = db.prepare(`
    UPDATE jobs SET next_run_at = @nextRunAt, accounted_to = @accountedTo, firings_claimed = @firingsClaimed, state = @state,
      busy_streak = @busyStreak, paused_reason = @pausedReason, updated_at = @updatedAt
    WHERE id = @id AND rev = @rev AND state = 'scheduled' AND next_run_at = @wasNext`);
  const byId = select('id = ?');
  const byPrefix = select(`id >= ? AND id < ? ORDER BY deleted_at IS NOT NULL, created_at, id`);
  const byName = select(`name = ? ORDER BY deleted_at IS NOT NULL, created_at, id`);
  const all = select(`state <> 'deleted' ORDER BY created_at, id`);
  const ofOwner = select(`owner_key = ? AND state <> 'deleted' ORDER BY created_at, id`);
  const ofChat = select(`origin_key = ? AND state <> 'deleted' ORDER BY created_at, id`);
  const followers = select(`upstream = ? AND state = 'scheduled' ORDER BY created_at, id`);
  const due = select(
    `state = 'scheduled' AND next_run_at <= ? AND (next_run_at, id) > (?, ?) ORDER BY next_run_at, id LIMIT ?`,
  );
  const nextDue = db.prepare<[number], { at: number }>(
    `SELECT next_run_at AS at FROM jobs WHERE state = 'scheduled' AND next_run_at > ? ORDER BY next_run_at LIMIT 1`,
  );
  const count = db.prepare<[], number>(`SELECT count(*) FROM jobs WHERE state = 'scheduled'`).pluck();
  const first = select(`state = 'scheduled' AND next_run_at > 0 ORDER BY next_run_at, id LIMIT 1`);
  const deleted = select(`owner_key = ? AND state = 'deleted' AND deleted_at >= ? ORDER BY deleted_at DESC`);
  const created = db.prepare<[string, number], { n: number }>(
    'SELECT count(*) AS n FROM jobs WHERE owner_key = ? AND created_at >= ?',
  );
  const revs = db.prepare<[string], ScheduleColumns & { rev: number; valid_from: number; valid_to: number | null }>(
    'SELECT *, NULL AS upstream FROM job_revs WHERE job = ? ORDER BY rev',
  );
  const closeRev = db.prepare('UPDATE job_revs SET valid_to = ? WHERE job = ? AND valid_to IS NULL');
  const openRev = db.prepare(`
    INSERT INTO job_revs (job, rev, kind, at, period, anchor_at, expr, tz, valid_from)
    VALUES (@job, @rev, @kind, @at, @period, @anchor_at, @expr, @tz, @from)`);
  const one = (row: (Row & ScheduleColumns) | undefined) => row && read(row);

  return {
    newId: () => randomBytes(6).toString('hex') as JobId,
    insert(job) {
      refuseInsideJobs();
      insert.run(columns(job));
    },
    replace(before, after) {
      refuseInsideJobs();
      const was = { was_rev: before.rev, was_state: before.state, was_next: before.nextRunAt };
      return update.run({ ...columns(after), ...was }).changes === 1;
    },
    move({ nextRunAt: wasNext }, after) {
      refuseInsideJobs();
      const { id, rev, nextRunAt, accountedTo, firingsClaimed, state, busyStreak, pausedReason, updatedAt } = after;
      const row = { id, rev, nextRunAt, accountedTo, firingsClaimed, state, busyStreak, pausedReason, updatedAt };
      return move.run({ ...row, wasNext }).changes === 1;
    },
    get: (id) => one(byId.get(id)),
    find(word) {
      const prefixed = /^[0-9a-f]{4,12}$/.test(word) ? byPrefix.all(word, `${word}g`) : [];
      return (prefixed.length > 0 ? prefixed : byName.all(word)).map(read);
    },
    all: () => all.all().map(read),
    ofOwner: (owner) => ofOwner.all(owner).map(read),
    ofChat: (address) => ofChat.all(chatKey(address)).map(read),
    followersOf: (id) => followers.all(id).map(read),
    due: (now, limit, behind) => due.all(now, behind?.nextRunAt ?? -1, behind?.id ?? '', limit).map(read),
    nextDueAfter: (now) => nextDue.get(now)?.at,
    scheduled: () => ({ count: count.get() as number, first: one(first.get()) }),
    deletedSince: (owner, since) => deleted.all(owner, since).map(read),
    createdSince: (owner, since) => created.get(owner, since)?.n ?? 0,
    revs: (id) =>
      revs.all(id).map((row) => ({
        rev: row.rev,
        schedule: readSchedule(row),
        validFrom: row.valid_from,
        validTo: row.valid_to,
      })),
    addRev(job, from) {
      refuseInsideJobs();
      closeRev.run(from, job.id);
      const { upstream: _, ...schedule } = scheduleColumns(job.schedule, job.tz);
      openRev.run({ ...schedule, job: job.id, rev: job.rev, from });
    },
  };
}

/** Only its keys matter. */
function blank(): JobRow {
  const nobody = { platform: '', id: '', name: '' };
  const nowhere = { platform: '', bot: '', chat: '' };
  return {
    ...{ id: '' as JobId, name: '', owner: nobody, origin: nowhere, direct: false, tz: '', tzSource: '', text: '' },
    ...{ schedule: { kind: 'at', at: 0, tz: '' }, grammarVersion: 0, prompt: '', promptHash: '', deliver: [] },
    ...{
      tools: null,
      model: null,
      defaultModel: null,
      workdir: null,
      script: null,
      scriptSha256: null,
      agent: true,
      contextFrom: [],
    },
    ...{ continuity: false, approvalMode: null, misfire: null, maxFirings: null, firingsClaimed: 0, nextRunAt: null },
    ...{ accountedTo: 0, state: 'paused', pausedBy: null, pausedReason: null, failStreak: 0, blockedStreak: 0 },
    ...{ busyStreak: 0, failures: {}, notBefore: null, holdReason: null, rev: 0, createdAt: 0, updatedAt: 0 },
    deletedAt: null,
  };
}
