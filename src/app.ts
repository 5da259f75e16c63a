import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { messageHead } from './agent/message-head.ts';
import { Prompt } from './agent/prompt.ts';
import { ToolRegistry } from './agent/tool-registry.ts';
import { createTurnRunner } from './agent/turn-runner.ts';
import { Workers } from './agent/workers.ts';
import { createModels } from './app-models.ts';
import { createNetworks } from './app-platforms.ts';
import { addTools } from './app-tools.ts';
import { createAuditTrail } from './approvals/audit-trail.ts';
import { createBroker } from './approvals/broker.ts';
import { createDetector } from './approvals/detector.ts';
import { effectOf } from './approvals/effect.ts';
import { createGate } from './approvals/gate.ts';
import { createPolicyCommands } from './approvals/policy-commands.ts';
import { createRedactor } from './approvals/redact.ts';
import type { Config } from './config/config.ts';
import { type Secrets, secretValues } from './config/secrets.ts';
import type { EnvMarkers } from './context/authority.ts';
import { outsideRun } from './context/run-context.ts';
import { type Clock, pause } from './contract/clock.ts';
import { randomCode, type SessionId, type TurnId } from './contract/ids.ts';
import type { AttemptReport } from './contract/model.ts';
import type { Health, PlatformAdapter } from './contract/platform.ts';
import type { RunContext } from './contract/run.ts';
import { Connection } from './gateway/connection.ts';
import { Delivery } from './gateway/delivery.ts';
import { Lanes } from './gateway/lanes.ts';
import { RateGate } from './gateway/rate-gate.ts';
import { Router } from './gateway/router.ts';
import type { Status } from './gateway/status.ts';
import { TurnView } from './gateway/turn-view.ts';
import type { Host } from './host.ts';
import { auditRoutes } from './http/api/audit.ts';
import { controlRoutes } from './http/api/control.ts';
import { createHttp } from './http/http.ts';
import { hashSecret } from './http/secrets.ts';
import { createLog } from './log.ts';
import { createLogOutput } from './log-output.ts';
import { createWeb } from './platforms/web/adapter.ts';
import { seedPracticeWorkspace } from './practice-workspace.ts';
import { readGroups, writeGroups } from './process/left-processes.ts';
import { recover } from './process/recovery.ts';
import type { Ending } from './process/signals.ts';
import { removeRunFile, writeRunFile } from './process/single-instance.ts';
import { openStore } from './store/store.ts';
import type { TurnRow } from './store/turns.ts';
import { KeptResults } from './tools/kept-results.ts';
import { ProcessGroups } from './tools/process-groups.ts';
import { VERSION } from './version.ts';

export interface AppDeps {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly practice: boolean;
  readonly home: string;
  readonly host: Host;
  readonly clock: Clock;
  readonly markers: EnvMarkers;
  /** A person asked for the end, on the page, in a chat or on the command line. */
  readonly end: (how: 'stopped' | 'restarted', by: string) => void;
  /** Somebody starts us again after a restart: the launcher or a supervisor. */
  readonly supervised: boolean;
}

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

/** Seconds a delegated worker may take. */
const WORKER_TIMEOUT_S = 900;

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
    this.#parts = build(deps, {
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

interface Live {
  status(): Status;
  health(platform: string, health: Health): void;
  adapterOf(platform: string): PlatformAdapter | undefined;
}

type Parts = ReturnType<typeof build>;

