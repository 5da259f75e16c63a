import type { Timed } from '../contract/schedule.ts';
import type { GapReason } from '../store/firings.ts';

/** What the caller looked up about a job that is due. */
export interface DueJob {
  readonly schedule: Timed;
  readonly nextRunAt: number;
  readonly misfire: 'once' | 'skip' | 'run' | 'drop';
  /** A firing of it is claimed or running. */
  readonly busy: boolean;
  /** After a failure: no slot before it fires. */
  readonly notBefore: number | null;
  /** Its model provider refused the key or the quota. */
  readonly held: boolean;
  /** `cron.one_shot_grace_s`. */
  readonly oneShotGraceMs: number;
}

/** How runs are counted; the real one is `when.ts`. */
export interface RunCalculator {
  next(schedule: Timed, after: number): number | null;
  last(schedule: Timed, upTo: number): number | null;
}

export interface SlotGap {
  readonly firstSlotAt: number;
  readonly lastSlotAt: number;
  /** Null: more than 100. */
  readonly count: number | null;
  readonly reason: GapReason;
}

/** What becomes of the slots that are due: at most one fires, all others stand in gaps. */
export interface DueSlots {
  readonly fire?: { readonly slotAt: number; readonly trigger: 'schedule' | 'catch_up'; readonly latenessMs: number };
  readonly gaps: readonly SlotGap[];
  /** Every slot up to it has its record. */
  readonly accountedTo: number;
  /** Null: no further run. */
  readonly nextRunAt: number | null;
  /** A one-shot too late to run by itself: its owner is asked, or it is let go. */
  readonly late?: 'ask' | 'drop';
}

const MOST_COUNTED = 100;
const LEAST_GRACE_MS = 120_000;
const MOST_GRACE_MS = 7_200_000;

/** The slots of a job that are due at `now`; undefined: leave them due. Pure. */
export function dueSlots(job: DueJob, now: number, runs: RunCalculator): DueSlots | undefined {
  return job.schedule.kind === 'at' ? once(job, now) : recurring(job, now, runs);
}

/** One instant waits for a firing somebody started by hand: nothing of it may be lost. */
function once({ nextRunAt, busy, misfire, oneShotGraceMs, held }: DueJob, now: number): DueSlots | undefined {
  if (busy || held) return undefined;
  const latenessMs = now - nextRunAt;
  const done = { gaps: [], accountedTo: nextRunAt, nextRunAt: null };
  if (latenessMs <= oneShotGraceMs || misfire === 'run') {
    const trigger = latenessMs <= oneShotGraceMs ? 'schedule' : 'catch_up';
    return { ...done, fire: { slotAt: nextRunAt, trigger, latenessMs } };
  }
  const gap: SlotGap = { firstSlotAt: nextRunAt, lastSlotAt: nextRunAt, count: 1, reason: 'missed' };
  return { ...done, gaps: [gap], late: misfire === 'drop' ? 'drop' : 'ask' };
}

function recurring(job: DueJob, now: number, runs: RunCalculator): DueSlots {
  const { schedule, nextRunAt, misfire } = job;
  const second = runs.next(schedule, nextRunAt);
  const alone = second === null || second > now;
  const newest = alone ? nextRunAt : Math.max(nextRunAt, runs.last(schedule, now) ?? nextRunAt);
  const following = alone ? second : runs.next(schedule, Math.max(now, newest));
  const settled = { accountedTo: newest, nextRunAt: following };
  const skipped = reasonToSkip(job, newest);
  if (skipped) return { ...settled, gaps: [spanOf(job, newest, skipped, runs)] };
  const latenessMs = Math.max(0, now - newest);
  const inTime = latenessMs <= graceMs(newest, following ?? before(job, newest, runs));
  if (!inTime && misfire === 'skip') return { ...settled, gaps: [spanOf(job, newest, 'missed', runs)] };
  const older =
    newest > nextRunAt ? [spanOf(job, runs.last(schedule, newest - 1) ?? nextRunAt, 'collapsed', runs)] : [];
  return { ...settled, gaps: older, fire: { slotAt: newest, trigger: inTime ? 'schedule' : 'catch_up', latenessMs } };
}

function reasonToSkip({ busy, held, notBefore }: DueJob, newest: number): GapReason | undefined {
  if (busy) return 'busy';
  if (held) return 'held';
  return notBefore !== null && newest < notBefore ? 'backoff' : undefined;
}

/** The slots from the first due one to `last`. */
function spanOf({ schedule, nextRunAt }: DueJob, last: number, reason: GapReason, runs: RunCalculator): SlotGap {
  return { ...countSlots(schedule, nextRunAt, last, runs), reason };
}

/** How many slots lie between two of them, both included; more than 100 are not counted. */
export function countSlots(
  schedule: Timed,
  firstSlotAt: number,
  lastSlotAt: number,
  runs: RunCalculator,
): Omit<SlotGap, 'reason'> {
  let count = 0;
  for (let slot: number | null = firstSlotAt; slot !== null && slot <= lastSlotAt; slot = runs.next(schedule, slot)) {
    count++;
    if (count > MOST_COUNTED) return { firstSlotAt, lastSlotAt, count: null };
  }
  return { firstSlotAt, lastSlotAt, count };
}

/** How late a slot may be and still be on time: half its period, between 2 minutes and 2 hours. */
export function graceMs(slot: number, neighbour: number | null): number {
  const period = neighbour === null ? Number.POSITIVE_INFINITY : Math.abs(neighbour - slot);
  return Math.min(MOST_GRACE_MS, Math.max(LEAST_GRACE_MS, period / 2));
}

/** Without a following slot the period is the one before. */
function before({ schedule }: DueJob, slot: number, runs: RunCalculator): number | null {
  return runs.last(schedule, slot - 1);
}
