import type { SessionId, TurnId } from '../contract/ids.ts';
import type { ModelChoice, ModelRequest, TurnModel } from '../contract/model.ts';
import type { EndReason, RunContext } from '../contract/run.ts';
import type { CallRow, MessageRow, NewMessage } from '../store/transcript.ts';
import { callLine } from './call-line.ts';
import { isAnswer, messageView } from './message-view.ts';
import { type Draft, type ModelAnswer, readAnswer } from './model-answer.ts';
import { canonicalJson, readArguments } from './repair.ts';
import { CUT_AGAIN, CUT_CALL, judgeRepetition, type PastCall, toolsAreOff } from './repetition.ts';
import { budgetClosing, budgetNote, resultShare } from './step-budget.ts';
import { type Admission, NOT_RUN } from './tool-registry.ts';
import type { TurnResult, TurnRunnerDeps, TurnSink } from './turn-runner.ts';

/** One turn to run: a conversation's, or a delegated worker's. */
export interface TurnOrder {
  readonly id: TurnId;
  readonly session: SessionId;
  readonly run: RunContext;
  readonly sink: TurnSink;
  readonly system: ModelRequest['system'];
  /** All rows the model sees, this turn's included. */
  readonly conversation: () => readonly MessageRow[];
  readonly maxSteps: number;
  /** Tools it may use; absent: all that are offered to the run. */
  readonly only?: readonly string[];
  /** A worker's rows are no part of the session's conversation. */
  readonly hidden?: true;
}

const MAX_CALLS = 32;
const MAX_OVERLAP = 8;
const MAX_CONTINUATIONS = 2;
const CUT_TEXT = "(cut at the model's output limit)";
const TOO_MANY = `${NOT_RUN}: at most ${MAX_CALLS} calls a step`;

/** A turn in progress. Its state is the transcript: what is kept here could be lost at any moment. */
export class Turn {
  readonly #order: TurnOrder;
  readonly #deps: TurnRunnerDeps;
  readonly #model: TurnModel;

  constructor(order: TurnOrder, deps: TurnRunnerDeps) {
    this.#order = order;
    this.#deps = deps;
    this.#model = deps.model(order.run);
  }

  async run(): Promise<TurnResult> {
    const finished = this.#prepare();
    if (finished) return finished;
    for (;;) {
      const cutShort = await this.#execute();
      if (cutShort) return this.#settle(cutShort);
      const answer = await this.#ask();
      if (answer.kind !== 'calls') return this.#settle(this.#end(answer));
      this.#record(answer);
    }
  }

