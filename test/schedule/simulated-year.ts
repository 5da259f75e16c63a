import type { BootId, FiringId, JobId } from '../../src/contract/ids.ts';
import { Claims, REAL_RUNS } from '../../src/schedule/claims.ts';
import { recoverFirings } from '../../src/schedule/firing-recovery.ts';
import { JobDesk } from '../../src/schedule/job-desk.ts';
import type { JobsConfig } from '../../src/schedule/jobs-config.ts';
import type { JobNotices } from '../../src/schedule/notices.ts';
import { nextRun } from '../../src/schedule/when.ts';
import type { JobRow } from '../../src/store/jobs.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { daysOf, minutesOf, runsIn, type Wanted } from './oracle.ts';
import { plainJob } from './plain-job.ts';
import { randomLine } from './random-line.ts';

export const ZONES = [
  ...['Europe/Berlin', 'Europe/London', 'America/New_York', 'America/St_Johns', 'America/Santiago', 'America/Havana'],
  ...['Africa/Casablanca', 'Asia/Kolkata', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Antarctica/Troll'],
];

export interface Span {
  readonly tz: string;
  readonly jobs: number;
  readonly from: number;
  readonly days: number;
  /** Chance in a minute that hermod stops for up to 30 hours. */
  readonly stops: number;
  /** Chance that it is killed where something is due, and starts again at once. */
  readonly kills: number;
  readonly random: () => number;
}

export interface Totals {
  readonly jobs: number;
  readonly slots: number;
  readonly firings: number;
  readonly gaps: number;
  readonly boots: number;
  /** Firings cut off while they ran, and those that had not begun. */
  readonly unknown: number;
  readonly again: number;
  /** What differs from the walk, in words. */
  readonly wrong: readonly string[];
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Jobs this dense would only test patience. */
const MOST_A_DAY = 12;
const NONE = () => {};
const NOTICES = new Proxy({}, { get: () => NONE }) as unknown as JobNotices;
const LOG = { debug: NONE, info: NONE, warn: NONE, error: NONE };
const CONFIG = { misfire: 'once', one_shot_grace_s: 600, stagger_s: 0, catch_up_spacing_s: 0 } as JobsConfig;
const OWNER = { platform: 'bench', id: 'o', name: 'bench' };

/**
 * Random lines of one zone live through a span of time, minute by minute, with restarts, downtime and kills; every slot a walk
 * over the zone's minutes finds must have exactly one record: a firing, or a place in one gap.
 */
export function simulate(span: Span, path = ':memory:'): Totals {
  const life = new Life(span, path);
  try {
    return life.run();
  } finally {
    life.store.close();
  }
}

class Life {
  readonly store: Store;
  readonly #span: Span;
  readonly #wanted = new Map<JobId, Wanted>();
  readonly #clock = { now: () => this.#now, after: () => NONE };
  #now: number;
  #boot = '' as BootId;
  #claims: Claims | undefined;
  #counts = { boots: 0, unknown: 0, again: 0 };

  constructor(span: Span, path: string) {
    this.#span = span;
    this.#now = span.from;
    this.store = openStore(path);
    // No machine goes down here, only the process.
    this.store.db.pragma('synchronous = OFF');
  }

  run(): Totals {
    const { from, days, kills, random } = this.#span;
    this.#makeJobs();
    this.#start();
    const end = from + days * DAY;
    for (let stopAt = this.#nextStop(); this.#now < end; this.#live()) {
      const dueAt = this.#nextDue();
      this.#now = Math.min(end, dueAt, stopAt);
      if (this.#now === stopAt) {
        this.#stop(end);
        stopAt = this.#nextStop();
      } else if (this.#now === dueAt && random() < kills) this.#kill();
    }
    this.#start();
    this.#live();
    return this.#compared();
  }

  /** In whole minutes, as if there were a dice for each. */
  #nextStop(): number {
    const { stops, random } = this.#span;
    return this.#now + Math.ceil(Math.log(1 - random()) / Math.log(1 - stops)) * MINUTE;
  }

  /** The minute at which somebody who looks every minute finds something due. */
  #nextDue(): number {
    const at = this.store.jobs.nextDueAfter(this.#now) ?? Number.POSITIVE_INFINITY;
    return Math.ceil(at / MINUTE) * MINUTE;
  }

  #makeJobs(): void {
    const { tz, jobs, from, random } = this.#span;
    while (this.#wanted.size < jobs) {
      const { expr, wanted } = randomLine(random);
      if (wanted.hours.size * wanted.minutes.size > MOST_A_DAY) continue;
      const schedule = { kind: 'cron', expr, tz } as const;
      const next = nextRun(schedule, from);
      if (next === null) continue;
      const job = plainJob(this.store.jobs.newId(), schedule, from, next, { owner: OWNER });
      this.store.jobs.insert(job);
      this.store.jobs.addRev(job, from);
      this.#wanted.set(job.id, wanted);
    }
  }

  /** A new process takes over what the last one left; jobs paused because they were cut off twice are resumed by a person. */
  #start(): void {
    const { store } = this;
    const clock = this.#clock;
    const { id } = store.boots.begin(1, this.#now);
    this.#boot = id;
    this.#counts.boots++;
    const deps = { store, boot: id, clock, log: LOG, config: () => CONFIG, notices: NOTICES, runs: REAL_RUNS };
    recoverFirings(deps, this.#now);
    this.#claims = new Claims(deps);
    const desk = new JobDesk({
      places: { refused: () => [], homeless: () => [] },
      ...deps,
      cronMode: () => 'deny',
      defaultModel: () => null,
      cancel: () => false,
      poke: NONE,
      look: NONE,
      wake: NONE,
    });
    const from = { by: OWNER, address: { platform: 'cli', bot: 'b', chat: 'c' }, direct: true, admin: true };
    for (const job of store.jobs.all()) if (job.state === 'paused') desk.resume(job.id, from);
  }

  /** Hours of nothing, then a new process. */
  #stop(end: number): void {
    const away = Math.floor(this.#span.random() * 30 * 60) * MINUTE;
    this.#now = Math.min(end, this.#now + away);
    this.#start();
  }

  /** Dead with firings claimed, some of them begun; a new process at once. */
  #kill(): void {
    this.#claim();
    for (const { id } of this.store.firings.waiting(this.#boot, this.#now, 1000)) {
      const begun = this.#span.random() < 0.5;
      this.#counts[begun ? 'unknown' : 'again']++;
      if (begun) this.#begin(id);
    }
    this.#start();
  }

  #live(): void {
    this.#claim();
    for (const { id } of this.store.firings.waiting(this.#boot, this.#now, 1000)) {
      this.#begin(id);
      this.store.firings.end(id, { state: 'ok' }, this.#now);
    }
  }

  #begin(id: FiringId): void {
    const { store } = this;
    const { attempt } = store.firings.get(id) as { attempt: number };
    if (!store.firings.begin({ id, attempt }, 'session' as never, this.#boot, this.#now))
      throw new Error('begun twice');
  }

  #claim(): void {
    for (let behind: JobRow | undefined; ; ) {
      const batch = (this.#claims as Claims).batch(this.#now, behind);
      if (batch.kind === 'lost') throw new Error('the schedule is not ours');
      behind = batch.behind;
      if (!behind) return;
    }
  }

  #compared(): Totals {
    const { tz, from, days } = this.#span;
    const walked = daysOf(minutesOf(tz, from - 2 * DAY, from + (days + 2) * DAY));
    const found = [...this.#wanted].map(([id, wanted]) => this.#compare(id, runsIn(walked, wanted)));
    const sum = (pick: (one: (typeof found)[number]) => number) => found.reduce((total, one) => total + pick(one), 0);
    return {
      ...{ jobs: found.length, slots: sum(({ slots }) => slots), firings: sum(({ firings }) => firings) },
      ...{ gaps: sum(({ gaps }) => gaps), ...this.#counts, wrong: found.flatMap(({ wrong }) => wrong) },
    };
  }

  #compare(id: JobId, walked: readonly number[]) {
    const { from, days } = this.#span;
    const job = this.store.jobs.get(id) as JobRow;
    const slots = walked.filter((slot) => slot > from && slot <= from + days * DAY);
    const rows = this.store.firings.ofJob(id, 1_000_000);
    const gaps = this.store.firings.gapsOf(id, 1_000_000);
    const fired = rows.map(({ slotAt }) => slotAt as number);
    const times = Map.groupBy(fired, (slot) => slot);
    const records = (slot: number) =>
      (times.get(slot)?.length ?? 0) + gaps.filter((gap) => gap.firstSlotAt <= slot && slot <= gap.lastSlotAt).length;
    const known = new Set(slots);
    const wrong = [
      ...slots.filter((slot) => records(slot) !== 1).map((slot) => `${records(slot)} records of ${iso(slot)}`),
      ...fired.filter((slot) => !known.has(slot)).map((slot) => `fired at ${iso(slot)}, which is no slot`),
      ...rows.filter(({ endedAt }) => endedAt === null).map(({ slotAt }) => `${iso(slotAt as number)} has no end`),
    ];
    const line = JSON.stringify(job.schedule);
    return {
      slots: slots.length,
      firings: fired.length,
      gaps: gaps.length,
      wrong: wrong.map((what) => `${line}: ${what}`),
    };
  }
}

const iso = (at: number): string => new Date(at).toISOString();
