import type { Gate } from '../approvals/gate.ts';
import type { Passage } from '../approvals/gate-deps.ts';
import { currentRun, isLive } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import { HermodError } from '../contract/errors.ts';
import type { ApprovalId, BootId, CallId, SessionId, TurnId } from '../contract/ids.ts';
import type { Log } from '../contract/log.ts';
import type { EndReason, RunContext } from '../contract/run.ts';
import type { Tool, ToolResult } from '../contract/tool.ts';
import type { Store } from '../store/store.ts';
import type { CallEnd } from '../store/transcript.ts';
import { describeIssues, describeUnknown } from './input-errors.ts';
import { capResult } from './result-cap.ts';
import { Taint } from './taint.ts';
import type { Parked } from './turn-world.ts';

/** A call somebody wants to make: a model's (it has a row) or a script's (it has only an id). */
export interface CallRequest {
  readonly call: CallId;
  readonly turn: TurnId | null;
  readonly tool: string;
  readonly input: unknown;
  readonly run: RunContext;
  /** The call has a row; its states and its result are kept there. */
  readonly recorded: boolean;
  /** Told when a person is being waited for (true) and when that is over (false). */
  readonly asking: (waiting: boolean) => void;
  readonly progress: (line: string) => void;
  /** Names this caller may use; absent: whatever is offered to the run. */
  readonly only?: readonly string[];
  /** Ends this call before its run ends. */
  readonly signal?: AbortSignal;
  /** Most bytes of the result; absent: the configured size. */
  readonly bytes?: number;
  /** A line of hermod's after the result. */
  readonly note?: string;
}

export interface CallOutcome {
  readonly state: CallEnd;
  /** What the model reads. */
  readonly text: string;
  readonly untrusted?: string;
  readonly exit?: number | null;
}

/** What the checks and the gate said. `ready`: the call has begun, `run` must follow at once; an atomic one may park there too. */
export type Admission =
  | { readonly kind: 'ready'; run(): Promise<CallOutcome | Parked> }
  | { readonly kind: 'ended'; readonly outcome: CallOutcome }
  /** The process ends while a person is asked; the row waits. */
  | { readonly kind: 'parked'; readonly approval: ApprovalId }
  /** The run ended before the call began; its row is as it was. */
  | { readonly kind: 'stopped' };

export interface RegistryDeps {
  readonly store: Pick<Store, 'transcript' | 'tx'>;
  readonly boot: BootId;
  readonly gate: Pick<Gate, 'pass' | 'ended'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes secrets out of what a tool said. */
  readonly redact: (text: string) => string;
  /** `agent.result_bytes`. */
  readonly resultBytes: () => number;
  /** What a run may use at most, whatever tools offer themselves; absent: all of it. */
  readonly allows?: (run: RunContext, tool: string) => boolean;
  /** Keeps a result that is too long; answers with the name `read_file` knows it by, or undefined where it could not be kept. */
  readonly spill?: (session: SessionId, call: CallId, text: string) => string | undefined;
}

/** A tool that ignores its signal is left behind after this long; the stop itself has 100 ms. */
const ABORT_GRACE_MS = 80;

export const INTERRUPTED = 'interrupted; outcome unknown, check before repeating';
export const NOT_RUN = 'not run';

