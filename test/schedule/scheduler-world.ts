import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentRun } from '../../src/context/run-context.ts';
import type { BootId, JobId } from '../../src/contract/ids.ts';
import type { Log } from '../../src/contract/log.ts';
import type { Actor, ButtonPress, OutboundMessage } from '../../src/contract/message.ts';
import type { CronMode, CronRun, RunContext } from '../../src/contract/run.ts';
import type { FiringPorts, FiringSink, ScriptOutcome, TurnOutcome } from '../../src/schedule/firing-ports.ts';
import { type JobOrder, JobProblem, type OrderOptions, type Requester } from '../../src/schedule/job-order.ts';
import { JobTool } from '../../src/schedule/job-tool.ts';
import { JobVerbs } from '../../src/schedule/job-verbs.ts';
import type { JobsConfig } from '../../src/schedule/jobs-config.ts';
import { Scheduler, type SchedulerDeps } from '../../src/schedule/scheduler.ts';
import type { Place } from '../../src/store/homes.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { FakeClock, settle } from '../fakes/fake-clock.ts';
import { chatAddress, person } from '../fakes/runs.ts';

export const ANN = person('ann', 'Ann');
export const BOB = person('bob', 'Bob');
export const START = '2026-11-30T08:00:00Z';

export const CRON: JobsConfig = {
  ...{ enabled: true, timezone: 'Europe/Berlin', min_interval_s: 60, horizon_years: 10, max_parallel: 3, stagger_s: 0 },
  ...{ idle_timeout_s: 600, total_timeout_s: 3600, script_timeout_s: 300, abort_grace_s: 60, misfire: 'once' },
  ...{ one_shot_grace_s: 600, catch_up_parallel: 2, catch_up_spacing_s: 30, drain_s: 30, auto_pause_after: 10 },
  ...{ unreachable_pause_days: 7, provider_hold_s: 21_600, max_jobs_per_owner: 50, max_creations_per_hour: 10 },
  ...{ max_model_calls_per_day: 500, keep_firings: 200, keep_outputs: 50, keep_days: 30 },
} as JobsConfig;

/** A clock that can be set while its timers run on, as those of a machine do. */
export class SettableClock extends FakeClock {
  #ahead = 0;

  override now(): number {
    return super.now() + this.#ahead;
  }

  override jump(ms: number): void {
    this.#ahead += ms;
  }
}

/** A turn of the agent as a test plays it. */
export type Turn = (prompt: string, run: CronRun, sink: FiringSink) => TurnOutcome | Promise<TurnOutcome>;

export const says = (text: string): TurnOutcome => ({ kind: 'replied', text, message: undefined });
export const fails = (kind: 'server' | 'auth' | 'quota' | 'overloaded', text = 'The model broke.'): TurnOutcome => ({
  kind: 'failed',
  failure: { kind, detail: '' },
  text,
});

export interface WorldOptions {
  readonly start?: string | number;
  readonly config?: Partial<JobsConfig>;
  readonly path?: string;
  readonly clock?: FakeClock;
  readonly turn?: Turn;
  readonly deps?: Partial<SchedulerDeps>;
  readonly cronMode?: CronMode;
  /** Not started yet. */
  readonly stopped?: true;
}

/** A scheduler over a real store, with a clock that a test moves and an agent that it plays. */
export class SchedulerWorld {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly boot: BootId;
  readonly scheduler: Scheduler;
  readonly verbs: JobVerbs;
  readonly tool: JobTool;
  readonly folder: string;
  readonly log: string[] = [];
  /** Prompts the agent was asked, in order, each with its run. */
  readonly asked: { prompt: string; run: CronRun; at: number; current: RunContext | undefined }[] = [];
  readonly ended: { run: CronRun; name: string; slot: string }[] = [];
  readonly strangers = new Set<string>();
  readonly admins = new Set<string>(['telegram:root']);
  readonly blockedRuns = new Set<string>();
  config: JobsConfig;
  turn: Turn;
  script: (run: CronRun) => ScriptOutcome | Promise<ScriptOutcome> = () => ({ kind: 'ended', code: 0, output: '' });
  missing: string | undefined;
  chatsUp = true;
  held: number | undefined;
  defaultModel: string | null = null;
  #presses = 0;

