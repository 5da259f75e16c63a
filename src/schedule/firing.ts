import { withRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import { type JobId, newId, type RunId, type SessionId, type TurnId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { Address } from '../contract/message.ts';
import type { CronRun, EndReason } from '../contract/run.ts';
import type { FiringRow } from '../store/firings.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import type { TurnRow } from '../store/turns.ts';
import type { FiringResult } from './firing-end.ts';
import type { FiringPorts, FiringSink, TurnOutcome } from './firing-ports.ts';
import { type Attached, firingPrompt } from './firing-prompt.ts';
import type { JobsConfig } from './jobs-config.ts';
import type { Outputs } from './outputs.ts';
import { scanPrompt } from './prompt-scan.ts';
import { readAnswer } from './silence.ts';
import { spanText } from './time-words.ts';
import { wakesAgent } from './wake-gate.ts';
import { nextRuns } from './when.ts';

export interface FiringDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => JobsConfig;
  readonly ports: FiringPorts;
  readonly outputs: Outputs;
}

/** A firing that has begun, on its way through one run. */
export interface BegunFiring {
  readonly job: JobRow;
  readonly firing: FiringRow;
  readonly session: SessionId;
  readonly deliverTo: readonly Address[];
  readonly direct: boolean;
}

/** Why hermod itself ended a firing. */
export type Cut = 'idle' | 'total' | 'blocked' | 'shutdown' | 'person';

const REASONS: Readonly<Record<Cut, EndReason>> = {
  idle: 'idle',
  total: 'idle',
  blocked: 'stop',
  shutdown: 'shutdown',
  person: 'stop',
};
const MOST_CONTEXT = 16 * 1024;

/** One execution: a run opened from its rows, its limits, and what came of it. Its end is written by whoever started it. */
export class Firing {
  readonly begun: BegunFiring;
  readonly run: CronRun;
  readonly #deps: FiringDeps;
  readonly #abort = new AbortController();
  readonly #turn: TurnId = newId<TurnId>();
  #cut: Cut | undefined;
  #cancelIdle: () => void = () => {};
  #waits = 0;
  #usage = { model: undefined as string | undefined, tokens: 0, modelCalls: 0 };

  constructor(begun: BegunFiring, deps: FiringDeps) {
    this.begun = begun;
    this.#deps = deps;
    const { job, firing, session, deliverTo } = begun;
    const runId = newId<RunId>();
    this.run = {
      ...{ kind: 'cron', runId, rootId: runId, session, depth: 0, signal: this.#abort.signal },
      ...{ jobId: job.id, firingId: firing.id, owner: job.owner, deliverTo, trigger: firing.trigger },
      approvalMode: job.approvalMode ?? undefined,
    };
  }

  /** Ends it before its time. The first cause counts. */
  cut(why: Cut): void {
    this.#cut ??= why;
    this.#abort.abort(REASONS[this.#cut]);
  }

  /** A model was asked for it. */
  used(model: string, tokens: number): void {
    this.#usage = { model, tokens: this.#usage.tokens + tokens, modelCalls: this.#usage.modelCalls + 1 };
    this.#alive();
  }

  /** Call outside any run. Never rejects. */
  async execute(): Promise<FiringResult> {
    const { clock, config, log } = this.#deps;
    const cancelTotal = clock.after(config().total_timeout_s * 1000, () => this.cut('total'));
    this.#alive();
    try {
      const result = await withRun(this.run, () => this.#work());
      return { ...result, ...this.#usage, turn: this.#turn };
    } catch (error) {
      log.error({ firing: this.begun.firing.id, error: String(error) }, 'a firing broke; this is a bug in hermod');
      const detail = 'Something broke inside hermod; its log says what';
      return { ...failure('internal', detail), ...this.#usage, turn: this.#turn };
    } finally {
      cancelTotal();
      this.#cancelIdle();
    }
  }

  async #work(): Promise<FiringResult> {
    const { job } = this.begun;
    const missing = this.#deps.ports.missing(job, this.run);
    if (missing !== undefined) return failure('blocked_config', missing);
    const script = job.script === null ? undefined : await this.#deps.ports.script(job, this.run);
    if (script?.kind === 'killed') return this.#wasCut();
    if (script?.kind === 'changed') return { ...failure('script_changed', script.why), changedScript: script.sha256 };
    if (script?.kind === 'missing') return failure('blocked_config', script.why);
    if (script && script.code !== 0) return failure('script', `the script ended with exit code ${script.code}`);
    const output = script?.output ?? '';
    if (!job.agent) return this.#answered(output.trim() === '' ? '[SILENT]' : output, undefined);
    if (script && !wakesAgent(output)) return { state: 'skipped', reason: 'gate', say: '' };
    return this.#asked(script ? [{ title: 'Output of the script of this job', text: output }] : []);
  }

  async #asked(ofScript: readonly Attached[]): Promise<FiringResult> {
    const { store, clock, ports } = this.#deps;
    const { job, firing, session } = this.begun;
    const now = clock.now();
    const found = scanPrompt([job.prompt, firing.extra ?? ''].join('\n\n'));
    if (found) return failure('prompt_scan', `its prompt is not run: ${found.why} (${found.rule})`);
    const attached = [...this.#context(now), ...ofScript];
    const content = firingPrompt(job, firing, { now, attached });
    store.tx(() => store.transcript.append({ session, turn: this.#turn, step: 0, role: 'user', content }, now));
    const outcome = await ports.turn({ turn: this.#turnRow(now), run: this.run }, this.#sink());
    return this.#read(outcome);
  }

  /** Outputs of other jobs, and its own last one, as data. */
  #context(now: number): readonly Attached[] {
    const { job } = this.begun;
    const others = job.contextFrom.map((id) => ({ id, title: `Output of job ${id.slice(0, 4)}` }));
    const own = job.continuity ? [{ id: job.id, title: 'What this job said last' }] : [];
    return [...others, ...own].flatMap(({ id, title }) => {
      const last = this.#deps.store.firings.lastOk(id);
      const text = last?.outputPath ? this.#deps.outputs.read(last.outputPath) : undefined;
      if (!last || text === undefined) return [];
      const old = now - (last.endedAt ?? now);
      const stale = old > this.#periodOf(id, now) ? ', stale: older than one period of its job' : '';
      return [
        {
          title: `${title}, firing ${last.id.slice(0, 8)}, ${spanText(old)} old${stale}`,
          text: text.slice(-MOST_CONTEXT).toWellFormed(),
        },
      ];
    });
  }

  /** From one run of a job to the next, now; endless for one that has no such thing. */
  #periodOf(id: JobId, now: number): number {
    const schedule = this.#deps.store.jobs.get(id)?.schedule;
    if (!schedule || schedule.kind === 'after') return Number.POSITIVE_INFINITY;
    const [first, second] = nextRuns(schedule, now, 2);
    return first === undefined || second === undefined ? Number.POSITIVE_INFINITY : second - first;
  }

  #read(outcome: TurnOutcome): FiringResult {
    switch (outcome.kind) {
      case 'replied':
        if (this.#deps.ports.blocked(this.run)) return { ...blocked(), message: outcome.message };
        return this.#answered(outcome.text, outcome.message);
      case 'parked':
      case 'stopped':
        return this.#wasCut();
      case 'failed':
        return modelFailed(outcome, this.#usage.model);
    }
  }

  #answered(text: string, message: FiringResult['message']): FiringResult {
    const answer = readAnswer(text);
    if (answer.kind === 'empty') return { ...failure('empty', 'it gave no answer'), message };
    const { job, firing } = this.begun;
    const kept = this.#deps.outputs.keep(job.id, firing.id, answer.kind === 'say' ? answer.text : text);
    const output = kept ? { outputPath: kept.path, outputSha256: kept.sha256 } : {};
    if (answer.kind === 'silent') return { state: 'ok', silent: true, say: '', message, ...output };
    return { state: 'ok', say: answer.text, message, ...output };
  }

  /** Nothing of it is said; why it ended is. */
  #wasCut(): FiringResult {
    const { idle_timeout_s, total_timeout_s } = this.#deps.config();
    switch (this.#cut) {
      case 'idle':
        return { state: 'timeout', reason: 'idle', detail: `nothing happened for ${idle_timeout_s} s`, say: '' };
      case 'total':
        return { state: 'timeout', reason: 'total', detail: `it took longer than ${total_timeout_s} s`, say: '' };
      case 'blocked':
        return blocked();
      case 'person':
        return { state: 'cancelled', reason: 'person', say: '' };
      case 'shutdown':
      case undefined:
        return { state: 'cancelled', reason: 'shutdown', say: '' };
    }
  }

  #sink(): FiringSink {
    return {
      text: () => this.#alive(),
      restart: () => this.#alive(),
      step: () => this.#alive(),
      tool: () => this.#alive(),
      notice: () => {},
      waiting: (on) => {
        this.#waits = Math.max(0, this.#waits + (on ? 1 : -1));
        this.#alive();
      },
    };
  }

  /** Something happened. A person who is asked is waited for, not counted as idle. */
  #alive(): void {
    const { clock, config, ports } = this.#deps;
    this.#cancelIdle();
    if (ports.blocked(this.run)) this.cut('blocked');
    if (this.#abort.signal.aborted || this.#waits > 0) return;
    this.#cancelIdle = clock.after(config().idle_timeout_s * 1000, () => this.cut('idle'));
  }

  /** What the agent must know of the conversation; no row of it is stored: nobody resumes a firing. */
  #turnRow(now: number): TurnRow {
    const { job, session, deliverTo, direct } = this.begun;
    return {
      ...{ id: this.#turn, session, actor: job.owner, address: deliverTo[0] ?? job.origin, direct, replyTo: null },
      ...{ state: 'running', rule: null, interruptedAt: null, createdAt: now, endedAt: null },
    } as TurnRow;
  }
}

function failure(reason: string, detail: string): FiringResult {
  return { state: 'error', reason, detail, say: '' };
}

function blocked(): FiringResult {
  return failure('blocked', 'it asked for what scheduled jobs may not run');
}

function modelFailed(
  { failure: { kind }, text }: Extract<TurnOutcome, { kind: 'failed' }>,
  model: string | undefined,
): FiringResult {
  const said = failure(`model_${kind}`, text.split('\n')[0] ?? text);
  return kind === 'auth' || kind === 'quota' ? { ...said, hold: model?.split(':')[0] ?? 'the model provider' } : said;
}
