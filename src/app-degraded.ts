import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AppDeps } from './app-deps.ts';
import { createNetworks } from './app-platforms.ts';
import type { App } from './app-port.ts';
import { createRedactor } from './approvals/redact.ts';
import type { ReloadAnswer } from './config/live.ts';
import { secretValues } from './config/secrets.ts';
import { pause } from './contract/clock.ts';
import { HermodError } from './contract/errors.ts';
import { randomCode } from './contract/ids.ts';
import type { PlatformAdapter, PlatformEvents } from './contract/platform.ts';
import { access } from './gateway/access.ts';
import type { Restart } from './gateway/commands/command.ts';
import { Connection } from './gateway/connection.ts';
import type { Status } from './gateway/status.ts';
import { STORE_TEXT, StoreTrouble } from './gateway/store-trouble.ts';
import { controlRoutes } from './http/api/control.ts';
import { createHttp, type Http } from './http/http.ts';
import { hashSecret } from './http/secrets.ts';
import { createLog } from './log.ts';
import { createLogOutput } from './log-output.ts';
import { createWeb } from './platforms/web/adapter.ts';
import { culprit } from './process/culprit.ts';
import type { Ending } from './process/signals.ts';
import { removeRunFile, writeRunFile } from './process/single-instance.ts';
import { openStore } from './store/store.ts';
import { VERSION } from './version.ts';

const FIRST_CONNECT_MS = 2_000;

/**
 * The daemon while its database cannot be read: it runs nothing, moves nothing aside and writes nothing but its log. People who
 * are allowed read one sentence; what they wrote is not acknowledged, so that the platform keeps it.
 */
export class DegradedApp implements App {
  readonly busy = 0;
  readonly executing = false;
  readonly #deps: AppDeps;
  readonly #startedAt: number;
  readonly #output;
  readonly #log;
  readonly #trouble: StoreTrouble;
  readonly #connections = new Map<string, Connection>();
  readonly #token = randomCode(32);
  /** Holds what adapters keep for themselves; gone with the process. */
  readonly #memory = openStore(':memory:');
  readonly #web;
  readonly #http: Http;
  #stopped: Promise<void> | undefined;

  constructor(deps: AppDeps, cause: Error) {
    const { config, secrets, host, home, boot, clock } = deps;
    this.#deps = deps;
    this.#startedAt = clock.now();
    const redactor = createRedactor(config.approvals.redact_patterns, secretValues(secrets));
    this.#output = createLogOutput({ console: host.out, pretty: host.out.isTTY === true, file: undefined });
    this.#log = createLog({ level: config.log.level, boot, redact: (text) => redactor.text(text), out: this.#output });
    this.#log.error(
      { path: join(home, 'hermod.db'), error: cause.message },
      'the database cannot be read; nothing runs',
    );
    this.#trouble = new StoreTrouble({ clock, log: this.#log, judge: (event) => access(event, config.access) });
    this.#web = createWeb({ messages: this.#memory.webMessages, clock, log: this.#log });
    this.#http = this.#createHttp();
  }

  async start(): Promise<void> {
    const { config, secrets, clock, home, host, boot } = this.#deps;
    const networks = await createNetworks(config, secrets, { store: this.#memory, clock, log: this.#log });
    const { url } = await this.#http.start();
    writeRunFile(home, { pid: host.pid, boot, url, token: this.#token, startedAt: this.#startedAt });
    const opened = [this.#web.adapter, ...networks].map((adapter) => this.#connect(adapter));
    await Promise.race([Promise.all(opened), pause(clock, FIRST_CONNECT_MS)]);
  }

  stop(ending: Ending): Promise<void> {
    this.#stopped ??= this.#end(ending);
    return this.#stopped;
  }

  plan(): void {}

  async calm(): Promise<void> {}

  blames(error: unknown): boolean {
    const connection = this.#connections.get(culprit(error) ?? '');
    connection?.broke(String(error));
    return connection !== undefined;
  }

  cut(_how: 'forced' | 'crash', error?: unknown): void {
    if (error !== undefined) this.#log.error({ error }, 'an error nobody caught');
    this.#output.close();
  }

  reload(): ReloadAnswer {
    return {
      ok: false,
      problems: ['The database cannot be read; hermod doctor says what to do. Then start hermod again.'],
    };
  }

  greeted(): void {
    this.#output.release();
  }

  loginUrl(): string {
    return this.#http.loginUrl();
  }

  status(): Status {
    const { boot, watchdog, config } = this.#deps;
    return {
      version: VERSION,
      boot,
      startedAt: this.#startedAt,
      ready: false,
      reasons: ['store'],
      platforms: [...this.#connections].map(([name, { health }]) => ({ name, ...health })),
      turns: { running: 0, unfinished: 0 },
      inboxOpen: 0,
      outbox: {},
      life: {
        streak: null,
        limit: config.breaker.global_limit,
        settled: false,
        ends: [],
        held: [],
        resuming: 0,
        lagMs: watchdog.lagMs(),
        watched: watchdog.alive(),
      },
    };
  }

  #connect(adapter: PlatformAdapter): Promise<void> {
    const { clock, config } = this.#deps;
    const connection = new Connection(adapter, {
      clock,
      log: this.#log,
      connectMs: config.platforms.connect_s * 1000,
      changed: () => {},
      proofMs: config.health.proof_s * 1000,
    });
    this.#connections.set(adapter.name, connection);
    return connection.start(this.#trouble.guard(ears(connection), adapter));
  }

  #createHttp(): Http {
    const { config, secrets, clock, home, boot, practice, watchdog, supervised, end } = this.#deps;
    const begin: Restart['begin'] = (by, now) => end('restarted', by, now);
    const restart = supervised ? { waitMs: 0, busy: () => 0, begin } : undefined;
    return createHttp({
      config: config.http,
      web: this.#web.surface,
      sessions: this.#memory.pageSessions,
      health: () => ({ boot, live: watchdog.alive(), ready: false, reasons: ['store'] }),
      clock,
      log: this.#log,
      homeHash: createHash('sha256').update(home).digest('hex').slice(0, 12),
      boot,
      version: VERSION,
      token: secrets['HERMOD_HTTP_TOKEN'],
      tokens: [{ name: 'cli', hash: hashSecret(this.#token), scope: 'operate' }],
      practice,
      nextPort: practice,
      routes: controlRoutes({ status: () => this.status(), end, restart, reload: () => this.reload() }),
    });
  }

  async #end({ how, by }: Ending): Promise<void> {
    const { config, home, watchdog } = this.#deps;
    watchdog.armStop(config.stop.total_s * 1000);
    const bound = config.stop.adapters_s * 1000;
    await Promise.all([...this.#connections.values()].map((connection) => connection.stop(bound)));
    await this.#http.stop().catch((error) => this.#log.error({ error }, 'the page could not be closed'));
    this.#log.debug({ how, by }, 'stopped');
    this.#memory.close();
    removeRunFile(home);
    this.#output.close();
  }
}

/** Nothing is kept: whatever would have to be is refused, and comes again. */
function ears(connection: Connection): PlatformEvents {
  const refuse = async (): Promise<never> => {
    throw new HermodError('us', STORE_TEXT);
  };
  return {
    message: refuse,
    press: refuse,
    form: refuse,
    edited: async () => {},
    stopped: async () => {},
    reaction: async () => {},
    reach: async () => {},
    moved: async () => {},
    health: (health) => connection.heard(health),
  };
}
