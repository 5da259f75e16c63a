import { Conversations } from './agent/conversations.ts';
import { Prompt } from './agent/prompt.ts';
import { reasoningFor } from './agent/reasoning.ts';
import { ToolRegistry } from './agent/tool-registry.ts';
import { createTurnRunner } from './agent/turn-runner.ts';
import { Workers } from './agent/workers.ts';
import type { Base } from './app-base.ts';
import { allowsTool } from './app-jobs.ts';
import { type Models, priceOf } from './app-models.ts';
import type { Gate } from './approvals/gate.ts';
import type { SessionId } from './contract/ids.ts';
import type { AttemptReport } from './contract/model.ts';
import type { RunContext } from './contract/run.ts';

/** Seconds a delegated worker may take. */
const WORKER_TIMEOUT_S = 900;

export interface AgentDeps {
  readonly base: Base;
  readonly models: Models;
  readonly gate: Gate;
  /** A model was asked. */
  readonly used: (run: RunContext, report: AttemptReport) => void;
}

/** The agent: its tools, what it remembers of conversations, its turns and its workers. */
export function createAgent({ base, models, gate, used }: AgentDeps) {
  const { config, store, boot, clock, log, redact, results, home, places } = base;
  const registry = new ToolRegistry({
    ...{ store, boot, gate, clock, log, redact },
    resultBytes: () => config.agent.result_bytes,
    allows: allowsTool(store, config),
    spill: (session, call, text) => results.save(session, call, text),
  });
  const prompt = new Prompt({ home, workspace: places.workspace });
  const conversations = new Conversations({ store, clock, bytes: () => config.sessions.memory_mb * 1024 * 1024 });
  const common = {
    ...{ conversations, store, clock, registry, prompt, redact },
    model: (run: RunContext) => models.turn(store.sessions.get(run.session)?.model ?? null),
    used: (run: RunContext, report: AttemptReport) => {
      log.debug({ ...report }, 'a model was asked');
      store.usage.add(run, report, priceOf(config, report.choice), clock.now());
      used(run, report);
    },
    limits: (session?: SessionId) => limitsOf(base, session),
  };
  const workers = new Workers({ ...common, log, timeoutS: () => WORKER_TIMEOUT_S });
  return { registry, prompt, conversations, workers, runner: createTurnRunner(common) };
}

function limitsOf({ config, store }: Base, session?: SessionId) {
  const chosen = session === undefined ? undefined : store.sessions.get(session)?.reasoning;
  const reasoning = reasoningFor(config.model.reasoning, chosen ?? null);
  return {
    maxSteps: config.agent.max_steps,
    cronMaxSteps: config.agent.cron_max_steps,
    maxOutputTokens: config.model.max_output_tokens,
    ...(reasoning && { reasoning }),
    resultBytes: config.agent.result_bytes,
  };
}
