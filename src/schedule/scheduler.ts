import type { Clock } from '../contract/clock.ts';
import { HermodError } from '../contract/errors.ts';
import type { BootId, FiringId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Actor } from '../contract/message.ts';
import type { CronMode } from '../contract/run.ts';
import type { Place } from '../store/homes.ts';
import type { Store } from '../store/store.ts';
import { Claims, REAL_RUNS } from './claims.ts';
import { settleJump } from './clock-jump.ts';
import type { RunCalculator } from './due-slots.ts';
import type { FiringPorts } from './firing-ports.ts';
import { recoverFirings } from './firing-recovery.ts';
import { JobDesk } from './job-desk.ts';
import { JobPresses } from './job-press.ts';
import { JobRunner } from './job-runner.ts';
import type { JobsConfig } from './jobs-config.ts';
import { JobNotices } from './notices.ts';
import { Outputs } from './outputs.ts';
import { Places } from './places.ts';
import { Ticker } from './ticker.ts';
import { findZone } from './zones.ts';

export interface SchedulerDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => JobsConfig;
  readonly cronMode: () => CronMode;
  /** The configured model of conversations; null: none. */
  readonly defaultModel: () => string | null;
  /** Where notices of each platform go; those of `first` come first. */
  readonly homes: (first?: string) => readonly Place[];
  /** Whether somebody may talk in a place now. */
  readonly mayTalk: (by: Actor, place?: Place) => boolean;
  readonly isAdmin: (by: Actor) => boolean;
  readonly ports: FiringPorts;
  /** Folder of outputs. */
  readonly outputs: string;
  /** Every platform that is configured is up. */
  readonly chatsUp: () => boolean;
  /** Interrupted boots in a row, and what names that row, while it keeps jobs from starting. */
  readonly held: () => { readonly restarts: number; readonly since: string } | undefined;
  /** No clock that shows less is right: when this release was made, UTC ms. */
  readonly builtAt: number;
  readonly wake: () => void;
  readonly runs?: RunCalculator;
}

/** What the daemon tells of its jobs. */
export interface JobsStatus {
  /** How many are scheduled. */
  readonly on: number;
  /** The one that is due first; `at` in UTC ms. */
  readonly next?: { readonly name: string; readonly at: number; readonly tz: string };
  readonly running: number;
  readonly waiting: number;
  readonly lastTickAt: number | null;
  readonly lastOkAt: number | null;
  /** Why jobs do not start though they should, or undefined. */
  readonly trouble?: string;
}

const CATCH_UP_MS = 60_000;
const SILENT_MS = 120_000;
const CROWD = 100;

/** Jobs: what is due becomes firings, firings run, people hear of it. Built and started at boot, outside any run. */
export class Scheduler {
  readonly desk: JobDesk;
  readonly presses: JobPresses;
  readonly outputs: Outputs;
  readonly #deps: SchedulerDeps;
  readonly #runs: RunCalculator;
  readonly #notices: JobNotices;
  readonly #ticker: Ticker;
  readonly #runner: JobRunner;
  #startedAt = Number.POSITIVE_INFINITY;