/** Everybody, made in the order of their layers. `live` answers once the platforms are there. */
function build(deps: AppDeps, live: Live) {
  const { config, secrets, practice, home, host, clock, markers } = deps;
  const redactor = createRedactor(config.approvals.redact_patterns, secretValues(secrets));
  const redact = (text: string) => redactor.text(text);
  if (practice) seedPracticeWorkspace(config.agent.workspace);
  const places = makePlaces(home, config);
  const store = openStore(join(home, 'hermod.db'));
  const boot = store.boots.begin(host.pid, clock.now()).id;
  const output = createLogOutput({ console: host.out, pretty: host.out.isTTY === true, file: logFile(home, config) });
  const log = createLog({ level: config.log.level, boot, redact, out: output });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const rate = new RateGate(clock);
  const delivery = new Delivery({ store, clock, log, rate, maxAgeMs: () => config.outbox.max_age_s * 1000 });
  const wake = () => delivery.wake();
  const groups = new ProcessGroups({ clock, kill: host.kill, changed: (list) => writeGroups(home, list) });
  const results = new KeptResults({ folder: join(home, 'results'), clock });

  const trail = createAuditTrail({ audit: store.audit, boot, log, redactor: () => redactor });
  const words = {
    time: (at: number) => new Date(at).toTimeString().slice(0, 5),
    folder: (path: string) => tilde(path),
  };
  const policyDeps = { store, clock, trail, config: () => config.approvals, redactor: () => redactor, ...words };
  const policy = createPolicyCommands(policyDeps);
  const broker = createBroker({
    ...policyDeps,
    boot,
    log,
    wake,
    mayTalk: (event) => ({ allowed: router.judge(event).kind === 'allow' }),
    limitsOf: (platform) => live.adapterOf(platform)?.limits,
  });
  const detector = createDetector(clock);
  const gate = createGate({
    store,
    boot,
    broker,
    clock,
    log,
    trail,
    redactor: () => redactor,
    config: () => config.approvals,
    markers,
    bootYolo: isTrue(host.env['HERMOD_YOLO_MODE']),
    place: () => ({
      home: homedir(),
      user: userInfo().username,
      roots: [places.workspace, ...places.roots],
      hermodHome: places.home,
      pid: host.pid,
      parentPid: host.parentPid,
      os: osOf(host.platform),
      readOutside: config.files.read_outside,
      backend: { name: 'local', isolated: false },
    }),
    detector,
    allowed: (actor) =>
      router.judge({
        by: { ...actor, name: '' },
        address: { platform: actor.platform, bot: '', chat: '' },
        direct: true,
      }).kind === 'allow',
    childPids: (session) => groups.pidsOf(session),
    effect: async (subject) => (config.approvals.preview ? effectOf(subject, clock) : undefined),
  });
  const registry = new ToolRegistry({
    store,
    boot,
    gate,
    clock,
    log,
    redact,
    resultBytes: () => config.agent.result_bytes,
    spill: (session, call, text) => results.save(session, call, text),
  });

  const models = createModels(config, secrets, { clock, log });
  const agent = {
    store,
    clock,
    registry,
    prompt: new Prompt({ home, workspace: places.workspace }),
    model: () => models.turn(),
    used: (_run: RunContext, report: AttemptReport) => log.debug({ ...report }, 'a model was asked'),
    redact,
    limits: () => ({
      maxSteps: config.agent.max_steps,
      cronMaxSteps: config.agent.cron_max_steps,
      maxOutputTokens: config.model.max_output_tokens,
      ...(config.model.reasoning && { reasoning: config.model.reasoning }),
      resultBytes: config.agent.result_bytes,
    }),
  };
  const runner = createTurnRunner(agent);
  const workers = new Workers({ ...agent, log, timeoutS: () => WORKER_TIMEOUT_S });
  const temporary = realpathSync(tmpdir());
  addTools(registry, { config, host, clock, groups, sessions: store.sessions, places, results, workers, temporary });

  const view = (turn: TurnRow, said: string) => {
    const adapter = live.adapterOf(turn.address.platform);
    return adapter && new TurnView(turn, said, config.display.progress, { store, clock, rate, adapter, wake });
  };
  const head = (name: string | undefined) => messageHead(clock.now(), zone, name);
  const lanes = new Lanes({
    store,
    boot,
    clock,
    log,
    runner,
    maxTurns: () => config.lanes.max_turns,
    view,
    head,
    wake,
  });
  const restart = deps.supervised ? () => deps.end('restarted', 'chat') : undefined;
  const endProcesses = (session: SessionId) => void groups.endSession(session);
  const router = new Router({
    store,
    clock,
    log,
    config: () => config,
    broker,
    policy,
    lanes,
    status: live.status,
    endProcesses,
    restart,
    wake,
    health: live.health,
  });

  const web = createWeb({ messages: store.webMessages, clock, log });
  const bootToken = randomCode(32);
  const http = createHttp({
    config: config.http,
    web: web.surface,
    sessions: store.pageSessions,
    health: () => {
      const { ready, reasons } = live.status();
      return { boot, live: true, ready, reasons };
    },
    clock,
    log,
    homeHash: createHash('sha256').update(home).digest('hex').slice(0, 12),
    boot,
    version: VERSION,
    token: secrets['HERMOD_HTTP_TOKEN'],
    tokens: [{ name: 'cli', hash: hashSecret(bootToken), scope: 'operate' }],
    practice,
    nextPort: practice,
    timeZone: zone,
    routes: [
      ...controlRoutes({ status: live.status, end: deps.end, supervised: deps.supervised }),
      ...auditRoutes(store.audit),
    ],
  });
  return {
    store,
    boot,
    output,
    log,
    redactor,
    delivery,
    broker,
    groups,
    results,
    lanes,
    router,
    web,
    http,
    bootToken,
    detector,
  };
}

/** The work folders, made and resolved: what tools compare paths with. */
function makePlaces(home: string, config: Config) {
  mkdirSync(config.agent.workspace, { recursive: true, mode: 0o700 });
  return {
    home: realpathSync(home),
    workspace: realpathSync(config.agent.workspace),
    roots: config.files.roots.map((path) => realpathSync(path)),
  };
}

function logFile(home: string, { log }: Config) {
  return log.file
    ? { path: join(home, 'logs', 'hermod.jsonl'), maxBytes: log.file_mb * 1024 * 1024, keep: log.files }
    : undefined;
}

/** `~/proj` for a folder below the account's home. */
function tilde(path: string): string {
  const home = homedir();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const isTrue = (text: string | undefined) => /^(?:1|true|yes|on)$/i.test(text?.trim() ?? '');

function osOf(platform: string): 'linux' | 'darwin' | 'win32' {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}
