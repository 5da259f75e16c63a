import { endApp } from './app-end.ts';
import { type AppDeps, buildParts, type Parts } from './app-parts.ts';
import { createNetworks } from './app-platforms.ts';
import { recordPolicy } from './approvals/policy-record.ts';
import { outsideRun } from './context/run-context.ts';
import { pause } from './contract/clock.ts';
import type { PlatformAdapter } from './contract/platform.ts';
import { Connection } from './gateway/connection.ts';
import { lostActors } from './gateway/lost-access.ts';
import type { Status } from './gateway/status.ts';
import { readJournal } from './process/boot-journal.ts';
import { heldBy } from './process/holds.ts';
import { readGroups } from './process/left-processes.ts';
import type { LifeStatus } from './process/life-status.ts';
import { recover } from './process/recovery.ts';
import { type Judged, judge } from './process/resumption.ts';
import type { Ending } from './process/signals.ts';
import { writeRunFile } from './process/single-instance.ts';
import type { ApprovalRow } from './store/approvals.ts';
import type { BootPlan } from './store/boots.ts';
import type { TurnRow } from './store/turns.ts';
import { VERSION } from './version.ts';

export interface App {
  /** Resolves when people can be answered. */
  start(): Promise<void>;
  /** In order, within `stop.total_s`. Twice: the same stop. */
  stop(ending: Ending): Promise<void>;
  /** A person plans the end. Never throws. */
  plan(plan: BootPlan, by: string): void;
  /** No new turn starts; resolves when none runs any more, after `restart.wait_s`, or when `signal` aborts. A stop follows. */
  calm(signal: AbortSignal): Promise<void>;
  /** Turns and firings at work: what a planned restart waits for. */
  readonly busy: number;
  /** A tool of somebody is at work. */
  readonly executing: boolean;
  /** No time for order: what tools run is killed and the end is written, at once. Never throws. */
  cut(how: 'forced' | 'crash', error?: unknown): void;
  loginUrl(): string;
  status(): Status;
}

/** How long being ready waits for platforms to connect. */
const FIRST_CONNECT_MS = 2_000;
/** How often a planned restart looks whether turns still run. */
const CALM_MS = 200;

/** Builds everything in order, outside any run. The store is open and this boot is in its journal when it returns. */
export function createApp(deps: AppDeps): App {
  return outsideRun(() => new Application(deps));
}

class Application implements App {
  readonly #deps: AppDeps;
  readonly #parts: Parts;
  readonly #startedAt: number;
  readonly #connections = new Map<string, Connection>();
  #ready = false;
  #ending: Ending | undefined;
  #stopped: Promise<void> | undefined;