  /** A turn whose answer is written already has nothing left to do. */
  #prepare(): TurnResult | undefined {
    const last = this.#rows().at(-1);
    if (!last || !isAnswer(last)) return undefined;
    if (last.mark === 'partial') return { kind: 'stopped', by: 'stop', partial: last.content };
    return { kind: 'replied', text: last.content, message: undefined };
  }

  /** Runs what the last message calls and has no result yet: in order, neighbouring reads side by side. */
  async #execute(): Promise<TurnResult | undefined> {
    const message = this.#rows().at(-1);
    const overlapping = new Set<Promise<unknown>>();
    for (const call of message?.calls.filter(isOpen) ?? []) {
      if (this.#signal.aborted) break;
      const reads = this.#reads(call);
      if (!reads || overlapping.size >= MAX_OVERLAP) await Promise.all(overlapping);
      const admission = await this.#admit(call, message as MessageRow);
      if (admission?.kind === 'parked') return admission;
      if (admission?.kind !== 'ready') continue;
      const work: Promise<unknown> = admission.run().finally(() => overlapping.delete(work));
      overlapping.add(work);
      if (!reads) await work;
    }
    await Promise.all(overlapping);
    return this.#signal.aborted ? this.#stopped('') : undefined;
  }

  /** Undefined: the guard ended the call. */
  async #admit(call: CallRow, message: MessageRow): Promise<Admission | undefined> {
    const input = argumentsOf(call);
    const verdict = judgeRepetition(this.#past(call), keyOf(call));
    const note = this.#note(call.position === message.calls.length - 1);
    this.#order.sink.tool(this.#deps.redact(callLine(call.name, input)));
    if (verdict !== 'run') return this.#skip(call, verdict, note);
    const { id, run, only, sink, hidden } = this.#order;
    return this.#deps.registry.admit({
      call: call.id,
      turn: hidden ? null : id,
      tool: call.name,
      input,
      run,
      recorded: true,
      asking: (waiting) => sink.waiting(waiting),
      progress: (line) => sink.tool(this.#deps.redact(line)),
      bytes: resultShare(this.#deps.limits().resultBytes, message.calls.length),
      ...(only ? { only } : {}),
      ...(note === undefined ? {} : { note }),
    });
  }

  /** Asks the model for the next message. A text cut by the output limit is continued, and counts as one. */
  async #ask(): Promise<ModelAnswer> {
    const tools = this.#toolsOff() ? 'none' : 'auto';
    let said = '';
    for (let piece = 0; ; piece++) {
      const draft = await this.#step(tools, said);
      const answer = readAnswer(said, draft, this.#signal.aborted);
      if (answer.kind !== 'text' || !answer.cut || piece === MAX_CONTINUATIONS) return answer;
      said = answer.text;
    }
  }

  async #step(tools: 'auto' | 'none', said: string): Promise<Draft> {
    const { run, sink } = this.#order;
    let draft: Draft = { text: '', calls: [], done: undefined, tools };
    const build = (choice: ModelChoice) => this.#request(choice, tools, said);
    for await (const event of this.#model.step(build, this.#signal, (report) => this.#deps.used(run, report))) {
      if (event.type === 'text') {
        draft = { ...draft, text: draft.text + event.delta };
        sink.text(event.delta);
      } else if (event.type === 'call') draft = { ...draft, calls: [...draft.calls, event] };
      else if (event.type === 'done') draft = { ...draft, done: event };
      else if (event.type === 'waiting') sink.notice('Waiting for the model.');
      else if (event.type === 'restart') {
        draft = { ...draft, text: '', calls: [] };
        sink.restart();
        if (said !== '') sink.text(said);
      }
    }
    return draft;
  }

  #request(choice: ModelChoice, toolChoice: 'auto' | 'none', said: string): ModelRequest {
    const { id: turn, session, run, only, system, conversation } = this.#order;
    const { maxOutputTokens, reasoning } = this.#deps.limits();
    const messages = messageView(conversation(), { turn, model: label(choice) });
    const tools = this.#deps.registry
      .offered(run, only)
      .map(({ name, description, input }) => ({ name, description, input }));
    return {
      model: choice.model,
      system,
      messages: said === '' ? messages : [...messages, ...continuation(said)],
      tools,
      toolChoice,
      maxOutputTokens,
      session,
      ...(reasoning === undefined ? {} : { reasoning }),
    };
  }

  /** Before anything of it runs: the message and its calls as planned, what cannot be run already ended. */
  #record(answer: Extract<ModelAnswer, { kind: 'calls' }>): void {
    const { store, clock } = this.#deps;
    const again =
      this.#rows()
        .at(-1)
        ?.calls.some((call) => call.result?.startsWith(CUT_CALL)) ?? false;
    store.tx(() => {
      const calls = answer.calls.map(({ id, name, read, raw }) => ({
        providerId: id,
        name,
        raw: read.ok ? read.text : raw,
      }));
      const row = store.transcript.append(this.#message(answer.text, answer.keep, calls), clock.now());
      for (const [i, call] of row.calls.entries()) {
        const read = answer.calls[i]?.read;
        const note = this.#note(i === row.calls.length - 1);
        if (answer.calls[i]?.cut) this.#skip(call, again ? CUT_AGAIN : CUT_CALL, note);
        else if (i >= MAX_CALLS) this.#skip(call, TOO_MANY, note);
        else if (read?.ok === false) this.#fail(call, `Not run: ${read.why}. Correct it and call again.`, note);
      }
    });
  }

  #end(answer: Exclude<ModelAnswer, { kind: 'calls' }>): TurnResult {
    switch (answer.kind) {
      case 'stopped':
        return this.#stopped(answer.text);
      case 'failed':
        return { kind: 'failed', failure: answer.failure, text: this.#model.say(answer.failure) };
      case 'text': {
        const text = this.#closed(answer.text, answer.cut);
        return { kind: 'replied', text, message: this.#message(text, answer.keep) };
      }
    }
  }

  /** The reply with the lines that say why it ends here. */
  #closed(text: string, cut: boolean): string {
    const { remark } = this.#model;
    const { maxSteps } = this.#order;
    const lines = [
      text.trim(),
      cut ? CUT_TEXT : '',
      this.#steps() >= maxSteps ? budgetClosing(maxSteps) : '',
      remark === undefined ? '' : `(${remark})`,
    ];
    return lines.filter((line) => line !== '').join('\n\n');
  }

  /** Whatever happened, every call is answered; only a turn that goes on later keeps its open ones. */
  #settle(result: TurnResult): TurnResult {
    if (result.kind === 'parked' || (result.kind === 'stopped' && result.by === 'shutdown')) return result;
    const { store, clock } = this.#deps;
    store.tx(() => {
      store.transcript.skipOpen(this.#order.id, NOT_RUN, clock.now());
      if (result.kind !== 'stopped' || result.partial === '') return;
      store.transcript.append({ ...this.#message(result.partial), mark: 'partial' }, clock.now());
    });
    return result;
  }

  #stopped(partial: string): TurnResult {
    return { kind: 'stopped', by: reasonOf(this.#signal), partial };
  }

  #message(content: string, keep?: unknown, calls: NewMessage['calls'] = []): NewMessage {
    const { id: turn, session, hidden } = this.#order;
    const step = this.#rows().filter((row) => row.role === 'assistant').length + 1;
    const message = {
      session,
      turn,
      step,
      role: 'assistant' as const,
      content,
      model: label(this.#model.choice),
      calls,
    };
    return { ...message, ...(keep === undefined ? {} : { keep }), ...(hidden ? { hidden } : {}) };
  }

  #skip(call: CallRow, text: string, note: string | undefined): undefined {
    this.#deps.store.transcript.finish(call.id, 'skipped', withNote(text, note), this.#deps.clock.now());
  }

  #fail(call: CallRow, text: string, note: string | undefined): void {
    this.#deps.store.transcript.finish(call.id, 'failed', withNote(text, note), this.#deps.clock.now());
  }

  get #signal(): AbortSignal {
    return this.#order.run.signal;
  }

  #rows(): readonly MessageRow[] {
    return this.#deps.store.transcript.ofTurn(this.#order.id);
  }

  /** Messages of this turn that called something. */
  #steps(): number {
    return this.#rows().filter((row) => row.calls.length > 0).length;
  }

  #toolsOff(): boolean {
    return this.#steps() >= this.#order.maxSteps || toolsAreOff(this.#past());
  }

  #note(lastOfStep: boolean): string | undefined {
    return lastOfStep ? budgetNote(this.#steps(), this.#order.maxSteps) : undefined;
  }

  /** The turn's calls so far, or those before one of them. */
  #past(before?: CallRow): readonly PastCall[] {
    const calls = this.#rows().flatMap((row) => row.calls);
    const end = before ? calls.findIndex((call) => call.id === before.id) : calls.length;
    return calls
      .slice(0, end)
      .map((call) => ({ tool: call.name, key: keyOf(call), state: call.state, result: call.result }));
  }

  #reads(call: CallRow): boolean {
    const { run, only } = this.#order;
    return this.#deps.registry.offered(run, only).some((tool) => tool.name === call.name && tool.effects === 'read');
  }
}

function isOpen(call: CallRow): boolean {
  return call.state === 'planned' || call.state === 'asked';
}

function argumentsOf(call: CallRow): Readonly<Record<string, unknown>> {
  const read = readArguments(call.raw);
  return read.ok ? read.value : {};
}

function keyOf(call: CallRow): string {
  const read = readArguments(call.raw);
  return `${call.name} ${read.ok ? canonicalJson(read.value) : call.raw}`;
}

function label(choice: ModelChoice): string {
  return `${choice.provider}:${choice.model}`;
}

function withNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${text}\n\n${note}`;
}

function continuation(said: string) {
  return [
    { role: 'assistant', content: said, calls: [] },
    { role: 'user', content: '[from hermod] Your text was cut off. Go on exactly where it ends; repeat nothing.' },
  ] as const;
}

function reasonOf(signal: AbortSignal): EndReason {
  const reason: unknown = signal.reason;
  return reason === 'shutdown' || reason === 'reset' || reason === 'interrupt' || reason === 'idle' ? reason : 'stop';
}
