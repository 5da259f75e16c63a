import { expect, it } from 'vitest';
import { killDueJobs } from './job-kills.ts';

// Two hundred of them, and reminders from the message on: npm run bench -- jobs-kills.
it('hermod killed while it claims, begins, ends and delivers jobs runs none twice, loses none, and says each at most once (schedule 3)', async () => {
  const { kills, wrong, ok, unknown } = await killDueJobs({ at: [40, 118] });
  expect(wrong).toEqual([]);
  expect(ok + unknown).toBe(2);
  expect(kills).toBeGreaterThanOrEqual(1);
}, 120_000);