  constructor(deps: AppDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#parts = buildParts(deps, {
      status: () => this.status(),
      health: (platform, health) => this.#connections.get(platform)?.heard(health),
      adapterOf: (platform) => this.#connections.get(platform)?.adapter,
      busy: () => this.busy,
      isLeaving: () => this.#ending?.how === 'stopped',
      chatsUp: () => [...this.#connections.values()].every(({ health }) => health.state === 'connected'),
    });
  }

  async start(): Promise<void> {
    const { store, boot, journal, resumes, holds, broker, trail, lanes, http, web, log, groups, results } = this.#parts;
    const { config, secrets, clock, home, host } = this.#deps;
    await groups.endLeftovers(readGroups(home));
    const networks = await createNetworks(config, secrets, { store, clock, log });
    for (const adapter of [web.adapter, ...networks]) this.#connect(adapter);
    broker.onParkedSettled = (approval) => this.#wakeParked(approval);
    this.#review();
    for (const judged of this.#recover()) if (judged.goesOn) resumes.add(judged);
    trail.mark();
    const { url } = await http.start();
    writeRunFile(home, { pid: host.pid, boot, url, token: this.#parts.bootToken, startedAt: this.#startedAt });
    await this.#open();
    // No turn runs before this: what is cut off from here on counts.
    journal.ready();
    lanes.start();
    resumes.start();
    holds.start();
    this.#parts.retention.start();
    this.#parts.memory.start();
    this.#parts.jobs.scheduler.start();
    this.#ready = true;
    log.debug({ url }, 'ready');
    void results.prune();
  }

  plan(plan: BootPlan, by: string): void {
    this.#attempt('plan', () => this.#parts.journal.plan(plan, by));
  }

  async calm(signal: AbortSignal): Promise<void> {
    const { lanes, resumes, jobs, log } = this.#parts;
    const { clock, config } = this.#deps;
    const ms = config.restart.wait_s * 1000;
    const end = clock.now() + ms;
    lanes.pause();
    resumes.stop();
    void jobs.scheduler.drain(ms).catch((error) => log.error({ error }, 'jobs could not be brought to an end'));
    while (this.busy > 0 && clock.now() < end && !signal.aborted) await pause(clock, CALM_MS, signal);
  }

  get busy(): number {
    const { lanes, jobs } = this.#parts;
    return lanes.busy + (this.#attempt('jobs', () => jobs.scheduler.status().running) ?? 0);
  }

  get executing(): boolean {
    const { store, boot } = this.#parts;
    return this.#attempt('executing', () => store.attempts.executing(boot).length > 0) ?? true;
  }

  stop(ending: Ending): Promise<void> {
    this.#ending ??= ending;
    this.#stopped ??= endApp(this.#ending, this.#parts, this.#deps, [...this.#connections.values()]);
    return this.#stopped;
  }

  cut(how: 'forced' | 'crash', error?: unknown): void {
    const { journal, groups, log, output } = this.#parts;
    if (how === 'crash')
      log.error({ error }, 'an error nobody caught; hermod ends, and whoever started it starts it again');
    this.#attempt('tools', () => groups.killNow());
    this.#attempt('end', () => journal.end(how));
    this.#attempt('log', () => output.close());
  }

  /** What must not keep the process from ending. */
  #attempt<T>(what: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#parts.log.error({ error, what }, 'a part of the end could not be written down');
      return undefined;
    }
  }

  loginUrl(): string {
    return this.#parts.http.loginUrl();
  }

  status(): Status {
    const { store, boot, lanes, http } = this.#parts;
    const platforms = [...this.#connections].map(([name, { health }]) => ({ name, ...health }));
    const web = http.state();
    const reasons = this.#ending ? ['stopping'] : this.#ready ? [] : ['starting'];
    if (platforms.length > 1 && !platforms.some((p) => p.name !== 'web' && p.state === 'connected'))
      reasons.push('platforms');
    if (web.state === 'degraded') reasons.push(`http: ${web.reason}`);
    const jobs = this.#parts.jobs.scheduler.status();
    if (jobs.trouble !== undefined) reasons.push(`jobs: ${jobs.trouble}`);
    return {
      version: VERSION,
      boot,
      startedAt: this.#startedAt,
      ready: reasons.length === 0,
      reasons,
      platforms,
      turns: { running: lanes.count, unfinished: store.turns.unfinished().length },
      inboxOpen: store.inbox.open(),
      outbox: store.outbox.counts(),
      jobs,
      life: this.#life(),
    };
  }

  #life(): LifeStatus {
    const { store, journal, resumes } = this.#parts;
    const { config, watchdog } = this.#deps;
    const { earlier, settled } = journal;
    return {
      streak: earlier ? earlier.streak : null,
      limit: config.breaker.global_limit,
      settled,
      ends: (earlier?.boots ?? [])
        .slice(0, 10)
        .flatMap(({ how, interrupted, endedAt }) => (how === null ? [] : [{ how, interrupted, at: endedAt ?? 0 }])),
      held: store.turns.unfinished().flatMap((turn) => heldBy(turn) ?? []),
      resuming: resumes.size,
      lagMs: watchdog.lagMs(),
      watched: watchdog.alive(),
    };
  }

  /** The configuration may have changed since the last boot: what of it is policy is noted, and who lost access loses the rest. */
  #review(): void {
    const { store, broker, trail, router } = this.#parts;
    const { config, clock } = this.#deps;
    recordPolicy({ store, trail, clock }, config.approvals);
    const lost = lostActors(store, (event) => router.judge(event).kind === 'allow', clock.now());
    for (const actor of lost) broker.cancelRequester(actor);
  }

  #recover(): readonly Judged[] {
    const { boot, broker, journal } = this.#parts;
    const found = recover({ ...this.#judging(), boot, settleApprovals: () => broker.recover() });
    journal.began(found.journal);
    return found.judged;
  }

  #judging() {
    const { store, log, router, show } = this.#parts;
    const { clock, config } = this.#deps;
    return {
      store,
      now: clock.now(),
      log,
      show,
      allowed: ({ actor: by, address, direct }: TurnRow) => router.judge({ by, address, direct }).kind === 'allow',
      platform: (name: string) => this.#connections.has(name),
      limits: config,
      restored: false,
    };
  }

  #connect(adapter: PlatformAdapter): void {
    const { delivery, resumes, log } = this.#parts;
    const { clock, config } = this.#deps;
    const opened = () => resumes.open(adapter.name);
    delivery.add(adapter);
    const connection = new Connection(adapter, {
      clock,
      log,
      connectMs: config.platforms.connect_s * 1000,
      changed: ({ state }) => {
        delivery.setUp(adapter.name, state === 'connected' || state === 'degraded');
        if (state === 'connected') clock.after(config.resume.first_batch_s * 1000, opened);
      },
      opened,
    });
    this.#connections.set(adapter.name, connection);
  }

  /** Platforms connect side by side; one that hangs delays nobody. */
  async #open(): Promise<void> {
    const { router } = this.#parts;
    const opened = [...this.#connections].map(([name, connection]) => connection.start(router.events(name)));
    await Promise.race([Promise.all(opened), pause(this.#deps.clock, FIRST_CONNECT_MS)]);
  }

  /** What a parked turn waited for is settled. A person's answer always counts; without one it is judged like any other. */
  #wakeParked({ turn: id, decidedBy }: ApprovalRow): void {
    const { store, resumes, log } = this.#parts;
    const turn = id === null ? undefined : store.turns.get(id);
    if (turn?.state !== 'parked' || resumes.has(turn.id)) return;
    const answered = { turn, rule: 'answered', attempts: 0, goesOn: true } as const;
    const again = () => judge(turn, { ...this.#judging(), journal: readJournal(store, log) });
    const judged = decidedBy === null ? store.tx(again) : answered;
    if (judged.goesOn) resumes.add(judged);
  }
}
