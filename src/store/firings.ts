import { type BootId, type FiringId, type JobId, newId, type SessionId } from '../contract/ids.ts';
import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';

export type FiringState = 'claimed' | 'running' | 'ok' | 'error' | 'timeout' | 'cancelled' | 'skipped' | 'unknown';
export type FiringEnd = Exclude<FiringState, 'claimed' | 'running'>;
export type Trigger = 'schedule' | 'catch_up' | 'manual' | 'after';

export interface FiringRow {
  readonly id: FiringId;
  readonly job: JobId;
  readonly jobRev: number;
  /** When it was due; null for manual ones and followers. */
  readonly slotAt: number | null;
  readonly trigger: Trigger;
  /** The firing it follows. */
  readonly cause: FiringId | null;
  /** `platform:id` of who started it by hand. */
  readonly by: string | null;
  /** What that person added to the prompt. */
  readonly extra: string | null;
  /** Started by hand, and jobs that follow start all the same. */
  readonly chain: boolean;
  readonly attempt: number;
  readonly claimedAt: number;
  readonly notBefore: number;
  readonly begunAt: number | null;
  readonly endedAt: number | null;
  readonly boot: BootId;
  readonly state: FiringState;
  /** A word: `blocked`, `shutdown`, `gate`. */
  readonly reason: string | null;
  /** The first line of what went wrong. */
  readonly detail: string | null;
  readonly latenessMs: number;
  readonly session: SessionId | null;
  readonly model: string | null;
  readonly tokens: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly blocked: number;
  readonly silent: boolean;
  readonly outputPath: string | null;
  readonly outputSha256: string | null;
}

export interface NewFiring {
  readonly job: JobId;
  readonly jobRev: number;
  readonly slotAt: number | null;
  readonly trigger: Trigger;
  readonly cause?: FiringId;
  readonly by?: string;
  readonly extra?: string;
  readonly chain?: boolean;
  readonly notBefore: number;
  readonly latenessMs?: number;
}

/** What a firing came to. */
export interface FiringOutcome {
  readonly state: FiringEnd;
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly model?: string | undefined;
  readonly tokens?: number;
  readonly modelCalls?: number;
  readonly toolCalls?: number;
  readonly blocked?: number;
  readonly silent?: boolean;
  readonly outputPath?: string;
  readonly outputSha256?: string;
}

export type GapReason = 'collapsed' | 'missed' | 'busy' | 'backoff' | 'held' | 'paused' | 'edited';

