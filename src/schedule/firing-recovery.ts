import type { BootId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Timed } from '../contract/schedule.ts';
import type { FiringRow } from '../store/firings.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { graceMs, type RunCalculator } from './due-slots.ts';
import { stopped } from './firing-end.ts';
import type { JobsConfig } from './jobs-config.ts';
import type { JobNotices } from './notices.ts';

export interface FiringRecoveryDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly log: Log;
  readonly config: () => JobsConfig;
  readonly notices: JobNotices;
  readonly runs: RunCalculator;
}

const MOST_BOOTS = 3;

/**
 * What dead boots left, in one transaction, before anything is claimed: begun firings have an unknown outcome and are never run
 * again; those that had not begun are ours now, or too late. Keys and quotas may have changed, so nothing is held any more.
 */
export function recoverFirings(deps: FiringRecoveryDeps, now: number): void {
  const { store, boot, log, notices } = deps;
  store.tx(() => {
    store.scheduleOwner.take(boot, now);
    const left = store.firings.leftBehind(boot);
    const unknown = left.filter(({ state }) => state === 'running').flatMap((firing) => cutOff(firing, deps, now));
    for (const firing of left) if (firing.state === 'claimed') adopt(firing, deps, now);
    for (const jobs of Map.groupBy(unknown, ({ owner }) => `${owner.platform}:${owner.id}`).values())
      notices.unknown(jobs, boot);
    for (const job of store.jobs.all()) if (job.holdReason !== null) release(job, store);
    if (left.length > 0)
      log.warn(
        { unknown: unknown.length, waiting: left.length - unknown.length },
        'the last boot left firings of jobs behind',
      );
  });
}

function release(job: JobRow, store: Store): void {
  store.jobs.replace(job, { ...job, holdReason: null, notBefore: null });
}

/** Its outcome is unknown. Cut off in two boots in a row, its job may be what ends them: it is paused. */
function cutOff(firing: FiringRow, { store, notices }: FiringRecoveryDeps, now: number): readonly JobRow[] {
  store.firings.end(firing.id, { state: 'unknown', reason: 'interrupted' }, now);
  const job = store.jobs.get(firing.job);
  if (!job || job.state === 'deleted') return [];
  const [, before] = store.firings.ofJob(job.id, 2);
  const again = before?.state === 'unknown' && before.reason === 'interrupted';
  if (!again || job.state !== 'scheduled') return [job];
  const paused = stopped(job, 'interrupted');
  store.jobs.replace(job, paused);
  notices.paused(paused, 'was cut off in two starts in a row; it is paused.', ['resume', 'delete']);
  return [];
}

/** A firing that had not begun runs under the rules of a late slot. */
function adopt(firing: FiringRow, deps: FiringRecoveryDeps, now: number): void {
  const { store, boot, notices, config } = deps;
  const job = store.jobs.get(firing.job);
  if (!job) return;
  if (firing.attempt >= MOST_BOOTS) {
    store.firings.end(firing.id, { state: 'error', reason: 'never_started' }, now);
    notices.failed(job, firing, 'never_started', `it waited through ${firing.attempt} starts of hermod`);
    return;
  }
  if (tooLate(job, firing, deps, now)) {
    store.firings.end(firing.id, { state: 'skipped', reason: 'missed' }, now);
    if (firing.slotAt !== null && (job.misfire ?? config().misfire) !== 'drop') missOnce(job, firing.slotAt, deps, now);
    return;
  }
  store.firings.adopt(firing.id, boot, Math.max(now, firing.notBefore));
}

function tooLate(job: JobRow, { slotAt }: FiringRow, { config, runs }: FiringRecoveryDeps, now: number): boolean {
  const { schedule } = job;
  if (slotAt === null || schedule.kind === 'after') return false;
  const misfire = job.misfire ?? config().misfire;
  if (schedule.kind === 'at') return misfire !== 'run' && now - slotAt > config().one_shot_grace_s * 1000;
  return misfire === 'skip' && now - slotAt > graceMs(slotAt, runs.next(schedule as Timed, slotAt));
}

/** The owner of a one-shot is asked; a recurring job just goes on. */
function missOnce(job: JobRow, slotAt: number, { store, notices }: FiringRecoveryDeps, now: number): void {
  if (job.schedule.kind !== 'at') return;
  const missed: JobRow = { ...job, state: 'missed', nextRunAt: null, updatedAt: now };
  store.jobs.replace(job, missed);
  notices.missed(missed, slotAt);
}
