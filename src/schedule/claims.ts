import { createHash } from 'node:crypto';
import type { Clock } from '../contract/clock.ts';
import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Timed } from '../contract/schedule.ts';
import type { FiringRow } from '../store/firings.ts';
import type { JobRow, JobState } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { isAny, splitCron } from './cron-fields.ts';
import { countSlots, type DueSlots, dueSlots, type RunCalculator, type SlotGap } from './due-slots.ts';
import type { JobsConfig } from './jobs-config.ts';
import { lastRun, nextRun } from './when.ts';

export interface ClaimDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => JobsConfig;
  /** Tells owners; inside the transaction. */
  readonly notices: ClaimNotices;
  readonly runs?: RunCalculator;
}

/** What people hear of a claim. */
export interface ClaimNotices {
  /** A one-shot was missed and its owner is asked; `paused`: it was resumed only after its time. */
  missed(job: JobRow, slotAt: number, paused?: boolean): void;
  /** Slots of a job that lets missed ones go. */
  skipped(job: JobRow, gap: SlotGap): void;
  busy(job: JobRow): void;
  exhausted(job: JobRow): void;
  /** Its next run could not be computed. */
  broken(job: JobRow): void;
}

export type Batch =
  /** `behind`: the last job looked at, where more may be due. */
  | { readonly kind: 'claimed'; readonly firings: number; readonly behind: JobRow | undefined }
  /** Another boot owns the schedule now. */
  | { readonly kind: 'lost' };

const MOST_JOBS = 100;
const WORK_MS = 5;
const BUSY_NOTICE = 3;

export const REAL_RUNS: RunCalculator = { next: nextRun, last: lastRun };

/** Turns due jobs into firings and gaps: a row before anything runs, moved by compare-and-set. */
export class Claims {
  readonly #deps: ClaimDeps;
  readonly #runs: RunCalculator;
  #nextCatchUp = 0;

  constructor(deps: ClaimDeps) {
    this.#deps = deps;
    this.#runs = deps.runs ?? REAL_RUNS;
  }

  /** The clock was set: what was spread over its old time is spread anew. */
  forgetPace(): void {
    this.#nextCatchUp = 0;
  }

  /** One transaction over at most 100 due jobs or 5 ms of work. Throws when the database is locked. */
  batch(now: number, behind?: JobRow): Batch {
    const { store, boot, clock } = this.#deps;
    return store.tx(() => {
      if (store.scheduleOwner.get()?.boot !== boot) return { kind: 'lost' };
      const due = store.jobs.due(now, MOST_JOBS, behind);
      const began = clock.now();
      let firings = 0;
      let last: JobRow | undefined;
      for (const job of due) {
        firings += this.#claim(job, now) ? 1 : 0;
        last = job;
        if (clock.now() - began >= WORK_MS) break;
      }
      const more = last !== undefined && (last !== due.at(-1) || due.length === MOST_JOBS);
      return { kind: 'claimed', firings, behind: more ? last : undefined };
    });
  }

  #claim(job: JobRow, now: number): boolean {
    const found = this.#slots(job, now);
    if (!found) return false;
    const { slots, after } = found;
    if (!this.#deps.store.jobs.move(job, after)) return false;
    for (const gap of slots.gaps) this.#addGap(job, gap);
    const fired = slots.fire && this.#fire(after, slots.fire, now);
    this.#tell(job, after, slots);
    return fired !== undefined;
  }

  /** What is due and the row that follows from it. A calculation that fails parks the job. */
  #slots(job: JobRow, now: number): { readonly slots: DueSlots; readonly after: JobRow } | undefined {
    const { store, config } = this.#deps;
    const { misfire, one_shot_grace_s } = config();
    const due = {
      schedule: job.schedule as Timed,
      nextRunAt: job.nextRunAt as number,
      misfire: job.misfire ?? misfire,
      busy: store.firings.openOf(job.id) !== undefined,
      notBefore: job.notBefore,
      held: job.holdReason !== null && (job.notBefore ?? 0) > now,
      oneShotGraceMs: one_shot_grace_s * 1000,
    };
    try {
      const slots = dueSlots(due, now, this.#runs);
      return slots && { slots, after: moved(job, slots, now) };
    } catch (error) {
      this.#deps.log.error({ job: job.id, error: String(error) }, 'the next run of a job could not be computed');
      const after: JobRow = { ...job, state: 'error', nextRunAt: null, pausedReason: 'calculation', updatedAt: now };
      return { slots: { gaps: [], accountedTo: job.accountedTo, nextRunAt: null }, after };
    }
  }

