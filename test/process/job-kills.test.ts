import { expect, it } from 'vitest';
import { killDueJobs, killReminders } from './job-kills.ts';

// Two hundred of them, and reminders from the message on: npm run bench -- jobs-kills.
it('hermod killed while it claims, begins, ends and delivers jobs runs none twice, loses none, and says each at most once (schedule 3)', async () => {
  const { kills, wrong, ok, unknown } = await killDueJobs({ at: [40, 118] });
  expect(wrong).toEqual([]);
  expect(ok + unknown).toBe(2);
  expect(kills).toBeGreaterThanOrEqual(1);
}, 120_000);

it('a reminder asked for by message comes once, whatever was killed before it went out', async () => {
  const { kills, ok, wrong } = await killReminders({ at: [20, 80] });
  expect(wrong).toEqual([]);
  expect([kills, ok]).toEqual([2, 2]);
}, 120_000);
