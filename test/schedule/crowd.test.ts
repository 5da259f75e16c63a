import { afterEach, expect, it } from 'vitest';
import { nextRun } from '../../src/schedule/when.ts';
import { plainJob } from './plain-job.ts';
import { SchedulerWorld, START, says } from './scheduler-world.ts';

let world: SchedulerWorld;
afterEach(() => world.close());

const JOBS = 10_000;
const MINUTE = 60_000;

// What it costs in time and memory, and a person who talks meanwhile: npm run bench -- jobs.
it('10,000 jobs due in one minute are all claimed, a hundred at most in one transaction, and three run at a time (schedule 5)', async () => {
  world = new SchedulerWorld({ stopped: true, config: { idle_timeout_s: 86_400 } });
  let [now, most] = [0, 0];
  world.turn = () => {
    most = Math.max(most, ++now);
    return new Promise((resolve) =>
      world.clock.after(1000, () => {
        now--;
        resolve(says('done'));
      }),
    );
  };
  const made = Date.parse(START);
  const schedules = Array.from({ length: 200 }, (_, n) => {
    const schedule = {
      kind: 'cron',
      expr: `1,${2 + (n % 50)} ${9 + Math.floor(n / 50)},9 * * *`,
      tz: 'Europe/Berlin',
    } as const;
    return { schedule, next: nextRun(schedule, made) as number };
  });
  world.store.tx(() => {
    for (let i = 0; i < JOBS; i++) {
      const { schedule, next } = schedules[i % schedules.length] as (typeof schedules)[number];
      world.store.jobs.insert(plainJob(world.store.jobs.newId(), schedule, made, next));
    }
  });
  const batches: number[] = [];
  const { tx } = world.store;
  (world.store as { tx: typeof tx }).tx = (work) => {
    const before = claimed();
    const result = tx(work);
    if (claimed() > before) batches.push(claimed() - before);
    return result;
  };
  const count = world.store.db.prepare<[], number>('SELECT count(*) FROM firings').pluck();
  const claimed = () => count.get() as number;
  world.scheduler.start();
  await world.skip(MINUTE + 30_000);
  expect(claimed()).toBe(JOBS);
  expect(Math.max(...batches)).toBeLessThanOrEqual(100);
  expect(most).toBe(3);
  expect(world.asked.length).toBeGreaterThan(3);
  expect(world.log.filter((line) => line.startsWith('error'))).toEqual([]);
}, 30_000);
