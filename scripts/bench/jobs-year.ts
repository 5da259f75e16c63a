// A year of 500 jobs in 12 zones on a minute clock, with restarts and downtime at random points: every slot that a walk over the
// zones' minutes finds must have exactly one record, a firing or a place in a gap. Prints what differs; nothing should.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BootId, JobId } from '../../src/contract/ids.ts';
import { Claims } from '../../src/schedule/claims.ts';
import type { JobsConfig } from '../../src/schedule/jobs-config.ts';
import { nextRun } from '../../src/schedule/when.ts';
import type { JobRow } from '../../src/store/jobs.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { daysOf, minutesOf, runsIn, type Wanted } from '../../test/schedule/oracle.ts';
import { randomFrom, randomLine } from '../../test/schedule/random-line.ts';

const ZONES = [
  ...['Europe/Berlin', 'Europe/London', 'America/New_York', 'America/St_Johns', 'America/Santiago', 'America/Havana'],
  ...['Africa/Casablanca', 'Asia/Kolkata', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Antarctica/Troll'],
];
const JOBS = 500;
const DAY = 86_400_000;
const START = Date.parse('2026-01-10T00:00:00Z');
const END = START + 365 * DAY;
/** Jobs this dense would only test patience. */
const MOST_A_DAY = 12;
const NONE = () => {};
const NOTICES = { missed: NONE, busy: NONE, exhausted: NONE, skipped: NONE, broken: NONE };
const LOG = { debug: NONE, info: NONE, warn: NONE, error: NONE };
const CONFIG = { misfire: 'once', one_shot_grace_s: 600, stagger_s: 0, catch_up_spacing_s: 0 } as JobsConfig;

const random = randomFrom(365);
const totals = { jobs: 0, slots: 0, firings: 0, gaps: 0, restarts: 0, wrong: 0 };
for (const [i, tz] of ZONES.entries()) {
  const began = performance.now();
  const share = Math.floor((JOBS * (i + 1)) / ZONES.length) - Math.floor((JOBS * i) / ZONES.length);
  yearIn(tz, share);
  console.log(
    `${tz.padEnd(22)} ${share} jobs, ${((performance.now() - began) / 1000).toFixed(0)} s, wrong so far: ${totals.wrong}`,
  );
}
console.log(JSON.stringify(totals));
process.exitCode = totals.wrong === 0 ? 0 : 1;

function yearIn(tz: string, count: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'hermod-year-'));
  const store = openStore(join(folder, 'hermod.db'));
  store.db.pragma('synchronous = OFF');
  const days = daysOf(minutesOf(tz, START - 2 * DAY, END + 2 * DAY));
  const jobs = new Map<JobId, Wanted>();
  while (jobs.size < count) {
    const { expr, wanted } = randomLine(random);
    if (wanted.hours.size * wanted.minutes.size > MOST_A_DAY) continue;
    const made = jobOf(store, expr, tz);
    if (made) jobs.set(made, wanted);
  }
  live(store);
  for (const [id, wanted] of jobs) compare(store, id, runsIn(days, wanted));
  store.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Minute by minute; now and then a new boot, now and then hours of nothing. */
function live(store: Store): void {
  let now = START;
  let claims = boot(store, now);
  const clock = { now: () => now, after: () => NONE };
  for (; now <= END; now += 60_000) {
    const dice = random();
    if (dice < 0.0005) now += Math.floor(random() * 30 * 3600) * 1000;
    if (dice < 0.001) claims = boot(store, now, clock);
    settle(store, claims, now);
  }
  now = END;
  settle(store, boot(store, now, clock), now);
}

function settle(store: Store, { claims, id }: ReturnType<typeof boot>, now: number): void {
  for (let behind: JobRow | undefined; ; ) {
    const batch = claims.batch(now, behind);
    if (batch.kind === 'lost') throw new Error('the schedule is not ours');
    behind = batch.behind;
    if (!behind) break;
  }
  for (const { id: firing } of store.firings.waiting(id, now, 1000)) store.firings.end(firing, { state: 'ok' }, now);
}

function boot(
  store: Store,
  now: number,
  clock = { now: () => now, after: () => NONE },
): { claims: Claims; id: BootId } {
  const { id } = store.boots.begin(1, now);
  store.scheduleOwner.take(id, now);
  totals.restarts++;
  return { id, claims: new Claims({ store, boot: id, clock, log: LOG, config: () => CONFIG, notices: NOTICES }) };
}

function compare(store: Store, id: JobId, walked: readonly number[]): void {
  const job = store.jobs.get(id) as JobRow;
  const slots = walked.filter((slot) => slot > START && slot <= job.accountedTo);
  const fired = store.firings.ofJob(id, 1_000_000).map(({ slotAt }) => slotAt as number);
  const gaps = store.firings.gapsOf(id, 1_000_000);
  const records = new Map<number, number>();
  for (const slot of fired) records.set(slot, (records.get(slot) ?? 0) + 1);
  for (const slot of slots) {
    const inGaps = gaps.filter((gap) => gap.firstSlotAt <= slot && slot <= gap.lastSlotAt).length;
    records.set(slot, (records.get(slot) ?? 0) + inGaps);
  }
  const late = walked.find((slot) => slot > job.accountedTo);
  const bad =
    slots.filter((slot) => records.get(slot) !== 1).length + fired.filter((slot) => !slots.includes(slot)).length;
  const behind = late !== undefined && late <= END ? 1 : 0;
  if (bad + behind > 0)
    console.log(`  ${JSON.stringify(job.schedule)}: ${bad} slots wrong${behind ? ', not accounted to the end' : ''}`);
  totals.wrong += bad + behind;
  totals.jobs++;
  totals.slots += slots.length;
  totals.firings += fired.length;
  totals.gaps += gaps.length;
}

/** Undefined: it never runs. */
function jobOf(store: Store, expr: string, tz: string): JobId | undefined {
  const schedule = { kind: 'cron', expr, tz } as const;
  const nextRunAt = nextRun(schedule, START);
  if (nextRunAt === null) return undefined;
  const owner = { platform: 'bench', id: 'o', name: 'bench' };
  const id = store.jobs.newId();
  const job: JobRow = {
    ...{
      id,
      name: expr,
      owner,
      origin: { platform: 'bench', bot: 'b', chat: 'c' },
      direct: true,
      schedule,
      tz,
      tzSource: 'phrase',
    },
    ...{
      text: expr,
      grammarVersion: 1,
      prompt: 'p',
      promptHash: 'h',
      deliver: ['origin'],
      tools: null,
      model: null,
      workdir: null,
    },
    ...{
      script: null,
      scriptSha256: null,
      agent: true,
      contextFrom: [],
      continuity: false,
      approvalMode: null,
      misfire: null,
    },
    ...{
      maxFirings: null,
      firingsClaimed: 0,
      nextRunAt,
      accountedTo: START,
      state: 'scheduled',
      pausedBy: null,
      pausedReason: null,
    },
    ...{ failStreak: 0, blockedStreak: 0, busyStreak: 0, failures: {}, notBefore: null, holdReason: null, rev: 1 },
    ...{ createdAt: START, updatedAt: START, deletedAt: null },
  };
  store.jobs.insert(job);
  store.jobs.addRev(job, START);
  return id;
}
