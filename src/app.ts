import { type AppDeps, buildParts, type Parts } from './app-parts.ts';
import { createNetworks } from './app-platforms.ts';
import { outsideRun } from './context/run-context.ts';
import { pause } from './contract/clock.ts';
import type { TurnId } from './contract/ids.ts';
import type { PlatformAdapter } from './contract/platform.ts';
import { Connection } from './gateway/connection.ts';
import type { Status } from './gateway/status.ts';
import { readGroups } from './process/left-processes.ts';
import { recover } from './process/recovery.ts';
import type { Ending } from './process/signals.ts';
import { removeRunFile, writeRunFile } from './process/single-instance.ts';
import type { TurnRow } from './store/turns.ts';
import { VERSION } from './version.ts';

export interface App {
  /** Resolves when people can be answered. */
  start(): Promise<void>;
  /** In order, within `stop.total_s`. Twice: the same stop. */
  stop(ending: Ending): Promise<void>;
  /** A second signal: what tools run is killed and the end written, at once. */
  force(): void;
  loginUrl(): string;
  status(): Status;
}

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
  #stopped: Promise<void> | undefined;

  constructor(deps: AppDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
    this.#parts = buildParts(deps, {
      status: () => this.status(),
      health: (platform, health) => this.#connections.get(platform)?.heard(health),
      adapterOf: (platform) => this.#connections.get(platform)?.adapter,
    });
  }

  async start(): Promise<void> {
    const { store, boot, broker, lanes, http, web, log, groups, results } = this.#parts;
    const { config, secrets, clock, home, host } = this.#deps;
    await groups.endLeftovers(readGroups(home));
    const resume = this.#recover();
    broker.onParkedSettled = (approval) => this.#wakeParked(approval.turn);
    broker.recover();
    const networks = await createNetworks(config, secrets, { store, clock, log });
    for (const adapter of [web.adapter, ...networks]) this.#connect(adapter);
    const { url } = await http.start();
    writeRunFile(home, { pid: host.pid, boot, url, token: this.#parts.bootToken, startedAt: this.#startedAt });
    await this.#open(resume);
    lanes.start();
    store.boots.ready(boot, clock.now());
    this.#ready = true;
    log.debug({ url }, 'ready');
    void results.prune();
  }

  stop(ending: Ending): Promise<void> {
    this.#stopped ??= this.#end(ending);
    return this.#stopped;
  }

  force(): void {
    const { store, boot, groups } = this.#parts;
    groups.killNow();
    store.boots.end(boot, 'forced', this.#deps.clock.now());
  }

  loginUrl(): string {
    return this.#parts.http.loginUrl();
  }

  status(): Status {
    const { store, boot, lanes, http } = this.#parts;
    const platforms = [...this.#connections].map(([name, { health }]) => ({ name, ...health }));
    const web = http.state();
    const reasons = this.#ready ? [] : ['starting'];
    if (platforms.length > 1 && !platforms.some((p) => p.name !== 'web' && p.state === 'connected'))
      reasons.push('platforms');
    if (web.state === 'degraded') reasons.push(`http: ${web.reason}`);
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
    };
  }

  #recover(): readonly TurnRow[] {
    const { store, boot, log, router, redactor } = this.#parts;
    const { clock, config } = this.#deps;
    const allowed = (turn: TurnRow) =>
      router.judge({ by: turn.actor, address: turn.address, direct: turn.direct }).kind === 'allow';
    return recover({
      store,
      boot,
      now: clock.now(),
      log,
      allowed,
      limits: config.resume,
      redact: (text) => redactor.text(text),
    });
  }

  #connect(adapter: PlatformAdapter): void {
    const { delivery, log } = this.#parts;
    delivery.add(adapter);
    const connection = new Connection(adapter, {
      clock: this.#deps.clock,
      log,
      connectMs: this.#deps.config.platforms.connect_s * 1000,
      changed: ({ state }) => delivery.setUp(adapter.name, state === 'connected' || state === 'degraded'),
    });
    this.#connections.set(adapter.name, connection);
  }

  /** Platforms connect side by side; a turn resumes once what was written to it meanwhile is stored. */
  async #open(resume: readonly TurnRow[]): Promise<void> {
    const { router, lanes, log } = this.#parts;
    const waiting = new Map(this.#connections);
    const opened = [...waiting].map(async ([name, connection]) => {
      await connection.start(router.events(name));
      for (const turn of resume.filter((turn) => turn.address.platform === name)) lanes.resume(turn, 'resume');
    });
    for (const turn of resume.filter(({ address }) => !waiting.has(address.platform))) {
      log.warn(
        { turn: turn.id, platform: turn.address.platform },
        'an unfinished turn waits: its platform is not configured',
      );
    }
    const bound = this.#deps.config.resume.first_batch_s * 1000;
    await Promise.race([Promise.all(opened), pause(this.#deps.clock, bound)]);
  }

  #wakeParked(id: TurnId | null): void {
    const turn = id === null ? undefined : this.#parts.store.turns.get(id);
    if (turn?.endedAt === null) this.#parts.lanes.resume(turn, 'approval');
  }

  async #end({ how, by }: Ending): Promise<void> {
    const { store, boot, lanes, delivery, broker, http, groups, output, log, detector } = this.#parts;
    const { clock, config, home } = this.#deps;
    store.boots.stopBegan(boot, how === 'signal' ? by : null, clock.now());
    await lanes.drain(config.stop.turns_s * 1000);
    await groups.killAll();
    broker.stop();
    await delivery.flush(config.stop.flush_s * 1000);
    const bound = config.stop.adapters_s * 1000;
    await Promise.all([...this.#connections.values()].map((connection) => connection.stop(bound)));
    await http.stop();
    await detector.close();
    log.debug({ how, by }, 'stopped');
    store.boots.end(boot, how, clock.now());
    store.close();
    removeRunFile(home);
    output.close();
  }
}
