import { childRun, withRun } from '../context/run-context.ts';
import { Deadline } from '../contract/deadline.ts';
import { newId, type RunId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { RunContext } from '../contract/run.ts';
import type { ToolUse } from '../contract/tool.ts';
import type { WorkerReport, WorkerTask } from '../contract/worker.ts';
import { DelegatedTurn } from './delegated-turn.ts';
import type { TurnRunnerDeps } from './turn-port.ts';

export interface WorkersDeps extends TurnRunnerDeps {
  readonly log: Log;
  /** `delegate.timeout_s`. */
  readonly timeoutS: () => number;
}

const MAX_RUNNING = 6;
const MAX_A_TURN = 12;
const REMEMBERED_ROOTS = 1000;
/** Tools that speak for a person or to one; a worker has nobody. */
const NOT_FOR_WORKERS = ['clarify', 'schedule', 'memory', 'send_message', 'send_file'];

/** Delegated turns: each in a run of its own, one deeper than the run that asked, with at most its tools. */
export class Workers {
  readonly #deps: WorkersDeps;
  readonly #started = new Map<RunId, number>();
  readonly #toolsOf = new WeakMap<RunContext, readonly string[]>();
  readonly #goals = new WeakMap<RunContext, string>();
  #running = 0;

  constructor(deps: WorkersDeps) {
    this.#deps = deps;
  }

  /** What the worker of this run was told to do; undefined: it is no worker's. */
  goalOf(run: RunContext): string | undefined {
    return this.#goals.get(run);
  }

  /** Runs one worker to its end. Must be called in the run of `use`. Never rejects. */
  async work(task: WorkerTask, use: ToolUse, host: 'inline' | 'thread'): Promise<WorkerReport> {
    const refused = this.#refuse(use.run);
    if (refused !== undefined) return notStarted(refused);
    this.#running++;
    try {
      return await this.#start(task, use, host);
    } catch (error) {
      this.#deps.log.error(
        { run: use.run.runId, error: error instanceof Error ? error.stack : String(error) },
        'a worker broke; this is a bug in hermod',
      );
      return { outcome: 'failed', text: 'The worker broke inside hermod.', files: [], steps: 0, tokens: 0 };
    } finally {
      this.#running--;
    }
  }

  #refuse({ rootId }: RunContext): string | undefined {
    if (this.#running >= MAX_RUNNING) return `Not started: ${this.#running} workers run already.`;
    const before = this.#started.get(rootId) ?? 0;
    if (before >= MAX_A_TURN) return `Not started: a turn may have ${MAX_A_TURN} workers.`;
    this.#started.delete(rootId);
    this.#started.set(rootId, before + 1);
    if (this.#started.size > REMEMBERED_ROOTS) this.#started.delete(this.#started.keys().next().value as RunId);
    return undefined;
  }

  async #start(task: WorkerTask, use: ToolUse, host: 'inline' | 'thread'): Promise<WorkerReport> {
    const { clock, registry, store, timeoutS } = this.#deps;
    const over = new AbortController();
    const deadline = new Deadline(clock, timeoutS() * 1000, () => over.abort('idle'));
    const run = childRun(use.run, newId<RunId>(), AbortSignal.any([use.signal, over.signal]));
    const tools = this.#toolsFor(run, use.run);
    const unknown = task.tools?.find((name) => !tools.includes(name));
    const only = tools.filter((name) => task.tools?.includes(name) ?? true);
    this.#toolsOf.set(run, only);
    this.#goals.set(run, task.goal);
    registry.taint.inherit(run, use.run, store.transcript.call(use.call)?.turn ?? null);
    try {
      if (unknown !== undefined)
        return notStarted(`Not started: there is no tool "${unknown}" for workers. There are: ${tools.join(', ')}.`);
      const worker = new DelegatedTurn(task, run, only, use, deadline, this.#deps);
      return await withRun(run, () => worker.report(host, () => over.signal.aborted));
    } finally {
      deadline.cancel();
    }
  }

  /** What its parent may use, without what needs a person. */
  #toolsFor(run: RunContext, parent: RunContext): readonly string[] {
    const offered = this.#deps.registry.offered(run, this.#toolsOf.get(parent));
    return offered.map((tool) => tool.name).filter((name) => !NOT_FOR_WORKERS.includes(name));
  }
}

function notStarted(text: string): WorkerReport {
  return { outcome: 'not started', text, files: [], steps: 0, tokens: 0 };
}