/** All tools, and the only road to their `run`. */
export class ToolRegistry {
  readonly #deps: RegistryDeps;
  readonly #tools = new Map<string, Tool>();
  /** Which runs have read untrusted results. */
  readonly taint: Taint;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    this.taint = new Taint(deps.store.transcript);
  }

  add(tool: Tool): void {
    if (this.#tools.has(tool.name))
      throw new HermodError('operator', `Two tools are called "${tool.name}". Rename or remove one.`);
    this.#tools.set(tool.name, tool);
  }

  /** What this run may call, by name. */
  offered(run: RunContext, only?: readonly string[]): readonly Tool[] {
    const { allows = () => true } = this.#deps;
    const tools = [...this.#tools.values()].filter((tool) => (tool.offered?.(run) ?? true) && allows(run, tool.name));
    return tools.filter((tool) => only?.includes(tool.name) ?? true).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Admits a call and runs it. A call that was parked or never began ends as skipped. Never rejects. */
  async call(request: CallRequest): Promise<CallOutcome> {
    const admission = await this.admit(request);
    if (admission.kind === 'ended') return admission.outcome;
    const outcome = admission.kind === 'ready' ? await admission.run() : undefined;
    return outcome && 'state' in outcome ? outcome : { state: 'skipped', text: NOT_RUN };
  }

  /**
   * Checks a call, asks the gate and writes down that it begins. Must be awaited in the run that makes the call. A refusal is
   * stored as the call's result before this resolves. Never rejects.
   */
  async admit(request: CallRequest): Promise<Admission> {
    const { run } = request;
    const stray = this.#stray(run);
    if (stray !== undefined) return this.#ended(request, { state: 'refused', text: stray });
    const tool = this.offered(run, request.only).find(({ name }) => name === request.tool);
    if (!tool)
      return this.#ended(request, {
        state: 'failed',
        text: describeUnknown(request.tool, this.offered(run, request.only)),
      });
    const input = tool.input.safeParse(request.input);
    if (!input.success) return this.#ended(request, { state: 'failed', text: describeIssues(tool, input.error) });
    try {
      return this.#passed(request, tool, await this.#ask(request, tool, input.data));
    } catch (error) {
      return this.#ended(request, { state: 'refused', text: this.#ourFault(request, error, 'the gate broke') });
    }
  }

  #ask(request: CallRequest, tool: Tool, input: unknown): Promise<Passage> {
    const { call, turn, run, asking } = request;
    return this.#deps.gate.pass({ call, turn, tool, input, run, asking });
  }

  #passed(request: CallRequest, tool: Tool, passage: Passage): Admission {
    if (passage.kind === 'parked') return passage;
    if (passage.kind === 'refused') return this.#ended(request, { state: 'refused', text: passage.text });
    const signal = signalOf(request);
    if (signal.aborted) {
      this.#deps.gate.ended(request.call, request.run, { state: 'skipped' });
      return { kind: 'stopped' };
    }
    if (!this.#begin(request, tool)) {
      this.#deps.gate.ended(request.call, request.run, { state: 'skipped' });
      return { kind: 'ended', outcome: { state: 'skipped', text: `${NOT_RUN}: the call was already settled` } };
    }
    return { kind: 'ready', run: () => this.#run(request, tool, passage.input, signal) };
  }

  #begin(request: CallRequest, tool: Tool): boolean {
    const { store, boot, clock } = this.#deps;
    if (!request.recorded || tool.atomic) return true;
    return store.transcript.begin(request.call, boot, clock.now());
  }

  async #run(request: CallRequest, tool: Tool, input: unknown, signal: AbortSignal): Promise<CallOutcome | Parked> {
    const outcome = await this.#performed(request, tool, input, signal);
    if ('parked' in outcome) return outcome;
    const { state, untrusted, exit } = outcome;
    if (untrusted !== undefined) this.taint.add(request.run, untrusted);
    this.#deps.gate.ended(request.call, request.run, { state, ...(exit === undefined ? {} : { exit }) });
    return outcome;
  }

  async #performed(
    request: CallRequest,
    tool: Tool,
    input: unknown,
    signal: AbortSignal,
  ): Promise<CallOutcome | Parked> {
    const work = this.#work(request, tool, input, signal);
    const result = await this.#orAbandoned(work, signal);
    if (result === undefined || (signal.aborted && !tool.atomic)) {
      const text = [afterAbort(signal), result?.text].filter(Boolean).join('\n');
      const { untrusted } = result ?? {};
      return this.#finish(request, { state: 'unknown', text, ...(untrusted === undefined ? {} : { untrusted }) }, tool);
    }
    if (tool.atomic && result.parked !== undefined) return { parked: result.parked };
    return this.#settled(request, tool, result);
  }

  /** What an atomic tool could not write was not done. */
  #settled(request: CallRequest, tool: Tool, { text, isError, untrusted, exit, commit }: ToolResult): CallOutcome {
    const state = isError ? 'failed' : 'done';
    const outcome: CallOutcome = {
      ...{ state, text },
      ...(untrusted === undefined ? {} : { untrusted }),
      ...(exit === undefined ? {} : { exit }),
    };
    try {
      return this.#finish(request, outcome, tool, commit);
    } catch (error) {
      if (!commit) throw error;
      return this.#finish(
        request,
        { state: 'failed', text: this.#ourFault(request, error, 'a tool could not write') },
        tool,
      );
    }
  }

  /** The tool's own work; what it throws is its result. */
  async #work(request: CallRequest, tool: Tool, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const { run, call, progress, asking } = request;
    try {
      return await tool.run(input, { run, call, signal, log: this.#deps.log, progress, asking });
    } catch (error) {
      if (error instanceof HermodError && error.fault !== 'us') return { text: error.message, isError: true };
      if (signal.aborted) return { text: '', isError: true };
      return { text: this.#ourFault(request, error, `the tool ${tool.name} threw`), isError: true };
    }
  }

  /** The result, or undefined when the signal aborted and the tool did not come back in time. */
  #orAbandoned(work: Promise<ToolResult>, signal: AbortSignal): Promise<ToolResult | undefined> {
    return new Promise((resolve) => {
      let cancel = () => {};
      const abandon = () => {
        cancel = this.#deps.clock.after(ABORT_GRACE_MS, () => resolve(undefined));
      };
      if (signal.aborted) abandon();
      else signal.addEventListener('abort', abandon, { once: true });
      void work.then((result) => {
        cancel();
        signal.removeEventListener('abort', abandon);
        resolve(result);
      });
    });
  }

  /** Redacts, cuts to size and stores. The stored text is what the model reads. */
  #finish(request: CallRequest, outcome: CallOutcome, tool: Tool | undefined, commit?: () => void): CallOutcome {
    const { store, clock } = this.#deps;
    const text = [this.#fitted(request, this.#deps.redact(outcome.text), tool), request.note]
      .filter(Boolean)
      .join('\n\n');
    const said = text === '' ? '(no output)' : text;
    store.tx(() => {
      commit?.();
      if (request.recorded) store.transcript.finish(request.call, outcome.state, said, clock.now(), outcome.untrusted);
    });
    return { ...outcome, text: said };
  }

  #fitted(request: CallRequest, text: string, tool: Tool | undefined): string {
    const bytes = Math.min(request.bytes ?? Number.POSITIVE_INFINITY, this.#deps.resultBytes());
    if (Buffer.byteLength(text) <= bytes) return text.toWellFormed();
    const where = tool?.effects === 'read' ? undefined : this.#deps.spill?.(request.run.session, request.call, text);
    return capResult(text, bytes, tool?.command ? 'both' : 'head', where);
  }

  #ended(request: CallRequest, outcome: CallOutcome): Admission {
    return { kind: 'ended', outcome: this.#finish(request, outcome, undefined) };
  }

  /** Why a call may not be made in this run at all. */
  #stray(run: RunContext): string | undefined {
    if (currentRun() !== run) {
      const here = currentRun();
      this.#deps.log.error(
        { rule: 'context_mismatch', run: run.runId, current: here?.runId },
        'a call was made outside its run; this is a bug in hermod',
      );
      return 'Refused: this call belongs to another run (context_mismatch).';
    }
    return isLive(run) ? undefined : 'Refused: the run this call belongs to has ended (run_ended).';
  }

  #ourFault(request: CallRequest, error: unknown, sentence: string): string {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#deps.log.error({ run: request.run.runId, call: request.call, tool: request.tool, error: detail }, sentence);
    return `${request.tool} failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function signalOf(request: CallRequest): AbortSignal {
  return request.signal ? AbortSignal.any([request.run.signal, request.signal]) : request.run.signal;
}

function afterAbort(signal: AbortSignal): string {
  switch (signal.reason as EndReason) {
    case 'shutdown':
      return INTERRUPTED;
    case 'stop':
    case 'reset':
    case 'interrupt':
      return 'stopped by the person; it may have had effects';
    default:
      return 'stopped; it may have had effects';
  }
}
