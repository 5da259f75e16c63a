// 10,000 jobs that fall due in one minute: how long each batch of claims (at most 100 jobs) holds the loop, on the clock and in
// processor time, and what it costs in memory; with 200 different schedules and with 10,000. Then a year of every minute,
// claimed at once; then somebody who talks to a real daemon meanwhile. Processor time is what a busy machine does not distort.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BootId } from '../../src/contract/ids.ts';
import { Claims } from '../../src/schedule/claims.ts';
import type { JobsConfig } from '../../src/schedule/jobs-config.ts';
import type { JobRow } from '../../src/store/jobs.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { plainJob } from '../../test/schedule/plain-job.ts';
import { chatBeside } from './jobs/chat-beside.ts';
import { ms, share } from './jobs/figures.ts';

const JOBS = 10_000;
const DUE = Date.parse('2026-12-01T09:00:00Z');
const MADE = DUE - 3_600_000;
const NONE = () => {};
const NOTICES = { missed: NONE, busy: NONE, exhausted: NONE, skipped: NONE, broken: NONE };
const LOG = { debug: NONE, info: NONE, warn: NONE, error: NONE };
const CONFIG = { misfire: 'once', one_shot_grace_s: 600, stagger_s: 59, catch_up_spacing_s: 30 } as JobsConfig;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

for (const schedules of [200, JOBS]) await burst(schedules);
await yearOfMinutes();
await beside();

async function burst(schedules: number): Promise<void> {
  await withStore(async (store, boot) => {
    store.tx(() => {
      for (let i = 0; i < JOBS; i++)
        store.jobs.insert(
          plainJob(store.jobs.newId(), { kind: 'cron', expr: lineOf(i % schedules), tz: 'Europe/Berlin' }, MADE, DUE),
        );
    });
    collect();
    const before = process.memoryUsage().heapUsed;
    const claims = claimsOf(store, boot);
    const batches: number[] = [];
    const work: number[] = [];
    let peak = 0;
    let behind: JobRow | undefined;
    let claimed = 0;
    do {
      const [began, cpu] = [performance.now(), process.threadCpuUsage()];
      const batch = claims.batch(DUE + 1000, behind);
      batches.push(performance.now() - began);
      const { user, system } = process.threadCpuUsage(cpu);
      work.push((user + system) / 1000);
      if (batch.kind === 'lost') throw new Error('the schedule is not ours');
      claimed += batch.firings;
      behind = batch.behind;
      peak = Math.max(peak, process.memoryUsage().heapUsed);
      await new Promise((resolve) => setImmediate(resolve));
    } while (behind);
    const peakMb = (peak - before) / 2 ** 20;
    collect();
    const heapMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    const n = (count: number) => count.toLocaleString('en');
    console.log(
      `${n(JOBS)} jobs due at once, ${n(schedules)} schedules: ${claimed} claimed in ${batches.length} batches`,
    );
    console.log(`  a batch              ${spread(batches)}   (aim p99 20 ms)`);
    console.log(`  its processor time   ${spread(work)}`);
    console.log(
      `  heap above base      ${heapMb.toFixed(0)} MB, ${peakMb.toFixed(0)} MB before it is collected   (aim 100 MB)`,
    );
  });
}

async function beside(): Promise<void> {
  const { before, during, after, claimed } = await chatBeside(JOBS);
  const calm = [...before, ...after];
  const ratio = share(during, 0.99) / share(calm, 0.99);
  console.log(`a person talks while ${claimed} jobs are claimed and run, three at a time`);
  console.log(`  an answer, calm      ${spread(calm)} of ${calm.length}`);
  console.log(`  an answer, meanwhile ${spread(during)} of ${during.length}`);
  console.log(`  p99 by               ${ratio.toFixed(2)}   (aim 1.20)`);
}

function spread(values: readonly number[]): string {
  return `median ${ms(share(values, 0.5))}, p99 ${ms(share(values, 0.99))}, longest ${ms(share(values, 1))}`;
}

function yearOfMinutes(): Promise<void> {
  return withStore((store, boot) => {
    const first = MADE + 60_000;
    const every = { kind: 'every', period: 'PT1M', anchorAt: MADE, tz: 'UTC' } as const;
    const line = { kind: 'cron', expr: '* * * * *', tz: 'Europe/Berlin' } as const;
    const row = plainJob(store.jobs.newId(), every, MADE, first);
    const cron = plainJob(store.jobs.newId(), line, MADE, first);
    store.tx(() => {
      for (const one of [row, cron]) store.jobs.insert(one);
    });
    const claims = claimsOf(store, boot);
    const began = performance.now();
    for (let behind: JobRow | undefined, more = true; more; more = behind !== undefined) {
      const batch = claims.batch(MADE + 365 * 86_400_000, behind);
      behind = batch.kind === 'claimed' ? batch.behind : undefined;
    }
    const took = performance.now() - began;
    const gaps = [row, cron].map(({ id }) => store.firings.gapsOf(id, 10).length);
    console.log(
      `two jobs of every minute, a year late: claimed in ${ms(took)}, gaps ${gaps.join(' and ')}   (aim 50 ms, 1 and 1)`,
    );
  });
}

/** Different lines that are all due at 10:00 in Berlin. */
function lineOf(n: number): string {
  const minutes = [n % 60, Math.floor(n / 60) % 60].filter((minute) => minute > 0);
  const days = Math.floor(n / 3600) > 0 ? `1-${7 + Math.floor(n / 3600)}` : '*';
  return `0${minutes.length > 0 ? `,${[...new Set(minutes)].join(',')}` : ''} 10 ${days} * *`;
}

function claimsOf(store: Store, boot: BootId): Claims {
  const clock = { now: () => Date.now(), after: () => NONE };
  return new Claims({ store, boot, clock, log: LOG, config: () => CONFIG, notices: NOTICES });
}

async function withStore(use: (store: Store, boot: BootId) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hermod-bench-'));
  const store = openStore(join(folder, 'hermod.db'));
  const boot = store.boots.begin(1, MADE).id;
  store.scheduleOwner.take(boot, MADE);
  try {
    await use(store, boot);
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