/** Slots that got no firing. */
export interface FiringGap {
  readonly job: JobId;
  readonly firstSlotAt: number;
  readonly lastSlotAt: number;
  /** Null: more than 100. */
  readonly count: number | null;
  readonly reason: GapReason;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'ambiguous' | 'suppressed';

export interface FiringDelivery {
  readonly firing: FiringId;
  readonly address: Address;
  readonly outboxKey: string;
  /** Follows the outbox by a trigger of the database; only a platform's id makes it `delivered`. */
  readonly state: DeliveryState;
}

/** Every execution of a job, and every slot that got none. */
export interface Firings {
  /** Undefined: this slot or cause has its firing already. */
  claim(firing: NewFiring, boot: BootId, now: number): FiringRow | undefined;
  /** Compare-and-set to `running`; false: somebody else took it or it is no longer wanted. `session`: null where nobody is asked. */
  begin(firing: Pick<FiringRow, 'id' | 'attempt'>, session: SessionId | null, boot: BootId, now: number): boolean;
  /** False: it had an end already. */
  end(id: FiringId, outcome: FiringOutcome, now: number): boolean;
  /** Not begun and not to begin before `at`; one attempt more. */
  defer(id: FiringId, at: number): void;
  get(id: FiringId): FiringRow | undefined;
  /** Claimed or running. */
  openOf(job: JobId): FiringRow | undefined;
  /** Slots between two instants, both included, that have a firing. */
  slotsWithFiring(job: JobId, from: number, to: number): readonly number[];
  /** Claimed by this boot and startable now, in order. */
  waiting(boot: BootId, now: number, limit: number): readonly FiringRow[];
  /** Those of them whose job is a fixed text, however many others come before them. */
  waitingTexts(boot: BootId, now: number, limit: number): readonly FiringRow[];
  /** The first instant above `after` at which a claimed one becomes startable. */
  nextWaitingAt(boot: BootId, after: number): number | undefined;
  waitingCount(): number;
  /** Claimed or running by other boots, oldest first. */
  leftBehind(boot: BootId): readonly FiringRow[];
  /** A firing of a dead boot that has not begun: ours now, one attempt more. */
  adopt(id: FiringId, boot: BootId, notBefore: number): void;
  /** Newest first. */
  ofJob(job: JobId, limit: number): readonly FiringRow[];
  /** The last that ended, but those that only skipped. */
  lastEnded(job: JobId): FiringRow | undefined;
  lastOk(job: JobId): FiringRow | undefined;
  modelCallsSince(job: JobId, since: number): number;
  addGap(gap: FiringGap): void;
  /** Newest first. */
  gapsOf(job: JobId, limit: number): readonly FiringGap[];
  /** The clock went back: no gap reaches beyond `now`. */
  cutGaps(job: JobId, now: number): void;
  addDelivery(delivery: FiringDelivery): void;
  deliveriesOf(firing: FiringId): readonly FiringDelivery[];
  deliveryOf(outboxKey: string): FiringDelivery | undefined;
  /** Keeps the newest `keep` firings of a job; returns the outputs that went with the rest. */
  prune(job: JobId, keep: number): readonly string[];
  /** Outputs beyond the newest `keep`, or older than `before`: forgotten here, to be deleted by the caller. */
  dropOutputs(job: JobId, keep: number, before: number): readonly string[];
}

interface Row {
  id: string;
  job: string;
  job_rev: number;
  slot_at: number | null;
  trigger: Trigger;
  cause_firing: string | null;
  by: string | null;
  extra: string | null;
  chain: number;
  attempt: number;
  claimed_at: number;
  not_before: number;
  begun_at: number | null;
  ended_at: number | null;
  boot_id: string;
  state: FiringState;
  reason: string | null;
  detail: string | null;
  lateness_ms: number;
  session: string | null;
  model: string | null;
  tokens: number;
  model_calls: number;
  tool_calls: number;
  blocked_n: number;
  silent: number;
  output_path: string | null;
  output_sha256: string | null;
}

interface GapRow {
  job: string;
  first_slot_at: number;
  last_slot_at: number;
  count: number | null;
  reason: GapReason;
}

interface DeliveryRow {
  firing: string;
  address: string;
  outbox_key: string;
  state: DeliveryState;
}

const read = (row: Row): FiringRow => ({
  id: row.id as FiringId,
  job: row.job as JobId,
  jobRev: row.job_rev,
  slotAt: row.slot_at,
  trigger: row.trigger,
  cause: row.cause_firing as FiringId | null,
  by: row.by,
  extra: row.extra,
  chain: row.chain === 1,
  attempt: row.attempt,
  claimedAt: row.claimed_at,
  notBefore: row.not_before,
  begunAt: row.begun_at,
  endedAt: row.ended_at,
  boot: row.boot_id as BootId,
  state: row.state,
  reason: row.reason,
  detail: row.detail,
  latenessMs: row.lateness_ms,
  session: row.session as SessionId | null,
  model: row.model,
  tokens: row.tokens,
  modelCalls: row.model_calls,
  toolCalls: row.tool_calls,
  blocked: row.blocked_n,
  silent: row.silent === 1,
  outputPath: row.output_path,
  outputSha256: row.output_sha256,
});

const readGap = (row: GapRow): FiringGap => ({
  job: row.job as JobId,
  firstSlotAt: row.first_slot_at,
  lastSlotAt: row.last_slot_at,
  count: row.count,
  reason: row.reason,
});

const readDelivery = (row: DeliveryRow): FiringDelivery => ({
  firing: row.firing as FiringId,
  address: JSON.parse(row.address) as Address,
  outboxKey: row.outbox_key,
  state: row.state,
});

const MOST_COUNTED = 100;

export function createFirings(db: Db): Firings {
  const claim = db.prepare<[object], Row>(`
    INSERT INTO firings (id, job, job_rev, slot_at, trigger, cause_firing, by, extra, chain, claimed_at, not_before, boot_id, state, lateness_ms)
    VALUES (@id, @job, @jobRev, @slotAt, @trigger, @cause, @by, @extra, @chain, @now, @notBefore, @boot, 'claimed', @latenessMs)
    ON CONFLICT DO NOTHING RETURNING *`);
  const begin = db.prepare(`
    UPDATE firings SET state = 'running', begun_at = ?, session = ? WHERE id = ? AND state = 'claimed' AND boot_id = ? AND attempt = ?`);
  const end = db.prepare(`
    UPDATE firings SET state = @state, reason = @reason, detail = @detail, ended_at = @now, model = @model, tokens = @tokens,
      model_calls = @modelCalls, tool_calls = @toolCalls, blocked_n = @blocked, silent = @silent,
      output_path = @outputPath, output_sha256 = @outputSha256
    WHERE id = @id AND state IN ('claimed', 'running')`);
  const defer = db.prepare(
    `UPDATE firings SET not_before = ?, attempt = attempt + 1 WHERE id = ? AND state = 'claimed'`,
  );
  const byId = db.prepare<[string], Row>('SELECT * FROM firings WHERE id = ?');
  const open = db.prepare<[string], Row>(`SELECT * FROM firings WHERE job = ? AND state IN ('claimed', 'running')`);
  const slots = db.prepare<[string, number, number], { at: number }>(
    'SELECT slot_at AS at FROM firings WHERE job = ? AND slot_at BETWEEN ? AND ? ORDER BY slot_at',
  );
  const waiting = db.prepare<[string, number, number], Row>(`
    SELECT * FROM firings WHERE state = 'claimed' AND boot_id = ? AND not_before <= ? ORDER BY not_before, id LIMIT ?`);
  const waitingTexts = db.prepare<[string, number, number], Row>(`
    SELECT firings.* FROM firings JOIN jobs ON jobs.id = firings.job
    WHERE firings.state = 'claimed' AND firings.boot_id = ? AND firings.not_before <= ? AND agent = 0 AND script IS NULL
    ORDER BY firings.not_before, firings.id LIMIT ?`);
  const nextWaiting = db.prepare<[string, number], { at: number }>(`
    SELECT not_before AS at FROM firings WHERE state = 'claimed' AND boot_id = ? AND not_before > ?
    ORDER BY not_before, id LIMIT 1`);
  const waitingCount = db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM firings WHERE state = 'claimed'`);
  const left = db.prepare<[string], Row>(
    `SELECT * FROM firings WHERE state IN ('claimed', 'running') AND boot_id <> ? ORDER BY claimed_at, id`,
  );
  const adopt = db.prepare(
    `UPDATE firings SET boot_id = ?, attempt = attempt + 1, not_before = ? WHERE id = ? AND state = 'claimed'`,
  );
  const ofJob = db.prepare<[string, number], Row>(
    'SELECT * FROM firings WHERE job = ? ORDER BY claimed_at DESC, rowid DESC LIMIT ?',
  );
  const lastEnded = db.prepare<[string], Row>(`
    SELECT * FROM firings WHERE job = ? AND ended_at IS NOT NULL AND state <> 'skipped' ORDER BY claimed_at DESC, rowid DESC LIMIT 1`);
  const lastOk = db.prepare<[string], Row>(
    `SELECT * FROM firings WHERE job = ? AND state = 'ok' ORDER BY claimed_at DESC, rowid DESC LIMIT 1`,
  );
  const calls = db.prepare<[string, number], { n: number | null }>(
    'SELECT sum(model_calls) AS n FROM firings WHERE job = ? AND claimed_at >= ?',
  );
  const lastGap = db.prepare<[string], GapRow>(
    'SELECT * FROM firing_gaps WHERE job = ? ORDER BY first_slot_at DESC LIMIT 1',
  );
  const extend = db.prepare('UPDATE firing_gaps SET last_slot_at = ?, count = ? WHERE job = ? AND first_slot_at = ?');
  const insertGap = db.prepare(`
    INSERT INTO firing_gaps (job, first_slot_at, last_slot_at, count, reason) VALUES (@job, @firstSlotAt, @lastSlotAt, @count, @reason)`);
  const firedBetween = db.prepare('SELECT 1 FROM firings WHERE job = ? AND slot_at > ? AND slot_at < ?');
  const gaps = db.prepare<[string, number], GapRow>(
    'SELECT * FROM firing_gaps WHERE job = ? ORDER BY first_slot_at DESC LIMIT ?',
  );
  const dropGaps = db.prepare('DELETE FROM firing_gaps WHERE job = ? AND first_slot_at > ?');
  const cutGaps = db.prepare(
    'UPDATE firing_gaps SET last_slot_at = ?, count = NULL WHERE job = ? AND last_slot_at > ?',
  );
  const addDelivery = db.prepare(
    'INSERT INTO firing_deliveries (outbox_key, firing, address, state) VALUES (@outboxKey, @firing, @address, @state)',
  );
  const deliveries = db.prepare<[string], DeliveryRow>(
    'SELECT * FROM firing_deliveries WHERE firing = ? ORDER BY outbox_key',
  );
  const delivery = db.prepare<[string], DeliveryRow>('SELECT * FROM firing_deliveries WHERE outbox_key = ?');
  const old = db.prepare<[string, number], { id: string; output_path: string | null }>(`
    SELECT id, output_path FROM firings WHERE job = ? AND ended_at IS NOT NULL
    ORDER BY claimed_at DESC, rowid DESC LIMIT -1 OFFSET ?`);
  const forgetDeliveries = db.prepare('DELETE FROM firing_deliveries WHERE firing = ?');
  const remove = db.prepare('DELETE FROM firings WHERE id = ?');
  const forget = db.prepare('UPDATE firings SET output_path = NULL WHERE id = ?');
  const outputs = db.prepare<[string, number, number], { id: string; output_path: string }>(`
    SELECT id, output_path FROM (
      SELECT id, output_path, claimed_at, ROW_NUMBER() OVER (ORDER BY claimed_at DESC, rowid DESC) AS place
      FROM firings WHERE job = ? AND output_path IS NOT NULL)
    WHERE place > ? OR claimed_at < ?`);
  const one = (row: Row | undefined) => row && read(row);

  return {
    claim(firing, boot, now) {
      const { cause = null, by = null, extra = null, latenessMs = 0 } = firing;
      const chain = firing.chain ? 1 : 0;
      return one(claim.get({ ...firing, id: newId<FiringId>(), cause, by, extra, chain, latenessMs, boot, now }));
    },
    begin: ({ id, attempt }, session, boot, now) => begin.run(now, session, id, boot, attempt).changes === 1,
    end(id, outcome, now) {
      const { reason = null, detail = null, model = null, outputPath = null, outputSha256 = null } = outcome;
      const { tokens = 0, modelCalls = 0, toolCalls = 0, blocked = 0, silent = false, state } = outcome;
      const numbers = { tokens, modelCalls, toolCalls, blocked, silent: silent ? 1 : 0 };
      return end.run({ id, state, reason, detail, model, outputPath, outputSha256, ...numbers, now }).changes === 1;
    },
    defer: (id, at) => void defer.run(at, id),
    get: (id) => one(byId.get(id)),
    openOf: (job) => one(open.get(job)),
    slotsWithFiring: (job, from, to) => slots.all(job, from, to).map(({ at }) => at),
    waiting: (boot, now, limit) => waiting.all(boot, now, limit).map(read),
    waitingTexts: (boot, now, limit) => waitingTexts.all(boot, now, limit).map(read),
    nextWaitingAt: (boot, after) => nextWaiting.get(boot, after)?.at,
    waitingCount: () => waitingCount.get()?.n ?? 0,
    leftBehind: (boot) => left.all(boot).map(read),
    adopt: (id, boot, notBefore) => void adopt.run(boot, notBefore, id),
    ofJob: (job, limit) => ofJob.all(job, limit).map(read),
    lastEnded: (job) => one(lastEnded.get(job)),
    lastOk: (job) => one(lastOk.get(job)),
    modelCallsSince: (job, since) => calls.get(job, since)?.n ?? 0,
    addGap(gap) {
      const last = lastGap.get(gap.job);
      const touches =
        last?.reason === gap.reason && firedBetween.get(gap.job, last.last_slot_at, gap.firstSlotAt) === undefined;
      if (!last || !touches) return void insertGap.run(gap);
      const count = last.count === null || gap.count === null ? null : last.count + gap.count;
      extend.run(gap.lastSlotAt, count !== null && count > MOST_COUNTED ? null : count, gap.job, last.first_slot_at);
    },
    gapsOf: (job, limit) => gaps.all(job, limit).map(readGap),
    cutGaps(job, now) {
      dropGaps.run(job, now);
      cutGaps.run(now, job, now);
    },
    addDelivery: (one) => void addDelivery.run({ ...one, address: JSON.stringify(one.address) }),
    deliveriesOf: (firing) => deliveries.all(firing).map(readDelivery),
    deliveryOf(outboxKey) {
      const row = delivery.get(outboxKey);
      return row && readDelivery(row);
    },
    prune(job, keep) {
      const rows = old.all(job, keep);
      for (const { id } of rows) forgetDeliveries.run(id);
      return rows.flatMap(({ id, output_path }) => {
        remove.run(id);
        return output_path ?? [];
      });
    },
    dropOutputs(job, keep, before) {
      const rows = outputs.all(job, keep, before);
      for (const { id } of rows) forget.run(id);
      return rows.map(({ output_path }) => output_path);
    },
  };
}
