import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { callLine } from './agent/call-line.ts';
import { Conversations } from './agent/conversations.ts';
import { messageHead } from './agent/message-head.ts';
import { Prompt } from './agent/prompt.ts';
import { reasoningFor } from './agent/reasoning.ts';
import { readArguments } from './agent/repair.ts';
import { ToolRegistry } from './agent/tool-registry.ts';
import { createTurnRunner } from './agent/turn-runner.ts';
import { Workers } from './agent/workers.ts';
import { createApprovals } from './app-approvals.ts';
import { createExplain } from './app-explain.ts';
import { allowsTool, createJobs } from './app-jobs.ts';
import { createModels, priceOf } from './app-models.ts';
import { addTools } from './app-tools.ts';
import { code, plain } from './approvals/markdown.ts';
import { createRedactor } from './approvals/redact.ts';
import type { Config } from './config/config.ts';
import type { ReloadAnswer } from './config/live.ts';
import type { Loaded } from './config/load.ts';
import { type Secrets, secretValues } from './config/secrets.ts';
import type { EnvMarkers } from './context/authority.ts';
import type { Clock } from './contract/clock.ts';
import { type BootId, randomCode, type SessionId } from './contract/ids.ts';
import type { AttemptReport } from './contract/model.ts';
import type { Health, PlatformAdapter } from './contract/platform.ts';
import type { RunContext } from './contract/run.ts';
import type { Restart } from './gateway/commands/command.ts';
import { DeadLetters } from './gateway/dead-letters.ts';
import { Delivery } from './gateway/delivery.ts';
import { HoldDesk } from './gateway/hold-desk.ts';
import { Lanes } from './gateway/lanes.ts';
import { endAccess } from './gateway/lost-access.ts';
import { MemoryGuard } from './gateway/memory-guard.ts';
import { Overheard } from './gateway/overheard.ts';
import { Pairing } from './gateway/pairing.ts';
import { RateGate } from './gateway/rate-gate.ts';
import { RetentionTimer } from './gateway/retention-timer.ts';
import { Router } from './gateway/router.ts';
import type { Status } from './gateway/status.ts';
import { TurnView } from './gateway/turn-view.ts';
import type { Host } from './host.ts';
import { approvalRoutes } from './http/api/approvals.ts';
import { auditRoutes } from './http/api/audit.ts';
import { controlRoutes } from './http/api/control.ts';
import { pairingRoutes } from './http/api/pairings.ts';
import { createHttp } from './http/http.ts';
import { hashSecret } from './http/secrets.ts';
import { createLog } from './log.ts';
import { createLogOutput } from './log-output.ts';
import { createWeb } from './platforms/web/adapter.ts';
import { seedPracticeWorkspace } from './practice-workspace.ts';
import { BootJournal } from './process/boot-journal.ts';
import type { Show } from './process/hold-story.ts';
import { classOf, readLastExit } from './process/last-exit.ts';
import { writeGroups } from './process/left-processes.ts';
import { lifeNotes } from './process/life-status.ts';
import { softMemoryLimit } from './process/memory-limit.ts';
import { tellCutOff } from './process/restart-notices.ts';
import { ResumeQueue } from './process/resume-queue.ts';
import type { Watchdog } from './process/watchdog.ts';
import type { OutboxRow } from './store/outbox.ts';
import { quickCheck } from './store/quick-check.ts';
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
  readonly end: (how: 'stopped' | 'restarted', by: string, now?: boolean) => void;
  /** Of this process life. */
  readonly boot: BootId;
  /** A process that runs one firing and is no life of the daemon: no breaker counts it. */
  readonly alone?: true;
  readonly watchdog: Watchdog;
  /** Somebody starts us again after a restart: the launcher or a supervisor. */
  readonly supervised: boolean;
  /** The configuration as its files are now. */
  readonly readAgain: () => Loaded;
}

/** Seconds a delegated worker may take. */
const WORKER_TIMEOUT_S = 900;

/** What the parts ask of the running app. */
export interface Live {
  status(): Status;
  health(platform: string, health: Health): void;
  adapterOf(platform: string): PlatformAdapter | undefined;
  /** Turns and firings at work. */
  busy(): number;
  /** This end is not a restart. */
  isLeaving(): boolean;
  /** Every platform that is configured is connected. */
  chatsUp(): boolean;
  /** Reads the configuration again. */
  reload(): ReloadAnswer;
}

export type Parts = ReturnType<typeof buildParts>;

