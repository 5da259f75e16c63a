import type { JobId } from '../contract/ids.ts';
import type { Timed } from '../contract/schedule.ts';
import type { FiringGap } from '../store/firings.ts';
import type { JobRev, JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { RunCalculator } from './due-slots.ts';

/** A slot that has no record, or two. */
export interface AccountFault {
  readonly job: JobId;
  readonly slotAt: number;
  readonly what: 'no record' | 'two records';
}

const EVERYTHING = 1_000_000;

/**
 * Proves that every slot of a job up to `accountedTo` has exactly one firing or stands in exactly one gap: slots are computed
 * anew from its revisions. `keep`: firings older than these were tidied away. Reads only.
 */
export function checkAccounts(
  job: JobRow,
  store: Pick<Store, 'jobs' | 'firings'>,
  runs: RunCalculator,
  keep: number,
): readonly AccountFault[] {
  const firings = store.firings.ofJob(job.id, EVERYTHING).flatMap(({ slotAt }) => slotAt ?? []);
  const gaps = store.firings.gapsOf(job.id, EVERYTHING).toReversed();
  const from = firings.length < keep ? 0 : Math.min(...firings);
  const records = { fired: new Set(firings), gaps: gaps.filter(({ lastSlotAt }) => lastSlotAt >= from) };
  const missing = store.jobs.revs(job.id).flatMap((rev) => unrecorded(rev, job, from, records, runs));
  return [...missing, ...doubled(job.id, records)];
}

interface Records {
  readonly fired: ReadonlySet<number>;
  /** Oldest first. */
  readonly gaps: readonly FiringGap[];
}

/** Slots of a revision without a record. Long gaps are stepped over, not counted through. */
function unrecorded(
  { schedule, validFrom, validTo }: JobRev,
  job: JobRow,
  from: number,
  { fired, gaps }: Records,
  runs: RunCalculator,
): readonly AccountFault[] {
  if (schedule.kind === 'after') return [];
  const timed: Timed = schedule;
  const until = Math.min(job.accountedTo, validTo ?? Number.POSITIVE_INFINITY);
  const faults: AccountFault[] = [];
  let gap = 0;
  for (let slot = runs.next(timed, Math.max(validFrom, from - 1)); slot !== null && slot <= until; ) {
    while (gap < gaps.length && (gaps[gap] as FiringGap).lastSlotAt < slot) gap++;
    const around = gaps[gap];
    const inside = around !== undefined && around.firstSlotAt <= slot;
    if (!inside && !fired.has(slot)) faults.push({ job: job.id, slotAt: slot, what: 'no record' });
    slot = runs.next(timed, inside ? Math.max(slot, around.lastSlotAt) : slot);
  }
  return faults;
}

/** Firings inside gaps, and gaps that overlap. */
function doubled(job: JobId, { fired, gaps }: Records): readonly AccountFault[] {
  const inGaps = [...fired].filter((slot) => gaps.some((gap) => gap.firstSlotAt <= slot && slot <= gap.lastSlotAt));
  const overlaps = gaps.slice(1).filter((gap, i) => gap.firstSlotAt <= (gaps[i] as FiringGap).lastSlotAt);
  return [...inGaps, ...overlaps.map(({ firstSlotAt }) => firstSlotAt)].map((slotAt) => ({
    job,
    slotAt,
    what: 'two records' as const,
  }));
}