  constructor(deps: SchedulerDeps) {
    const { store, clock, cronMode, wake, mayTalk } = deps;
    checkZone(deps.config().timezone);
    this.#deps = deps;
    this.#runs = deps.runs ?? REAL_RUNS;
    this.outputs = new Outputs(deps.outputs);
    const places = new Places(deps);
    this.#notices = new JobNotices({ store, clock, places, wake, upSince: () => this.#startedAt });
    const shared = { ...deps, runs: this.#runs, notices: this.#notices, places, outputs: this.outputs };
    const claims = new Claims(shared);
    this.#ticker = new Ticker({
      ...deps,
      claims,
      mayClaim: () => this.#mayClaim(),
      dispatch: () => {
        this.#runner.look();
        this.#tellCrowd();
      },
      jumped: (ms, now) => {
        claims.forgetPace();
        settleJump(store, ms, now, this.#runs);
      },
    });
    this.#runner = new JobRunner({
      ...shared,
      mayFire: (job) => mayTalk(job.owner, { address: job.origin, direct: job.direct }),
      mayCatchUp: () => deps.chatsUp() || clock.now() - this.#startedAt >= CATCH_UP_MS,
      poke: () => this.#ticker.poke(),
    });
    this.desk = new JobDesk({
      ...shared,
      cancel: (job) => this.#runner.cancel(job),
      poke: () => this.#ticker.poke(),
      look: () => this.#runner.look(),
    });
    this.presses = new JobPresses({ store, clock, desk: this.desk, cronMode, wake });
  }

  /** Takes the schedule over, settles what dead boots left, and begins to tick. Once. */
  start(): void {
    const { clock } = this.#deps;
    this.#startedAt = clock.now();
    recoverFirings({ ...this.#deps, notices: this.#notices, runs: this.#runs }, this.#startedAt);
    this.#runner.start();
    this.#ticker.start();
  }

  /** For a process that only runs what is started by hand in it: it takes nothing over and claims nothing. Once. */
  startAlone(): void {
    this.#startedAt = this.#deps.clock.now();
    this.#runner.start();
  }

  /** Nothing of this boot runs or waits. */
  get idle(): boolean {
    return this.#runner.count === 0 && this.#deps.store.firings.nextWaitingAt(this.#deps.boot, 0) === undefined;
  }

  /** Claims end at once; running firings get `ms`. Resolves when none runs any more. */
  async drain(ms: number): Promise<void> {
    this.#ticker.stop();
    await this.#runner.drain(ms);
  }

  /** A model was asked for a firing. */
  used(firing: FiringId, model: string, tokens: number): void {
    this.#runner.used(firing, model, tokens);
  }

  status(): JobsStatus {
    const { store, clock, config } = this.#deps;
    const { lastTickAt = null, lastOkAt = null } = store.scheduleOwner.get() ?? {};
    const { count: on, first } = store.jobs.scheduled();
    const base = {
      ...{ on, running: this.#runner.count, waiting: store.firings.waitingCount(), lastTickAt, lastOkAt },
      ...(first?.nextRunAt ? { next: { name: first.name, at: first.nextRunAt, tz: first.tz } } : {}),
    };
    const trouble = config().enabled ? this.#trouble(lastOkAt, clock.now()) : undefined;
    return trouble === undefined ? base : { ...base, trouble };
  }

  #trouble(lastOkAt: number | null, now: number): string | undefined {
    if (now < this.#deps.builtAt) return 'clock_unset';
    if (this.#ticker.lost) return 'another hermod has taken over the jobs';
    if (this.#deps.held() !== undefined || this.#startedAt > now) return undefined;
    return now - Math.max(lastOkAt ?? 0, this.#startedAt) > SILENT_MS
      ? 'no job was looked at for 2 minutes'
      : undefined;
  }

  #mayClaim(): true | string {
    const { config, clock, builtAt, held } = this.#deps;
    if (!config().enabled) return 'cron.enabled is false';
    if (clock.now() < builtAt) return 'the clock is not set';
    const loop = held();
    if (loop === undefined) return true;
    this.#tellHeld(loop);
    return `the breaker holds after ${loop.restarts} interrupted boots`;
  }

  #tellCrowd(): void {
    const { store, homes } = this.#deps;
    const waiting = store.firings.waitingCount();
    const [home] = waiting > CROWD ? homes() : [];
    if (home) this.#notices.crowded(waiting, home);
  }

  /** Each owner of a due job once, however many boots follow. */
  #tellHeld({ restarts, since }: { readonly restarts: number; readonly since: string }): void {
    const { store, clock } = this.#deps;
    store.tx(() => {
      for (const job of store.jobs.due(clock.now(), 1000)) this.#notices.waiting(job, restarts, since);
    });
  }
}

function checkZone(timezone: string | undefined): void {
  if (timezone === undefined || findZone(timezone) !== undefined) return;
  throw new HermodError(
    'operator',
    `cron.timezone is "${timezone}", which is no zone; use a name such as Europe/Berlin.`,
  );
}
