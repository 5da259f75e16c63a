import type { Timed } from '../contract/schedule.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { RunCalculator } from './due-slots.ts';

/**
 * The clock was set. Forward is downtime, and the next claim treats it so. Back: firings stay, so no slot repeats; gaps end at
 * the new now; a job that would wait for a time it already lived through goes on from now, over slots that fired.
 */
export function settleJump(store: Store, ms: number, now: number, runs: RunCalculator): void {
  if (ms >= 0) return;
  store.tx(() => {
    for (const job of store.jobs.all()) {
      store.firings.cutGaps(job.id, now);
      if (job.state === 'scheduled' && job.nextRunAt !== null) goBack(job, store, now, runs);
    }
  });
}

function goBack(job: JobRow, store: Store, now: number, runs: RunCalculator): void {
  const schedule = job.schedule as Timed;
  if (schedule.kind === 'at') return;
  const next = firstFree(job, store, now, runs);
  if (next === null || next >= (job.nextRunAt as number)) return;
  store.jobs.replace(job, { ...job, nextRunAt: next, accountedTo: Math.min(job.accountedTo, now) });
}

/** The first slot after now that has no firing yet. */
function firstFree(job: JobRow, store: Store, now: number, runs: RunCalculator): number | null {
  const schedule = job.schedule as Timed;
  const fired = new Set(store.firings.slotsWithFiring(job.id, now, job.nextRunAt as number));
  let next = runs.next(schedule, now);
  while (next !== null && fired.has(next)) next = runs.next(schedule, next);
  return next;
}