/** Everybody, made in the order of their layers. `live` answers once the platforms are there. */
export function buildParts(deps: AppDeps, live: Live) {
  const { config, secrets, practice, home, host, clock, markers } = deps;
  const redactor = createRedactor(config.approvals.redact_patterns, secretValues(secrets));
  const redact = (text: string) => redactor.text(text);
  const store = openStore(join(home, 'hermod.db'));
  quickCheck(store.db);
  const { boot } = deps;
  if (!deps.alone)
    store.boots.begin(host.pid, clock.now(), { id: boot, classify: (lost) => classOf(lost, readLastExit(home)) });
  if (practice) seedPracticeWorkspace(config.agent.workspace);
  const places = makePlaces(home, config);
  const output = createLogOutput({
    ...{ console: host.out, pretty: host.out.isTTY === true, file: logFile(home, config) },
    hold: true,
  });
  const log = createLog({ level: config.log.level, boot, redact, out: output });
  // Asked when a time is first shown: ICU's calendars are 8 MB.
  const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
  const words = {
    time: (at: number) => new Date(at).toTimeString().slice(0, 5),
    folder: (path: string) => tilde(path),
  };
  const rate = new RateGate(clock, store.penalties);
  const wake = () => delivery.wake();
  const letters = new DeadLetters({ store, clock, log, time: words.time, homes: () => config.home, wake });
  const delivery = new Delivery({
    store,
    clock,
    log,
    rate,
    maxAgeMs: () => config.outbox.max_age_s * 1000,
    time: words.time,
    gaveUp: (rows) => gaveUp(rows),
    reach: ({ platform, chat }, reachable) =>
      log.info({ platform, chat, reachable }, reachable ? 'a chat takes messages again' : 'a chat refuses messages'),
  });
  const gaveUp = (rows: readonly OutboxRow[]) => {
    for (const { kind, key } of rows) if (kind === 'card') broker.undeliverable(key);
    letters.look();
  };
  letters.look();
  const groups = new ProcessGroups({ clock, kill: host.kill, changed: (list) => writeGroups(home, list) });
  const results = new KeptResults({ folder: join(home, 'results'), clock });

  const models = createModels(config, secrets, { clock, log });
  const { trail, policy, broker, detector, gate, grantDesk } = createApprovals({
    ...{ config, store, boot, clock, log, redactor, markers, host, places, groups, wake, ...words },
    guard: models.guard,
    judge: (event) => router.judge(event),
    limitsOf: (platform) => live.adapterOf(platform)?.limits,
    taint: (run, turn) => registry.taint.of(run, turn),
    goal: (run) => workers.goalOf(run),
    jobName: (job) => store.jobs.get(job)?.name,
  });
  const registry = new ToolRegistry({
    store,
    boot,
    gate,
    clock,
    log,
    redact,
    resultBytes: () => config.agent.result_bytes,
    allows: allowsTool(store, config),
    spill: (session, call, text) => results.save(session, call, text),
  });

  const prompt = new Prompt({ home, workspace: places.workspace });
  const conversations = new Conversations({ store, clock, bytes: () => config.sessions.memory_mb * 1024 * 1024 });
  const agent = {
    conversations,
    store,
    clock,
    registry,
    prompt,
    model: (run: RunContext) => models.turn(store.sessions.get(run.session)?.model ?? null),
    used: (run: RunContext, report: AttemptReport) => {
      log.debug({ ...report }, 'a model was asked');
      store.usage.add(run, report, priceOf(config, report.choice), clock.now());
      jobs.used(run, report);
    },
    redact,
    limits: (session?: SessionId) => {
      const chosen = session === undefined ? undefined : store.sessions.get(session)?.reasoning;
      const reasoning = reasoningFor(config.model.reasoning, chosen ?? null);
      return {
        maxSteps: config.agent.max_steps,
        cronMaxSteps: config.agent.cron_max_steps,
        maxOutputTokens: config.model.max_output_tokens,
        ...(reasoning && { reasoning }),
        resultBytes: config.agent.result_bytes,
      };
    },
  };
  const runner = createTurnRunner(agent);
  const workers = new Workers({ ...agent, log, timeoutS: () => WORKER_TIMEOUT_S });
  const jobs = createJobs({
    ...{ store, boot, clock, log, config, home, host, groups, gate, runner, registry, wake, models: models.names },
    router: () => router,
    chatsUp: live.chatsUp,
    loop: () => journal.loop(config.breaker.global_limit),
  });
  const temporary = realpathSync(tmpdir());
  addTools(registry, { config, host, clock, groups, store, broker, places, results, workers, temporary, jobs });

  const view = (turn: TurnRow, said: string) => {
    const adapter = live.adapterOf(turn.address.platform);
    const progress = store.chatSettings.of(turn.address).progress ?? config.display.progress;
    return adapter && new TurnView(turn, said, progress, { store, clock, rate, adapter, wake });
  };
  const head = (name: string | undefined, note: string | undefined) => messageHead(clock.now(), zone(), name, note);
  const overheard = new Overheard();
  const memory = new MemoryGuard({
    clock,
    log,
    used: () => host.memory?.(),
    busy: () => live.busy(),
    collect: () => host.collect?.(),
    limit: softMemoryLimit(config.process.memory_soft_mb),
    empty: () => {
      prompt.forget();
      conversations.empty();
    },
  });
  const lanes = new Lanes({
    store,
    boot,
    clock,
    log,
    runner,
    maxTurns: () => (memory.high ? 1 : config.lanes.max_turns),
    view,
    head,
    time: words.time,
    wake,
    overheard: (address) => overheard.take(address),
    ageLabelMs: () => config.inbox.age_label_s * 1000,
    foldMs: () => config.inbox.fold_s * 1000,
    limits: () => ({
      noteMs: config.turns.note_s * 1000,
      idleMs: config.turns.idle_s * 1000,
      totalMs: config.turns.total_s * 1000,
    }),
    cutOff: (turn) => tellCutOff(store, turn, live.isLeaving(), clock.now()),
  });
  const resumes = new ResumeQueue({
    parallel: () => config.resume.parallel,
    dispatch: ({ turn, rule }) => {
      if (rule === 'answered') return lanes.resume(turn, 'approval');
      // What a person has written since goes first; its lane takes the turn out of the way.
      if (store.inbox.waitingCount(turn.session) === 0) return lanes.resume(turn, 'resume');
      lanes.kick(turn.session);
      return undefined;
    },
  });
  const journal = new BootJournal({
    store,
    boot,
    clock,
    log,
    settleMs: () => config.breaker.settle_s * 1000,
    resumesWait: () => resumes.size > 0,
  });
  const show: Show = {
    call: ({ name, raw }) => code(redact(callLine(name, argumentsOf(raw)))),
    words: plain,
    time: words.time,
  };
  const restart: Restart | undefined = deps.supervised
    ? {
        get waitMs() {
          return config.restart.wait_s * 1000;
        },
        busy: live.busy,
        begin: (by, now) => deps.end('restarted', by, now),
      }
    : undefined;
  const endProcesses = (session: SessionId) => void groups.endSession(session);
  const holds = new HoldDesk({
    store,
    clock,
    log,
    broker,
    lanes,
    lifeMs: () => config.resume.hold_days * 86_400_000,
    sessions: () => config.sessions,
    endProcesses,
    wake,
  });
  const lose = (person: string) => endAccess({ store, broker, lanes, clock, endProcesses, wake }, person);
  const pairing = new Pairing({
    store,
    clock,
    log,
    time: words.time,
    homes: () => config.home,
    hasAdmin: () => config.access.admins.length > 0,
    isListed: (person) => [...config.access.admins, ...config.access.allow].includes(person),
    endAccess: lose,
    wake,
  });
  const retention = new RetentionTimer({
    store,
    clock,
    log,
    sessionMs: () => config.sessions.retention_days * 86_400_000,
    files: () => void results.prune(),
  });
  const router = new Router({
    store,
    clock,
    time: words.time,
    log,
    config: () => config,
    broker,
    policy,
    lanes,
    holds,
    jobs,
    status: live.status,
    endProcesses,
    restart,
    trail,
    dayStart: (at) => new Date(at).setHours(0, 0, 0, 0),
    models: models.names,
    explain: createExplain(config, places.home, host),
    homes: () => config.home,
    overheard,
    pairing,
    wake,
    gaveUp,
    health: live.health,
  });

  const web = createWeb({ messages: store.webMessages, clock, log });
  const bootToken = randomCode(32);
  const http = createHttp({
    config: config.http,
    web: web.surface,
    sessions: store.pageSessions,
    health: () => {
      const { ready, reasons, life } = live.status();
      return { boot, live: life.watched, ready, reasons: [...reasons, ...lifeNotes(life)] };
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
      ...controlRoutes({ status: live.status, end: deps.end, restart, reload: live.reload }),
      ...auditRoutes(store.audit),
      ...jobs.routes,
      ...pairingRoutes(pairing),
      ...approvalRoutes({ approvals: store.approvals, broker, grants: grantDesk, redactor: () => redactor }),
    ],
  });
  return {
    store,
    boot,
    journal,
    resumes,
    holds,
    retention,
    memory,
    jobs,
    show,
    output,
    log,
    redactor,
    delivery,
    trail,
    broker,
    gate,
    /** To be called whenever somebody (`platform:id`) loses access. */
    endAccess: lose,
    groups,
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

function argumentsOf(raw: string): unknown {
  const read = readArguments(raw);
  return read.ok ? read.value : {};
}
