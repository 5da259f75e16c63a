// 10,000 jobs that fall due in one minute: how long each batch of claims holds the loop, how long a timer waits behind them,
// what it costs in memory; with 200 different schedules and with 10,000. Then a year of every minute, claimed at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BootId, JobId } from '../../src/contract/ids.ts';
import { Claims } from '../../src/schedule/claims.ts';
import type { JobsConfig } from '../../src/schedule/jobs-config.ts';
import type { JobRow } from '../../src/store/jobs.ts';
import { openStore, type Store } from '../../src/store/store.ts';

const JOBS = 10_000;
const DUE = Date.parse('2026-12-01T09:00:00Z');
const MADE = DUE - 3_600_000;
const NONE = () => {};
const NOTICES = { missed: NONE, busy: NONE, exhausted: NONE, skipped: NONE, broken: NONE };
const LOG = { debug: NONE, info: NONE, warn: NONE, error: NONE };
const CONFIG = { misfire: 'once', one_shot_grace_s: 600, stagger_s: 59, catch_up_spacing_s: 30 } as JobsConfig;

const ms = (value: number) => `${value.toFixed(1)} ms`;
const at = (values: readonly number[], share: number) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
};

for (const schedules of [200, JOBS]) await burst(schedules);
yearOfMinutes();

async function burst(schedules: number): Promise<void> {
  await withStore(async (store, boot) => {
    store.tx(() => {
      for (let i = 0; i < JOBS; i++)
        store.jobs.insert(job(store, { kind: 'cron', expr: lineOf(i % schedules), tz: 'Europe/Berlin' }, i));
    });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const claims = claimsOf(store, boot);
    const batches: number[] = [];
    const cpu = process.cpuUsage();
    const waits: number[] = [];
    let behind: JobRow | undefined;
    let claimed = 0;
    do {
      const began = performance.now();
      const batch = claims.batch(DUE + 1000, behind);
      batches.push(performance.now() - began);
      if (batch.kind === 'lost') throw new Error('the schedule is not ours');
      claimed += batch.firings;
      behind = batch.behind;
      // What a chat message would wait for: a turn of the loop between two batches.
      const asked = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      waits.push(performance.now() - asked + (batches.at(-1) ?? 0));
    } while (behind);
    globalThis.gc?.();
    const heap = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    console.log(
      `${JOBS.toLocaleString('en')} jobs due at once, ${schedules.toLocaleString('en')} schedules: ${claimed} claimed in ${batches.length} batches`,
    );
    console.log(
      `  a batch              median ${ms(at(batches, 0.5))}, p99 ${ms(at(batches, 0.99))}, longest ${ms(at(batches, 1))}   (aim p99 50 ms)`,
    );
    console.log(`  a message waits      p99 ${ms(at(waits, 0.99))}   (aim 250 ms)`);
    const { user, system } = process.cpuUsage(cpu);
    console.log(`  processor time       ${((user + system) / claimed).toFixed(0)} µs a job`);
    console.log(`  heap above base      ${heap.toFixed(0)} MB   (aim 100 MB)`);
  });
}

function yearOfMinutes(): void {
  void withStore((store, boot) => {
    const row = job(store, { kind: 'every', period: 'PT1M', anchorAt: MADE, tz: 'UTC' }, 0);
    const cron = job(store, { kind: 'cron', expr: '* * * * *', tz: 'Europe/Berlin' }, 1);
    store.tx(() => {
      for (const one of [row, cron]) store.jobs.insert({ ...one, nextRunAt: MADE + 60_000 });
    });
    const began = performance.now();
    claimsOf(store, boot).batch(MADE + 365 * 86_400_000);
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

function job(store: Store, schedule: JobRow['schedule'], n: number): JobRow {
  const owner = { platform: 'bench', id: `${n % 100}`, name: 'bench' };
  return {
    ...{
      id: store.jobs.newId() as JobId,
      name: `job ${n}`,
      owner,
      origin: { platform: 'bench', bot: 'b', chat: 'c' },
      direct: true,
    },
    ...{
      schedule,
      tz: 'Europe/Berlin',
      tzSource: 'phrase',
      text: '',
      grammarVersion: 1,
      prompt: 'p',
      promptHash: 'h',
      deliver: ['origin'],
    },
    ...{
      tools: null,
      model: null,
      workdir: null,
      script: null,
      scriptSha256: null,
      agent: true,
      contextFrom: [],
      continuity: false,
    },
    ...{
      approvalMode: null,
      misfire: null,
      maxFirings: null,
      firingsClaimed: 0,
      nextRunAt: DUE,
      accountedTo: MADE,
      state: 'scheduled',
    },
    ...{
      pausedBy: null,
      pausedReason: null,
      failStreak: 0,
      blockedStreak: 0,
      busyStreak: 0,
      failures: {},
      notBefore: null,
    },
    ...{ holdReason: null, rev: 1, createdAt: MADE, updatedAt: MADE, deletedAt: null },
  };
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
