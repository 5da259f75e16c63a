import type { CallId, SessionId, TurnId } from '../contract/ids.ts';
import type { ChatMessage, ModelChoice, ModelRequest, StepEvent, TurnModel } from '../contract/model.ts';
import type { RunContext } from '../contract/run.ts';
import type { MessageRow, NewMessage } from '../store/transcript.ts';
import { callLine } from './call-line.ts';
import { messageView } from './message-view.ts';
import { type Admission, NOT_RUN } from './tool-registry.ts';
import type { TurnInput, TurnRunnerDeps, TurnSink } from './turn-port.ts';
import type { Admitted, CallOrder, Parked, Recording, TurnWorld } from './turn-world.ts';

/** One turn to run: a conversation's, or a delegated worker's. */
export interface TurnOrder {
  readonly id: TurnId;
  readonly session: SessionId;
  readonly run: RunContext;
  readonly sink: TurnSink;
  readonly system: ModelRequest['system'];
  /** All rows the model sees, this turn's included. */
  readonly conversation: () => readonly MessageRow[];
  readonly input?: TurnInput;
  /** Tools it may use; absent: all that are offered to the run. */
  readonly only?: readonly string[];
  /** A worker's rows are no part of the session's conversation. */
  readonly hidden?: true;
}

const STEERED = 'skipped: the person wrote meanwhile';
const CONTINUE = '[from hermod] Your text was cut off. Go on exactly where it ends; repeat nothing.';

/** A turn's world in this process: the transcript, the registry, the model and the person who looks on. Call it inside the run. */
export class StoreWorld implements TurnWorld {
  readonly readers: readonly string[];
  readonly #order: TurnOrder;
  readonly #deps: TurnRunnerDeps;
  readonly #model: TurnModel;
  #askers = 0;
  readonly #ready = new Map<CallId, Extract<Admission, { kind: 'ready' }>>();

  constructor(order: TurnOrder, model: TurnModel, deps: TurnRunnerDeps) {
    this.#order = order;
    this.#deps = deps;
    this.#model = model;
    const tools = deps.registry.offered(order.run, order.only);
    this.readers = tools.filter((tool) => tool.effects === 'read').map((tool) => tool.name);
  }

  async rows(): Promise<readonly MessageRow[]> {
    return this.#deps.store.transcript.ofTurn(this.#order.id);
  }

  async *ask(tools: 'auto' | 'none', said: string): AsyncIterable<StepEvent> {
    const { run, input } = this.#order;
    if (said === '') input?.take();
    const build = (choice: ModelChoice) => this.#request(choice, tools, said);
    for (let again = true; again; ) {
      const anew = new AbortController();
      const deaf = input?.changed(() => anew.abort());
      const signal = AbortSignal.any([run.signal, anew.signal]);
      for await (const event of this.#model.step(build, signal, (report) => this.#deps.used(run, report))) {
        if (anew.signal.aborted && !run.signal.aborted) break;
        this.#show(event, said);
        yield event;
      }
      deaf?.();
      again = anew.signal.aborted && !run.signal.aborted;
      if (again) yield { type: 'restart' };
    }
  }

  async record({ text, keep, calls }: Recording): Promise<void> {
    const { store, clock } = this.#deps;
    store.tx(() => {
      const message = this.message(text, keep);
      const row = store.transcript.append({ ...message, calls: calls.map(({ end: _, ...call }) => call) }, clock.now());
      for (const { id, position } of row.calls) {
        const end = calls[position]?.end;
        if (end) store.transcript.finish(id, end.state, end.text, clock.now());
      }
    });
    this.#order.sink.step();
  }

