import { Connections } from './app-connections.ts';
import { DegradedApp } from './app-degraded.ts';
import type { AppDeps } from './app-deps.ts';
import { endApp } from './app-end.ts';
import { buildParts, type Parts } from './app-parts.ts';
import { createNetworks } from './app-platforms.ts';
import type { App } from './app-port.ts';
import { configNews, Reloading } from './app-reload.ts';
import { statusOf } from './app-status.ts';
import { recordPolicy } from './approvals/policy-record.ts';
import { LiveConfig, type ReloadAnswer } from './config/live.ts';
import { outsideRun } from './context/run-context.ts';
import { pause } from './contract/clock.ts';
import { lostActors } from './gateway/lost-access.ts';
import type { Status } from './gateway/status.ts';
import { readJournal } from './process/boot-journal.ts';
import { readGroups } from './process/left-processes.ts';
import { recover } from './process/recovery.ts';
import { type Judged, judge } from './process/resumption.ts';
import type { Ending } from './process/signals.ts';
import { writeRunFile } from './process/single-instance.ts';
import type { ApprovalRow } from './store/approvals.ts';
import type { BootPlan } from './store/boots.ts';
import { isUnreadable } from './store/open.ts';
import type { TurnRow } from './store/turns.ts';

/** How often whatever should look by itself is made to look. */
const PULSE_MS = 30_000;
/** How often a planned restart looks whether turns still run. */
const CALM_MS = 200;

/**
 * Builds everything in order, outside any run. The store is open and this boot is in its journal when it returns; where it
 * cannot be read, what comes back only says so.
 */
export function createApp(deps: AppDeps): App {
  return outsideRun(() => {
    const live = new LiveConfig(deps.config);
    try {
      return new Application({ ...deps, config: live.view }, live);
    } catch (error) {
      if (isUnreadable(error)) return new DegradedApp(deps, error);
      throw error;
    }
  });
}

class Application implements App {
  readonly #deps: AppDeps;
  readonly #parts: Parts;
  readonly #startedAt: number;
  readonly #connections: Connections;
  readonly #reloading: Reloading;
  #ready = false;
  #ending: Ending | undefined;
  #stopped: Promise<void> | undefined;

  constructor(deps: AppDeps, live: LiveConfig) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#connections = new Connections(deps);
    this.#parts = buildParts(deps, {
      status: () => this.status(),
      health: (platform, health) => this.#connections.get(platform)?.heard(health),
      adapterOf: (platform) => this.#connections.get(platform)?.adapter,
      busy: () => this.busy,
      isLeaving: () => this.#ending?.how === 'stopped',
      chatsUp: () => this.#connections.list.every(({ health }) => health.state === 'connected'),
      reload: () => this.reload(),
    });
    this.#reloading = new Reloading(deps, this.#parts, live);
  }

  /** A stop that was asked for meanwhile unwinds what is there; nothing further begins. */
  async start(): Promise<void> {
    const { store, boot, journal, resumes, holds, broker, trail, lanes, http, web, log, groups } = this.#parts;
    const { config, secrets, clock, home, host } = this.#deps;
    await groups.endLeftovers(readGroups(home));
    const networks = await createNetworks(config, secrets, { store, clock, log });
    if (this.#ending) return;
    for (const adapter of [web.adapter, ...networks]) this.#connections.add(adapter, this.#parts);
    broker.onParkedSettled = (approval) => this.#wakeParked(approval);
    this.#review();
    for (const judged of this.#recover()) if (judged.goesOn) resumes.add(judged);
    trail.mark();
    const { url } = await http.start();
    if (this.#ending) return;
    writeRunFile(home, { pid: host.pid, boot, url, token: this.#parts.bootToken, startedAt: this.#startedAt });
    await this.#connections.open(this.#parts);
    if (this.#ending) return;
    // No turn runs before this: what is cut off from here on counts.
    journal.ready();
    lanes.start();
    resumes.start();
    holds.start();
    this.#parts.retention.start();
    this.#parts.memory.start();
    this.#parts.jobs.scheduler.start();
    this.#ready = true;
    this.#pulse();
    log.debug({ url }, 'ready');
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
    this.#stopped ??= endApp(this.#ending, this.#parts, this.#deps, this.#connections.list);
    return this.#stopped;
  }

  blames(error: unknown): boolean {
    return this.#connections.blames(error);
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

  reload(): ReloadAnswer {
    const read = () => outsideRun(() => this.#reloading.read(() => this.#review()));
    return this.#attempt('reload', read) ?? { ok: false, problems: ['The database takes no rows now; try again.'] };
  }

  greeted(): void {
    this.#parts.output.release();
  }

  loginUrl(): string {
    return this.#parts.http.loginUrl();
  }

  status(): Status {
    const is = this.#ending ? 'stopping' : this.#ready ? 'up' : 'starting';
    const status = statusOf(this.#parts, this.#deps, this.#connections, { startedAt: this.#startedAt, is });
    const { last } = this.#reloading;
    return last === undefined ? status : { ...status, config: configNews(last) };
  }

  /**
   * The configuration may have changed, since the last boot or just now: what of it is policy is noted, and who lost access loses
   * the rest. Turns that are not of this boot are judged one by one, at the boot.
   */
  #review(): void {
    const { store, broker, trail, router, endAccess } = this.#parts;
    const { config, clock } = this.#deps;
    recordPolicy({ store, trail, clock }, config.approvals);
    const mayTalk: Parameters<typeof lostActors>[1] = (event) => router.judge(event).kind === 'allow';
    if (!this.#ready) for (const actor of lostActors(store, mayTalk, clock.now())) broker.cancelRequester(actor);
    else for (const actor of lostActors(store, mayTalk, clock.now(), store.turns.unfinished())) endAccess(actor);
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
      platform: (name: string) => this.#connections.get(name) !== undefined,
      limits: config,
      restored: false,
    };
  }

  /** Whatever should look by itself is made to look now and then: a timer that was lost costs half a minute. */
  #pulse(): void {
    if (this.#ending) return;
    this.#parts.delivery.wake();
    this.#deps.clock.after(PULSE_MS, () => this.#pulse());
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
