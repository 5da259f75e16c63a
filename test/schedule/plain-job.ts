import type { JobId } from '../../src/contract/ids.ts';
import type { Schedule } from '../../src/contract/schedule.ts';
import type { JobRow } from '../../src/store/jobs.ts';

/** A job with nothing special about it, for tests and measurements that write rows themselves. */
export function plainJob(
  id: JobId,
  schedule: Schedule,
  made: number,
  nextRunAt: number,
  more: Partial<JobRow> = {},
): JobRow {
  return {
    ...{ id, name: `job ${id}`, owner: { platform: 'bench', id: 'o', name: 'bench' }, direct: true, schedule },
    ...{ origin: { platform: 'bench', bot: 'b', chat: 'c' }, tz: 'tz' in schedule ? schedule.tz : 'UTC' },
    ...{ tzSource: 'phrase', text: '', grammarVersion: 1, prompt: 'p', promptHash: 'h', deliver: ['origin'] },
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
    ...{ continuity: false, approvalMode: null, misfire: null, maxFirings: null, firingsClaimed: 0, nextRunAt },
    ...{ accountedTo: made, state: 'scheduled', pausedBy: null, pausedReason: null, failStreak: 0, blockedStreak: 0 },
    ...{ busyStreak: 0, failures: {}, notBefore: null, holdReason: null, rev: 1, createdAt: made, updatedAt: made },
    deletedAt: null,
    ...more,
  };
}