  #fire(job: JobRow, fire: NonNullable<DueSlots['fire']>, now: number): FiringRow | undefined {
    const { store, boot } = this.#deps;
    const { slotAt, trigger, latenessMs } = fire;
    const notBefore = trigger === 'catch_up' ? this.#spaced(now) : Math.max(slotAt, now, slotAt + this.#stagger(job));
    return store.firings.claim({ job: job.id, jobRev: job.rev, slotAt, trigger, latenessMs, notBefore }, boot, now);
  }

  /** One after the other, so that a long downtime is no storm. */
  #spaced(now: number): number {
    const at = Math.max(now, this.#nextCatchUp);
    this.#nextCatchUp = at + this.#deps.config().catch_up_spacing_s * 1000;
    return at;
  }

  /** Jobs of the full hour start apart from each other; their slot does not move. */
  #stagger({ id, schedule }: JobRow): number {
    const span = this.#deps.config().stagger_s * 1000;
    if (span === 0 || schedule.kind !== 'cron') return 0;
    const { minute, hour } = splitCron(schedule.expr);
    if (!/^0+$/.test(minute) || !(isAny(hour) || hour.startsWith('*/'))) return 0;
    return createHash('sha256').update(id).digest().readUInt32BE(0) % (span + 1);
  }

  /** Slots that fired before, when the clock was ahead, stand for themselves. */
  #addGap({ id, schedule }: JobRow, gap: SlotGap): void {
    const { firings } = this.#deps.store;
    const fired = firings.slotsWithFiring(id, gap.firstSlotAt, gap.lastSlotAt);
    for (const piece of around(schedule as Timed, gap, fired, this.#runs)) firings.addGap({ job: id, ...piece });
  }

  #tell(before: JobRow, after: JobRow, slots: DueSlots): void {
    const { notices } = this.#deps;
    const missed = slots.late === undefined ? slots.gaps.find(({ reason }) => reason === 'missed') : undefined;
    const due = before.nextRunAt as number;
    if (slots.late === 'ask') notices.missed(after, due, before.updatedAt > due);
    if (missed) notices.skipped(after, missed);
    if (after.busyStreak === BUSY_NOTICE) notices.busy(after);
    if (after.state === 'exhausted') notices.exhausted(after);
    if (after.state === 'error') notices.broken(after);
  }
}

/** The row after its due slots were settled. */
function moved(job: JobRow, slots: DueSlots, now: number): JobRow {
  const firingsClaimed = job.firingsClaimed + (slots.fire ? 1 : 0);
  const state = stateAfter(job, slots, firingsClaimed);
  return {
    ...job,
    state,
    firingsClaimed,
    accountedTo: slots.accountedTo,
    nextRunAt: state === 'scheduled' ? slots.nextRunAt : null,
    busyStreak: slots.gaps.some(({ reason }) => reason === 'busy') ? job.busyStreak + 1 : 0,
    updatedAt: now,
  };
}

function stateAfter({ schedule, maxFirings }: JobRow, slots: DueSlots, firings: number): JobState {
  if (slots.late !== undefined) return slots.late === 'ask' ? 'missed' : 'completed';
  if (schedule.kind === 'at' || (maxFirings !== null && firings >= maxFirings)) return 'completed';
  return slots.nextRunAt === null ? 'exhausted' : 'scheduled';
}

/** The parts of a gap between slots that have their firing. */
export function around(
  schedule: Timed,
  gap: SlotGap,
  fired: readonly number[],
  runs: RunCalculator,
): readonly SlotGap[] {
  if (fired.length === 0) return [gap];
  const starts = [gap.firstSlotAt, ...fired.flatMap((at) => runs.next(schedule, at) ?? [])];
  const ends = [...fired.map((at) => runs.last(schedule, at - 1)), gap.lastSlotAt];
  return starts.flatMap((start, i) => {
    const end = ends[i];
    if (end === null || end === undefined || end < start) return [];
    return [{ ...countSlots(schedule, start, end, runs), reason: gap.reason }];
  });
}