  async admit(order: CallOrder): Promise<Admitted> {
    const { id, run, only, sink, hidden } = this.#order;
    const { tool, input, bytes, note } = order;
    // What a person was asked about is theirs to decide: a yes given while hermod was down still runs it.
    if (this.#order.input?.waits() && !this.#wasAsked(order.call)) {
      await this.skip(order, STEERED);
      return 'ended';
    }
    const admission = await this.#deps.registry.admit({
      call: order.call,
      turn: hidden ? null : id,
      tool,
      input,
      run,
      recorded: true,
      asking: (waiting) => this.#asking(waiting),
      progress: (line) => sink.tool(this.#deps.redact(line)),
      bytes,
      ...(only ? { only } : {}),
      ...(note === undefined ? {} : { note }),
    });
    if (admission.kind === 'parked') return { parked: admission.approval };
    if (admission.kind === 'ready') {
      this.#ready.set(order.call, admission);
      this.#showCall(order);
    }
    return admission.kind;
  }

  async run(call: CallId): Promise<Parked | undefined> {
    const admission = this.#ready.get(call);
    this.#ready.delete(call);
    const outcome = await admission?.run();
    return outcome && 'parked' in outcome ? outcome : undefined;
  }

  async skip(order: CallOrder, text: string): Promise<void> {
    const whole = order.note === undefined ? text : `${text}\n\n${order.note}`;
    this.#deps.store.transcript.finish(order.call, 'skipped', whole, this.#deps.clock.now());
  }

  async settle(partial: string): Promise<void> {
    const { store, clock } = this.#deps;
    store.tx(() => {
      store.transcript.skipOpen(this.#order.id, NOT_RUN, clock.now());
      if (partial !== '') store.transcript.append({ ...this.message(partial), mark: 'partial' }, clock.now());
    });
  }

  /** The next message of the assistant, not yet written. */
  message(content: string, keep?: unknown): NewMessage {
    const { id: turn, session, hidden } = this.#order;
    const step = this.#deps.store.transcript.ofTurn(turn).filter((row) => row.role === 'assistant').length + 1;
    const message = { session, turn, step, role: 'assistant' as const, content, model: label(this.#model.choice) };
    return { ...message, ...(keep === undefined ? {} : { keep }), ...(hidden ? { hidden } : {}) };
  }

  #wasAsked(call: CallId): boolean {
    return this.#deps.store.transcript.call(call)?.state === 'asked';
  }

  #request(choice: ModelChoice, toolChoice: 'auto' | 'none', said: string): ModelRequest {
    const { id: turn, session, run, only, system, conversation } = this.#order;
    const { maxOutputTokens, reasoning } = this.#deps.limits(session);
    const messages = messageView(conversation(), { turn, model: label(choice) });
    const tools = this.#deps.registry.offered(run, only);
    return {
      model: choice.model,
      system,
      messages: said === '' ? messages : [...messages, ...continuation(said)],
      tools: tools.map(({ name, description, input }) => ({ name, description, input })),
      toolChoice,
      maxOutputTokens,
      session,
      ...(run.kind === 'cron' || run.kind === 'unattended' ? { patient: true } : {}),
      ...(reasoning === undefined ? {} : { reasoning }),
    };
  }

  #show(event: StepEvent, said: string): void {
    const { sink } = this.#order;
    if (event.type === 'text') sink.text(event.delta);
    else if (event.type === 'waiting') sink.notice('Waiting for the model.');
    else if (event.type === 'restart') {
      sink.restart();
      if (said !== '') sink.text(said);
    }
  }

  /** Several calls may wait at once; the turn goes on when the last of them does. */
  #asking(waiting: boolean): void {
    const before = this.#askers;
    this.#askers = Math.max(0, before + (waiting ? 1 : -1));
    if ((before === 0) !== (this.#askers === 0)) this.#order.sink.waiting(waiting);
  }

  #showCall({ tool, input }: CallOrder): void {
    this.#order.sink.tool(this.#deps.redact(callLine(tool, input)));
  }
}

function label(choice: ModelChoice): string {
  return `${choice.provider}:${choice.model}`;
}

function continuation(said: string): readonly ChatMessage[] {
  return [
    { role: 'assistant', content: said, calls: [] },
    { role: 'user', content: CONTINUE },
  ];
}
