import { Conversations } from '../../src/agent/conversations.ts';
import { Prompt } from '../../src/agent/prompt.ts';
import { ToolRegistry } from '../../src/agent/tool-registry.ts';
import type { TurnLimits, TurnResult, TurnSink } from '../../src/agent/turn-port.ts';
import { createTurnRunner } from '../../src/agent/turn-runner.ts';
import { Workers } from '../../src/agent/workers.ts';
import type { Gate } from '../../src/approvals/gate.ts';
import type { GateCall, Passage } from '../../src/approvals/gate-deps.ts';
import { withRun } from '../../src/context/run-context.ts';
import type { CallId } from '../../src/contract/ids.ts';
import type {
  AttemptReport,
  ModelChoice,
  ModelRequest,
  StepEvent,
  TurnModel,
  Usage,
} from '../../src/contract/model.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { openStore } from '../../src/store/store.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { chatAddress, chatRun, person } from '../fakes/runs.ts';
import { quietLog } from './quiet-log.ts';

/** What the model does at one step: events, or a function that makes them from what it was sent. */
export type ScriptedStep =
  | readonly StepEvent[]
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<StepEvent>);

export const say = (text: string): StepEvent[] => [{ type: 'text', delta: text }, done('stop')];
export const done = (reason: 'stop' | 'calls' | 'length' | 'filtered'): StepEvent => ({
  type: 'done',
  reason,
  usage: null,
});
export const call = (name: string, input: unknown, id = 'p1'): StepEvent => ({
  type: 'call',
  id,
  name,
  raw: typeof input === 'string' ? input : JSON.stringify(input),
});
export const calls = (...made: StepEvent[]): StepEvent[] => [...made, done('calls')];

/** Plays its steps once each and keeps every request. */
export class ScriptedModel implements TurnModel {
  readonly choice: ModelChoice = { provider: 'test', model: 'm1' };
  remark: string | undefined;
  /** What each step reports. */
  usage: Usage | null = null;
  readonly requests: ModelRequest[] = [];
  readonly #steps: ScriptedStep[];

  constructor(steps: readonly ScriptedStep[]) {
    this.#steps = [...steps];
  }

  say(failure: { kind: string }): string {
    return `The model failed: ${failure.kind}.`;
  }

  async *step(
    build: (choice: ModelChoice) => ModelRequest,
    signal: AbortSignal,
    report: (attempt: AttemptReport) => void,
  ): AsyncIterable<StepEvent> {
    const request = build(this.choice);
    report({
      choice: this.choice,
      attempt: 1,
      reason: 'stop',
      usage: this.usage,
      firstOutputMs: 1,
      totalMs: 1,
      outputChars: 1,
    });
    this.requests.push(request);
    const step = this.#steps.shift();
    if (!step) throw new Error('the script has no more steps');
    yield* typeof step === 'function' ? step(request, signal) : step;
  }

  get left(): number {
    return this.#steps.length;
  }
}

export class RecordingSink implements TurnSink {
  readonly events: string[] = [];
  text = (delta: string) => void this.events.push(`text ${delta}`);
  restart = () => void this.events.push('restart');
  step = () => {};
  tool = (line: string) => void this.events.push(`tool ${line}`);
  notice = (line: string) => void this.events.push(`notice ${line}`);
  waiting = (on: boolean) => void this.events.push(`waiting ${on}`);
}

/** A call as the registry asks about it: always in a run. */
export type AskedCall = GateCall & { readonly run: RunContext };

/** Lets everything pass unless a test says otherwise. */
export class OpenGate implements Pick<Gate, 'pass' | 'ended'> {
  readonly calls: AskedCall[] = [];
  readonly over: {
    readonly call: CallId;
    readonly run: RunContext;
    readonly state: string;
    readonly exit?: number | null;
  }[] = [];
  judge: (call: AskedCall) => Passage | Promise<Passage> = (call) => ({ kind: 'pass', input: call.input });

  async pass(call: GateCall): Promise<Passage> {
    const asked = call as AskedCall;
    this.calls.push(asked);
    return this.judge(asked);
  }

  ended(call: CallId, run: RunContext, outcome: Parameters<Gate['ended']>[2]): void {
    this.over.push({ call, run, ...outcome });
  }
}

export interface FixtureOptions {
  readonly tools?: readonly Tool[];
  readonly steps?: readonly ScriptedStep[];
  readonly limits?: Partial<TurnLimits>;
  readonly words?: string;
  /** The models of workers, one each, in the order they are asked for. */
  readonly workers?: readonly ScriptedModel[];
  readonly timeoutS?: number;
}

/** A session with one turn, ready to run. */
export function turnFixture(options: FixtureOptions = {}) {
  const store = openStore(':memory:');
  const clock = new FakeClock();
  const gate = new OpenGate();
  const boot = store.boots.begin(1, clock.now()).id;
  const address = chatAddress('c1');
  const session = store.sessions.open('telegram:dm:c1', person('ann'), address, true, clock.now());
  const limits = { maxSteps: 50, cronMaxSteps: 30, maxOutputTokens: 1000, resultBytes: 51_200, ...options.limits };
  const { log, lines } = quietLog();
  const redact = (text: string) => text.replaceAll('hunter2', '[secret]');
  const registry = new ToolRegistry({ store, boot, gate, clock, log, redact, resultBytes: () => limits.resultBytes });
  for (const tool of options.tools ?? []) registry.add(tool);
  const model = new ScriptedModel(options.steps ?? []);
  const sink = new RecordingSink();
  const prompt = new Prompt({ home: '/nowhere', workspace: '/nowhere' });
  const waiting = [...(options.workers ?? [])];
  const models = (run: RunContext) => (run.depth === 0 ? model : (waiting.shift() ?? model));
  const conversations = new Conversations({ store, clock, bytes: () => 1e6 });
  const deps = {
    store,
    clock,
    log,
    registry,
    prompt,
    conversations,
    model: models,
    used: () => {},
    redact,
    limits: () => limits,
  };
  const runner = createTurnRunner(deps);
  const workers = new Workers({ ...deps, timeoutS: () => options.timeoutS ?? 900 });

  const begin = (content: string) => {
    const actor = person('ann');
    const turn = store.turns.create({ session: session.id, actor, address, direct: true, replyTo: null }, clock.now());
    store.transcript.append({ session: session.id, turn: turn.id, step: 0, role: 'user', content }, clock.now());
    return turn;
  };
  let turn = begin(options.words ?? 'please');
  const abort = new AbortController();
  const newRun = (signal = abort.signal): RunContext => ({ ...chatRun({ signal }), session: session.id });

  return {
    store,
    clock,
    gate,
    boot,
    session,
    registry,
    model,
    sink,
    runner,
    workers,
    abort,
    log: lines,
    newRun,
    get turn() {
      return turn;
    },
    rows: () => store.transcript.ofTurn(turn.id),
    calls: () => store.transcript.ofTurn(turn.id).flatMap((row) => row.calls),
    run(run = newRun()): Promise<TurnResult> {
      return withRun(run, () => runner.run({ turn, run }, sink));
    },
    /** Ends the turn as the lane does and begins the next one. */
    next(result: TurnResult, words: string) {
      if (result.kind === 'replied' && result.message) store.transcript.append(result.message, clock.now());
      turn = begin(words);
    },
  };
}
