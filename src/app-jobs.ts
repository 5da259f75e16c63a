import { join } from 'node:path';
import type { ToolRegistry } from './agent/tool-registry.ts';
import type { TurnRunner } from './agent/turn-port.ts';
import type { Gate } from './approvals/gate.ts';
import type { Config } from './config/config.ts';
import { childEnv } from './context/child-env.ts';
import type { Clock } from './contract/clock.ts';
import type { BootId } from './contract/ids.ts';
import type { Log } from './contract/log.ts';
import type { Actor } from './contract/message.ts';
import type { AttemptReport } from './contract/model.ts';
import type { CronRun, RunContext } from './contract/run.ts';
import type { ToolResult, ToolUse } from './contract/tool.ts';
import { homes } from './gateway/home-places.ts';
import type { Router } from './gateway/router.ts';
import type { Host } from './host.ts';
import { jobRoutes } from './http/api/jobs.ts';
import type { RestartLoop } from './process/boot-journal.ts';
import type { FiringPorts } from './schedule/firing-ports.ts';
import { JobProblem, type Requester } from './schedule/job-order.ts';
import { JobTool } from './schedule/job-tool.ts';
import { JobVerbs } from './schedule/job-verbs.ts';
import { Scheduler } from './schedule/scheduler.ts';
import type { Place } from './store/homes.ts';
import type { JobRow } from './store/jobs.ts';
import type { Store } from './store/store.ts';
import { findJobScript, type JobScript, runJobScript } from './tools/job-script.ts';
import type { ProcessGroups } from './tools/process-groups.ts';
import type { ScheduleInput } from './tools/schedule.ts';
import { BUILT_AT } from './version.ts';

export interface JobsDeps {
  readonly store: Store;
  readonly boot: BootId;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  readonly home: string;
  readonly host: Host;
  readonly groups: ProcessGroups;
  readonly models: { problem(name: string): string | undefined };
  readonly gate: Gate;
  readonly runner: TurnRunner;
  readonly registry: ToolRegistry;
  readonly router: () => Router;
  /** Every platform that is configured is up. */
  readonly chatsUp: () => boolean;
  /** Interrupted boots that keep jobs from starting. */
  readonly loop: () => RestartLoop | undefined;
  readonly wake: () => void;
}

/** Tools that speak for a person or to one: a firing has nobody, and its answer is sent for it. */
const NOT_FOR_JOBS = ['schedule', 'clarify', 'memory', 'send_message', 'send_file'];

/** Everything about jobs, with what it needs of the agent and the gateway. */
export function createJobs(deps: JobsDeps) {
  const { store, boot, clock, log, config, home, wake } = deps;
  const scheduler = new Scheduler({
    ...{ store, boot, clock, log, wake, builtAt: BUILT_AT, ports: portsOf(deps), chatsUp: deps.chatsUp },
    config: () => config.cron,
    cronMode: () => config.approvals.cron_mode,
    defaultModel: () => config.model.primary ?? null,
    homes: (first) => homes(store, config.home, first),
    mayTalk: (by, place) => verdictOf(deps, by, place).kind === 'allow',
    isAdmin: (by) => isAdmin(verdictOf(deps, by)),
    outputs: join(home, 'results', 'jobs'),
    held: deps.loop,
  });
  const tool = new JobTool(scheduler.desk, store);
  const verbs = new JobVerbs(scheduler.desk, store);
  return {
    scheduler,
    presses: scheduler.presses,
    verbs,
    /** What the command line asks. */
    routes: jobRoutes({ desk: scheduler.desk, verbs, store, script: scriptOf(home) }),
    /** The schedule tool's work. */
    answer: (input: ScheduleInput, use: ToolUse): ToolResult => {
      const from = requesterOf(deps, use);
      return from ? tool.answer(input, from, { tainted: isTainted(store, use) }) : NOBODY;
    },
    /** A model was asked. */
    used: (run: RunContext, { choice, usage }: AttemptReport) => {
      if (run.kind !== 'cron') return;
      const tokens = (usage?.input ?? 0) + (usage?.output ?? 0);
      scheduler.used(run.firingId, `${choice.provider}:${choice.model}`, tokens);
    },
  };
}

