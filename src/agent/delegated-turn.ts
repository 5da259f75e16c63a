import type { Deadline } from '../contract/deadline.ts';
import { newId, type TurnId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';
import type { ToolUse } from '../contract/tool.ts';
import type { WorkerReport, WorkerTask } from '../contract/worker.ts';
import type { CallRow, MessageRow } from '../store/transcript.ts';
import { callLine } from './call-line.ts';
import { varyingLine } from './prompt.ts';
import { readArguments } from './repair.ts';
import { capResult } from './result-cap.ts';
import { StoreWorld } from './store-world.ts';
import { runInThread } from './thread-host.ts';
import { countSteps, Turn, type TurnEnd } from './turn.ts';
import type { TurnResult, TurnRunnerDeps } from './turn-port.ts';
import { turnResult } from './turn-result.ts';

const MAX_STEPS = 30;
const REPORT_BYTES = 8 * 1024;

/** One worker: its rows, its world, its report. Nobody goes on with it in a later process, so all its calls are settled. */
export class DelegatedTurn {
  readonly #id = newId<TurnId>();
  readonly #task: WorkerTask;
  readonly #run: RunContext;
  readonly #only: readonly string[];
  readonly #use: ToolUse;
  readonly #deadline: Deadline;
  readonly #deps: TurnRunnerDeps;
  #tokens = 0;

  constructor(
    task: WorkerTask,
    run: RunContext,
    only: readonly string[],
    use: ToolUse,
    deadline: Deadline,
    deps: TurnRunnerDeps,
  ) {
    this.#task = task;
    this.#run = run;
    this.#only = only;
    this.#use = use;
    this.#deadline = deadline;
    this.#deps = deps;
  }

  async report(host: 'inline' | 'thread', timedOut: () => boolean): Promise<WorkerReport> {
    const result = await this.#work(host);
    const rows = this.#rows();
    const untrusted = rows.flatMap((row) => row.calls).find((call) => call.untrusted !== null)?.untrusted;
    return {
      outcome: result.kind === 'stopped' && timedOut() ? 'timed out' : OUTCOMES[result.kind],
      text: capResult(textOf(result, rows), REPORT_BYTES, 'head'),
      files: this.#filesOf(rows),
      steps: countSteps(rows),
      tokens: this.#tokens,
      ...(untrusted ? { untrusted } : {}),
    };
  }

  async #work(host: 'inline' | 'thread'): Promise<TurnResult> {
    const { store, clock, model: road, limits } = this.#deps;
    const { session, signal } = this.#run;
    store.transcript.append(
      { session, turn: this.#id, step: 0, role: 'user', content: this.#words(), hidden: true },
      clock.now(),
    );
    const model = road(this.#run);
    const world = new StoreWorld(this.#order(), model, this.#metered());
    const maxSteps = Math.min(this.#task.max_steps ?? MAX_STEPS, MAX_STEPS);
    const bounds = { maxSteps, resultBytes: limits().resultBytes };
    const end = await this.#decide(host, world, bounds);
    const result = turnResult(end, { model, maxSteps, signal, message: (text, keep) => world.message(text, keep) });
    if (result.kind === 'replied' && result.message) store.transcript.append(result.message, clock.now());
    return result;
  }

  async #decide(
    host: 'inline' | 'thread',
    world: StoreWorld,
    bounds: { maxSteps: number; resultBytes: number },
  ): Promise<TurnEnd> {
    const { signal } = this.#run;
    try {
      if (host === 'inline') return await new Turn(world, bounds, signal).run();
      return await runInThread({ world, bounds, run: this.#run, tools: this.#only }, this.#deps.clock);
    } finally {
      await world.settle('');
    }
  }

  #order() {
    const { prompt } = this.#deps;
    const { session } = this.#run;
    const sink = {
      text() {},
      restart() {},
      step() {},
      notice() {},
      tool: (line: string) => this.#use.progress(`worker: ${line}`),
      waiting: (on: boolean) => {
        if (on) this.#deadline.hold();
        else this.#deadline.release();
        this.#use.asking(on);
      },
    };
    const system = { stable: prompt.worker(), varying: varyingLine(this.#run) };
    return {
      id: this.#id,
      session,
      run: this.#run,
      sink,
      system,
      conversation: () => this.#rows(),
      only: this.#only,
      hidden: true as const,
    };
  }

  #metered(): TurnRunnerDeps {
    const { used } = this.#deps;
    return {
      ...this.#deps,
      used: (run, report) => {
        this.#tokens += (report.usage?.input ?? 0) + (report.usage?.output ?? 0);
        used(run, report);
      },
    };
  }

  #words(): string {
    const { goal, context } = this.#task;
    return context === undefined || context.trim() === '' ? goal : `${goal}\n\nContext:\n${context}`;
  }

  #rows(): readonly MessageRow[] {
    return this.#deps.store.transcript.ofTurn(this.#id);
  }

  #filesOf(rows: readonly MessageRow[]): readonly string[] {
    const tools = new Map(this.#deps.registry.offered(this.#run, this.#only).map((tool) => [tool.name, tool]));
    const done = rows.flatMap((row) => row.calls).filter((call) => call.state === 'done');
    const paths = done.flatMap((call) => {
      const tool = tools.get(call.name);
      const input = tool?.effects === 'write' ? tool.input.safeParse(inputOf(call)) : undefined;
      return input?.success ? (tool?.paths?.(input.data) ?? []).map((use) => use.path) : [];
    });
    return [...new Set(paths)];
  }
}

const OUTCOMES = { replied: 'completed', stopped: 'stopped', parked: 'stopped', failed: 'failed' } as const;

/** What it said; without words, its last three actions. */
function textOf(result: TurnResult, rows: readonly MessageRow[]): string {
  const said =
    result.kind === 'replied' || result.kind === 'failed'
      ? result.text
      : result.kind === 'stopped'
        ? result.partial
        : '';
  if (said !== '' && result.kind === 'replied') return said;
  const actions = rows
    .flatMap((row) => row.calls)
    .slice(-3)
    .map((call) => `- ${callLine(call.name, inputOf(call))}: ${call.state}`);
  return [said, ...(actions.length === 0 ? [] : ['Its last actions:', ...actions])]
    .filter((line) => line !== '')
    .join('\n');
}

function inputOf(call: CallRow): unknown {
  const read = readArguments(call.raw);
  return read.ok ? read.value : {};
}
