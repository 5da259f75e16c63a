import { callLine } from './agent/call-line.ts';
import { readArguments } from './agent/repair.ts';
import { createAgent } from './app-agent.ts';
import { createApprovals } from './app-approvals.ts';
import { type Base, openBase } from './app-base.ts';
import type { AppDeps, Live } from './app-deps.ts';
import { createExplain } from './app-explain.ts';
import { createJobs } from './app-jobs.ts';
import { createLanes } from './app-lanes.ts';
import { createModels } from './app-models.ts';
import { createOutbound } from './app-outbound.ts';
import { createPage } from './app-page.ts';
import { addTools } from './app-tools.ts';
import { code, plain } from './approvals/markdown.ts';
import type { SessionId } from './contract/ids.ts';
import type { Restart } from './gateway/commands/command.ts';
import { HoldDesk } from './gateway/hold-desk.ts';
import { endAccess } from './gateway/lost-access.ts';
import { Pairing } from './gateway/pairing.ts';
import { RetentionTimer } from './gateway/retention-timer.ts';
import { Router } from './gateway/router.ts';
import { approvalRoutes } from './http/api/approvals.ts';
import { auditRoutes } from './http/api/audit.ts';
import { controlRoutes } from './http/api/control.ts';
import { pairingRoutes } from './http/api/pairings.ts';
import type { Show } from './process/hold-story.ts';

export type Parts = ReturnType<typeof buildParts>;

/** Everybody, made in the order of their layers. `live` answers once the platforms are there. */
export function buildParts(deps: AppDeps, live: Live) {
  const base = openBase(deps);
  const { config, store, boot, clock, log, host, home, redactor, time, places, groups, results } = base;
  const { delivery, gaveUp, wake } = createOutbound(base, () => broker);
  const models = createModels(config, deps.secrets, { clock, log });
  const { trail, policy, broker, detector, gate, grantDesk } = createApprovals({
    ...{ ...base, markers: deps.markers, wake, guard: models.guard },
    judge: (event) => router.judge(event),
    limitsOf: (platform) => live.adapterOf(platform)?.limits,
    taint: (run, turn) => agent.registry.taint.of(run, turn),
    goal: (run) => agent.workers.goalOf(run),
    jobName: (job) => store.jobs.get(job)?.name,
  });
  const agent = createAgent({ base, models, gate, used: (run, report) => jobs.used(run, report) });
  const { registry, workers, runner } = agent;
  const jobs = createJobs({
    ...{ store, boot, clock, log, config, home, host, groups, gate, runner, registry, wake, models: models.names },
    router: () => router,
    chatsUp: live.chatsUp,
    loop: () => journal.loop(config.breaker.global_limit),
  });
  addTools(registry, { ...base, broker, workers, jobs });
  const { lanes, overheard, memory, resumes, journal } = createLanes({ base, agent, live, wake });
  const endProcesses = (session: SessionId) => void groups.endSession(session);
  const holds = new HoldDesk({
    ...{ store, clock, log, broker, lanes, endProcesses, wake },
    lifeMs: () => config.resume.hold_days * 86_400_000,
    sessions: () => config.sessions,
  });
  const lose = (person: string) => endAccess({ store, broker, lanes, clock, endProcesses, wake }, person);
  const pairing = createPairing(base, lose, wake);
  const retention = new RetentionTimer({
    ...{ store, clock, log },
    sessionMs: () => config.sessions.retention_days * 86_400_000,
    files: () => void results.prune(),
  });
  const restart = restartOf(deps, live);
  const router = new Router({
    ...{
      store,
      clock,
      time,
      log,
      broker,
      policy,
      lanes,
      holds,
      jobs,
      endProcesses,
      restart,
      trail,
      overheard,
      pairing,
    },
    ...{ wake, gaveUp, models: models.names, status: live.status, health: live.health },
    config: () => config,
    dayStart: (at) => new Date(at).setHours(0, 0, 0, 0),
    explain: createExplain(config, places.home, host),
    homes: () => config.home,
  });
  const { web, bootToken, http } = createPage(base, deps, live, [
    ...controlRoutes({ status: live.status, end: deps.end, restart, reload: live.reload }),
    ...auditRoutes(store.audit),
    ...jobs.routes,
    ...pairingRoutes(pairing),
    ...approvalRoutes({ approvals: store.approvals, broker, grants: grantDesk, redactor: () => redactor }),
  ]);
  return {
    ...{ store, boot, journal, resumes, holds, retention, memory, jobs, show: showOf(base), output: base.output, log },
    ...{ redactor, delivery, trail, broker, gate, groups, lanes, router, web, http, bootToken, detector },
    /** To be called whenever somebody (`platform:id`) loses access. */
    endAccess: lose,
  };
}

function createPairing({ store, clock, log, time, config }: Base, lose: (person: string) => void, wake: () => void) {
  return new Pairing({
    ...{ store, clock, log, time, wake, endAccess: lose },
    homes: () => config.home,
    hasAdmin: () => config.access.admins.length > 0,
    isListed: (person) => [...config.access.admins, ...config.access.allow].includes(person),
  });
}

/** What people may ask for where somebody starts us again. */
function restartOf({ supervised, config, end }: AppDeps, live: Live): Restart | undefined {
  if (!supervised) return undefined;
  return {
    get waitMs() {
      return config.restart.wait_s * 1000;
    },
    busy: live.busy,
    begin: (by, now) => end('restarted', by, now),
  };
}

/** How a held turn is told. */
function showOf({ redact, time }: Base): Show {
  return { call: ({ name, raw }) => code(redact(callLine(name, argumentsOf(raw)))), words: plain, time };
}

function argumentsOf(raw: string): unknown {
  const read = readArguments(raw);
  return read.ok ? read.value : {};
}