const NOBODY: ToolResult = { text: 'Jobs are made by people; nobody is behind this run.', isError: true };

/** Whether a run may use a tool: a firing what its job, the configuration and its kind allow. */
export function allowsTool(store: Store, config: Config): (run: RunContext, tool: string) => boolean {
  return (run, tool) => {
    if (run.kind !== 'cron') return true;
    if (NOT_FOR_JOBS.includes(tool)) return false;
    const within = (names: readonly string[] | null | undefined) => names?.includes(tool) ?? true;
    return within(config.cron.tools) && within(store.jobs.get(run.jobId)?.tools);
  };
}

function portsOf(deps: JobsDeps): FiringPorts {
  const { runner, gate, registry, config } = deps;
  return {
    turn: (order, sink) => runner.run(order, sink),
    missing: (job, run) => missingModel(job, deps) ?? missingTool(job, namesOf(registry.offered(run)), config),
    blocked: (run) => gate.blocked(run),
    ended: (run, job) => void gate.firingEnded(run, job),
    script: (job, run) => runScript(job, run, deps),
  };
}

function runScript(job: JobRow, run: CronRun, { clock, groups, host, home, config }: JobsDeps) {
  const order = {
    ...{ path: job.script ?? '', sha256: job.scriptSha256 ?? '', folder: join(home, 'scripts'), run },
    cwd: job.workdir ?? config.agent.workspace,
    timeoutS: config.cron.script_timeout_s,
  };
  return runJobScript(order, { clock, groups, env: (tag) => childEnv(host.env, { tag }) });
}

/** A script of the home for a job; throws for anything else. */
function scriptOf(home: string): (name: string) => JobScript {
  return (name) => {
    const found = findJobScript(join(home, 'scripts'), name);
    if (typeof found === 'string') throw new JobProblem('script', found);
    return found;
  };
}

const namesOf = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

function missingModel({ model, defaultModel }: JobRow, { config, models }: JobsDeps): string | undefined {
  const wanted = model ?? config.cron.model ?? defaultModel;
  const problem = wanted === null ? undefined : models.problem(wanted);
  return problem === undefined ? undefined : `the model ${wanted} cannot be used: ${problem}`;
}

function missingTool({ tools }: JobRow, offered: readonly string[], { cron }: Config): string | undefined {
  const lost = tools?.find((name) => !offered.includes(name));
  if (lost === undefined) return undefined;
  return cron.tools && !cron.tools.includes(lost)
    ? `the tool ${lost} is not in cron.tools`
    : `there is no tool ${lost} for jobs`;
}

function verdictOf({ router }: JobsDeps, by: Actor, place?: Place) {
  const address = place?.address ?? { platform: by.platform, bot: '', chat: '' };
  return router().judge({ by, address, direct: place?.direct ?? true });
}

/** Whoever the turn belongs to, where they are. */
function requesterOf(deps: JobsDeps, { run, call }: ToolUse): Requester | undefined {
  if (run.kind !== 'chat') return undefined;
  const { turns, transcript, sessions } = deps.store;
  const turn = transcript.call(call)?.turn;
  const direct = (turn && turns.get(turn)?.direct) ?? sessions.get(run.session)?.direct ?? false;
  const place = { address: run.replyTo, direct };
  return { by: run.actor, ...place, admin: isAdmin(verdictOf(deps, run.actor, place)) };
}

const isAdmin = (verdict: ReturnType<typeof verdictOf>): boolean =>
  verdict.kind === 'allow' && verdict.role === 'admin';

/** The turn read text of strangers before this call. */
function isTainted({ transcript }: Store, { call }: ToolUse): boolean {
  const turn = transcript.call(call)?.turn;
  return (
    turn !== undefined && transcript.ofTurn(turn).some((row) => row.calls.some(({ untrusted }) => untrusted !== null))
  );
}