  constructor(options: WorldOptions = {}) {
    this.clock = options.clock ?? new SettableClock(options.start ?? START);
    this.folder = mkdtempSync(join(tmpdir(), 'hermod-jobs-'));
    this.store = openStore(options.path ?? ':memory:');
    // No machine goes down in a test, only processes.
    this.store.db.pragma('synchronous = OFF');
    this.boot = this.store.boots.begin(1, this.clock.now()).id;
    this.config = { ...CRON, ...options.config };
    this.turn = options.turn ?? (() => says('done'));
    this.scheduler = new Scheduler({
      ...{ store: this.store, boot: this.boot, clock: this.clock, log: this.#logger(), ports: this.#ports() },
      config: () => this.config,
      cronMode: () => options.cronMode ?? 'deny',
      defaultModel: () => this.defaultModel,
      homes: () => [],
      mayTalk: (by: Actor, _place?: Place) => !this.strangers.has(`${by.platform}:${by.id}`),
      isAdmin: (by) => this.admins.has(`${by.platform}:${by.id}`),
      outputs: join(this.folder, 'jobs'),
      chatsUp: () => this.chatsUp,
      held: () => (this.held === undefined ? undefined : { restarts: this.held, since: 'a-boot' }),
      builtAt: Date.parse('2025-01-01T00:00:00Z'),
      wake: () => {},
      ...options.deps,
    });
    this.verbs = new JobVerbs(this.scheduler.desk, this.store);
    this.tool = new JobTool(this.scheduler.desk, this.store);
    if (!options.stopped) this.scheduler.start();
  }

  close(): void {
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  from(by: Actor = ANN, chat = `chat-of-${by.id}`, direct = true): Requester {
    return { by, address: chatAddress(chat), direct, admin: this.admins.has(`${by.platform}:${by.id}`) };
  }

  /** Makes a job as Ann would. */
  job(when: string, order: Partial<JobOrder> = {}, options: OrderOptions = {}, from = this.from()) {
    return this.scheduler.desk.create({ when, prompt: `do ${when}`, ...order }, from, options);
  }

  get(id: JobId) {
    const job = this.store.jobs.get(id);
    if (!job) throw new Error('the job is gone');
    return job;
  }

  /** What is wrong with something, by its code. */
  problem(act: () => unknown): string {
    try {
      act();
    } catch (error) {
      if (error instanceof JobProblem) return `${error.code}: ${error.message}`;
      throw error;
    }
    return 'nothing';
  }

  async skip(ms: number): Promise<void> {
    await this.clock.skip(ms);
    await settle();
  }

  /** Moves to an instant of this or a later day, UTC. */
  async until(iso: string): Promise<void> {
    await this.skip(Date.parse(iso) - this.clock.now());
  }

  /** Firings of a job, oldest first, in words. */
  firings(id: JobId): readonly string[] {
    return this.store.firings
      .ofJob(id, 1000)
      .map(({ slotAt, trigger, state, reason }) => {
        const slot = slotAt === null ? 'none' : new Date(slotAt).toISOString().slice(0, 16);
        return [slot, trigger, state, ...(reason === null ? [] : [reason])].join(' ');
      })
      .reverse();
  }

  gaps(id: JobId): readonly string[] {
    return this.store.firings
      .gapsOf(id, 1000)
      .map(({ firstSlotAt, lastSlotAt, count, reason }) => {
        const at = (slot: number) => new Date(slot).toISOString().slice(0, 16);
        return `${at(firstSlotAt)} ${at(lastSlotAt)} ${count} ${reason}`;
      })
      .reverse();
  }

  /** Rows of the outbox, oldest first: all of them, or those of a kind. */
  sent(kind?: 'job' | 'notice'): readonly { key: string; text: string; message: OutboundMessage; chat: string }[] {
    const rows = this.store.db
      .prepare<[], { key: string; kind: string; body: string; chat: string }>(
        'SELECT key, kind, body, chat FROM outbox ORDER BY seq',
      )
      .all();
    return rows
      .filter((row) => kind === undefined || row.kind === kind)
      .map(({ key, body, chat }) => {
        const message = JSON.parse(body) as OutboundMessage;
        return { key, text: message.text, message, chat };
      });
  }

  /** Texts of notices, echoes left out. */
  notices(): readonly string[] {
    return this.sent('notice')
      .filter(({ key }) => !key.startsWith('job-echo:') && !key.startsWith('job-card:'))
      .map(({ text }) => text);
  }

  /** Presses the button of that label on the newest message that has one. */
  press(label: string, from: Requester = this.from()): string | undefined {
    const button = this.sent()
      .flatMap(({ message }) => message.buttons?.flat() ?? [])
      .findLast((one) => one.label === label);
    if (!button) throw new Error(`no button ${label}`);
    return this.pressData(button.data, from);
  }

  pressData(data: string, from: Requester = this.from()): string | undefined {
    const { by, address, direct } = from;
    const eventId = `press-${++this.#presses}`;
    const press: ButtonPress = { eventId, by, address, direct, sentAt: this.clock.now(), data };
    return this.store.tx(() => this.scheduler.presses.press(press, from)?.text);
  }

  #ports(): FiringPorts {
    return {
      turn: async ({ turn, run }, sink) => {
        const prompt = this.store.transcript.ofTurn(turn.id)[0]?.content ?? '';
        this.asked.push({ prompt, run, at: this.clock.now(), current: currentRun() });
        return this.turn(prompt, run, sink);
      },
      missing: () => this.missing,
      blocked: (run) => this.blockedRuns.has(run.runId),
      ended: (run, job) => void this.ended.push({ run, ...job }),
      script: async (_job, run) => this.script(run),
    };
  }

  #logger(): Log {
    const put = (level: string) => (facts: object, sentence: string) =>
      void this.log.push(`${level} ${sentence} ${JSON.stringify(facts)}`);
    return { debug: put('debug'), info: put('info'), warn: put('warn'), error: put('error') };
  }
}
