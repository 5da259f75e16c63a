import { Conversations } from '../../src/agent/conversations.ts';
import { Prompt } from '../../src/agent/prompt.ts';
import { ToolRegistry } from '../../src/agent/tool-registry.ts';
import type { TurnResult } from '../../src/agent/turn-port.ts';
import { createTurnRunner } from '../../src/agent/turn-runner.ts';
import { Workers } from '../../src/agent/workers.ts';
import { withRun } from '../../src/context/run-context.ts';
import { type CallId, newId } from '../../src/contract/ids.ts';
import type { Actor } from '../../src/contract/message.ts';
import type { ChatRun, RunContext } from '../../src/contract/run.ts';
import type { Tool } from '../../src/contract/tool.ts';
import type { CallRow } from '../../src/store/transcript.ts';
import type { TurnRow } from '../../src/store/turns.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { RecordingSink, ScriptedModel, type ScriptedStep } from '../agent/turn-fixture.ts';
import { ANN, ApprovalWorld, type WorldOptions } from './approval-world.ts';
import { chatAddress, chatRun } from './runs.ts';

export interface AgentWorldOptions extends WorldOptions {
  readonly tools?: readonly Tool[];
  /** What the models say: one script for turns in their order, one for each worker in theirs. */
  readonly turns?: readonly (readonly ScriptedStep[])[];
  readonly workers?: readonly (readonly ScriptedStep[])[];
}

/** A turn of a chat that can be run, again too, as after a restart. */
export interface AgentTurn {
  readonly row: TurnRow;
  readonly run: ChatRun;
  readonly stop: AbortController;
  readonly sink: RecordingSink;
}

/** The whole agent over a real gate, broker and store; only models are scripted and the detector is a toy. */
export class AgentWorld {
  readonly approvals: ApprovalWorld;
  readonly registry: ToolRegistry;
  readonly workers: Workers;
  readonly #turns: (readonly ScriptedStep[])[];
  readonly #workers: (readonly ScriptedStep[])[];
  readonly #runner;

  constructor(options: AgentWorldOptions = {}) {
    const gate = {
      taint: (run: RunContext, turn: AgentTurn['row']['id'] | null) => this.registry.taint.of(run, turn),
      goal: (run: RunContext) => this.workers.goalOf(run),
      ...options.gate,
    };
    this.approvals = new ApprovalWorld({ ...options, gate });
    const { store, clock, boot } = this.approvals;
    const { log } = quietLog();
    const redact = (text: string) => text;
    const resultBytes = 51_200;
    this.registry = new ToolRegistry({
      ...{ store, boot, clock, log, redact },
      gate: this.approvals.gate,
      resultBytes: () => resultBytes,
    });
    for (const tool of options.tools ?? []) this.registry.add(tool);
    this.#turns = [...(options.turns ?? [])];
    this.#workers = [...(options.workers ?? [])];
    const deps = {
      ...{ store, clock, redact, log },
      registry: this.registry,
      prompt: new Prompt({ home: '/nowhere', workspace: '/nowhere' }),
      conversations: new Conversations({ store, clock, bytes: () => 1e6 }),
      model: (run: RunContext) =>
        new ScriptedModel((run.depth === 0 ? this.#turns.shift() : this.#workers.shift()) ?? []),
      used: () => {},
      limits: () => ({ maxSteps: 50, cronMaxSteps: 30, maxOutputTokens: 1000, resultBytes }),
    };
    this.#runner = createTurnRunner(deps);
    this.workers = new Workers({ ...deps, timeoutS: () => 900 });
  }

  /** A turn with the person's words, not run yet. */
  begin(words: string, { actor = ANN, chat = 'c1', direct = true }: Where = {}): AgentTurn {
    const { store, clock } = this.approvals;
    const address = chatAddress(chat);
    const session = store.sessions.open(`${chat}:${actor.id}`, actor, address, direct, clock.now()).id;
    const row = store.turns.create({ session, actor, address, direct, replyTo: null }, clock.now());
    store.transcript.append({ session, turn: row.id, step: 0, role: 'user', content: words }, clock.now());
    return this.again(row);
  }

  /** The same turn in a new run. */
  again(row: TurnRow): AgentTurn {
    const stop = new AbortController();
    const { session, actor, address } = row;
    const run = { ...chatRun({ actor, chat: address.chat, signal: stop.signal }), session };
    return { row, run, stop, sink: new RecordingSink() };
  }

  run({ row, run, sink }: AgentTurn): Promise<TurnResult> {
    return withRun(run, () => this.#runner.run({ turn: row, run }, sink));
  }

  /** One call of a tool in a run of its own making, without a turn. */
  call(run: RunContext, tool: string, input: unknown) {
    const request = { call: newId<CallId>(), turn: null, tool, input, run, recorded: false };
    return withRun(run, () => this.registry.call({ ...request, asking: () => {}, progress: () => {} }));
  }

  calls({ row }: AgentTurn): readonly CallRow[] {
    return this.approvals.store.transcript.ofTurn(row.id).flatMap(({ calls }) => calls);
  }
}

interface Where {
  readonly actor?: Actor;
  readonly chat?: string;
  readonly direct?: boolean;
}
