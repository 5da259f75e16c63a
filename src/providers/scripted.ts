import { appendFileSync } from 'node:fs';
import { type Clock, pause } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { ModelEvent, ModelFailure, ModelProvider, ModelRequest, Usage } from '../contract/model.ts';
import { lastPrompt, type Reply, ScriptBook } from './script-book.ts';
import {
  type Expectation,
  readScriptFile,
  readScripts,
  type ScriptCall,
  type ScriptInput,
  type ScriptStep,
} from './script-file.ts';

export interface ScriptedOptions {
  readonly name?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Scripts in code, or the path of a JSON file `{ scripts: [...] }`. */
  readonly scripts: readonly ScriptInput[] | string;
  /** Path of a JSONL file: one line a request, and one a complaint. */
  readonly record?: string;
}

/** A model that says what a script says. For tests and demos; it complains loudly about whatever the script did not foresee. */
export class ScriptedProvider implements ModelProvider {
  readonly name: string;
  /** Every request received, oldest first. */
  readonly requests: ModelRequest[] = [];
  /** What the scripts did not foresee. */
  readonly complaints: string[] = [];
  readonly #options: ScriptedOptions;
  readonly #book: ScriptBook;

  /** Throws HermodError when the scripts are wrong. */
  constructor(options: ScriptedOptions) {
    this.name = options.name ?? 'scripted';
    this.#options = options;
    const { scripts } = options;
    this.#book = new ScriptBook(
      typeof scripts === 'string' ? readScriptFile(scripts) : readScripts({ scripts }, this.name),
    );
  }

  /** Throws when something was complained about or a script was not read to its end. */
  verify(): void {
    const left = this.#book.unfinished.map((name) => `The script "${name}" was not read to its end.`);
    const all = [...this.complaints, ...left];
    if (all.length > 0) throw new Error(all.join('\n'));
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (signal.aborted) return yield aborted(null);
    this.requests.push(request);
    const reply = this.#book.next(request);
    this.#record(request, reply);
    if (typeof reply === 'string') return yield this.#complain(reply);
    yield* this.#play(reply, request, signal);
  }

  async *#play(reply: Reply, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let usage: Usage | null = null;
    for (const step of reply.steps) {
      if (signal.aborted) return yield aborted(usage);
      if ('usage' in step) usage = reported(step.usage);
      else if ('wait' in step) await pause(this.#options.clock, step.wait, signal);
      else if ('hang' in step) await aborting(signal);
      else if ('expect' in step) {
        const wrong = mismatch(step.expect, request);
        if (wrong)
          return yield this.#complain(`The script "${reply.script}", reply ${reply.index + 1}, expected ${wrong}.`);
      } else if ('say' in step) yield* [step.say].flat().map((delta) => ({ type: 'text' as const, delta }));
      else if ('think' in step) yield { type: 'reasoning', delta: step.think };
      else return yield* ending(step, usage, reply);
    }
    yield signal.aborted ? aborted(usage) : { type: 'done', reason: 'stop', usage };
  }

  #record(request: ModelRequest, reply: Reply | string): void {
    const found = typeof reply === 'string' ? { complaint: reply } : { script: reply.script, reply: reply.index };
    const { model, session, toolChoice, messages } = request;
    const tools = request.tools.map((tool) => tool.name);
    this.#append({
      at: this.#options.clock.now(),
      ...found,
      model,
      session,
      toolChoice,
      tools,
      system: request.system,
      messages,
    });
  }

  #complain(sentence: string): ModelEvent {
    this.complaints.push(sentence);
    this.#options.log.error({ provider: this.name }, sentence);
    this.#append({ at: this.#options.clock.now(), complaint: sentence });
    return {
      type: 'done',
      reason: 'failed',
      usage: null,
      failure: { kind: 'request', detail: sentence.slice(0, 300) },
    };
  }

  #append(line: object): void {
    if (this.#options.record !== undefined) appendFileSync(this.#options.record, `${JSON.stringify(line)}\n`);
  }
}

function* ending(
  step: Extract<
    ScriptStep,
    { call: unknown } | { calls: unknown } | { fail: unknown } | { cut: unknown } | { finish: unknown }
  >,
  usage: Usage | null,
  reply: Reply,
): Generator<ModelEvent> {
  if ('call' in step || 'calls' in step) {
    const calls = 'call' in step ? [step.call] : step.calls;
    yield* calls.map((call, i) => callEvent(call, `script-${reply.index + 1}-${i + 1}`));
    yield { type: 'done', reason: 'calls', usage };
  } else if ('finish' in step) {
    yield step.finish === 'length' ? { type: 'done', reason: 'length', usage } : failed({ kind: 'filtered' }, usage);
  } else
    yield failed(
      'cut' in step ? { kind: 'cut' } : typeof step.fail === 'string' ? { kind: step.fail } : step.fail,
      usage,
    );
}

function callEvent(call: ScriptCall, id: string): ModelEvent {
  return { type: 'call', id: call.id ?? id, name: call.name, raw: call.raw ?? JSON.stringify(call.input ?? {}) };
}

type ScriptedFailure = Extract<Extract<ScriptStep, { fail: unknown }>['fail'], object>;

function failed(given: ScriptedFailure, usage: Usage | null): ModelEvent {
  const { kind, status, code, retryAfterMs } = given;
  const failure: ModelFailure = {
    kind,
    detail: `script: ${kind}`,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  return { type: 'done', reason: kind === 'filtered' || kind === 'aborted' ? kind : 'failed', usage, failure };
}

function aborted(usage: Usage | null): ModelEvent {
  return failed({ kind: 'aborted' }, usage);
}

function aborting(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function reported({ input, output, cacheRead, cacheWrite }: Extract<ScriptStep, { usage: unknown }>['usage']): Usage {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}

/** What the request lacks, in words; undefined when all is as expected. */
function mismatch(expected: Expectation, request: ModelRequest): string | undefined {
  const prompt = lastPrompt(request.messages);
  const last = request.messages.findLast((m) => m.role === 'tool')?.content ?? '';
  const system = `${request.system.stable}\n${request.system.varying}`;
  const lacks = (pattern: string | undefined, text: string) =>
    pattern !== undefined && !new RegExp(pattern, 'i').test(text);
  const missing = (expected.tools ?? []).filter((name) => !request.tools.some((tool) => tool.name === name));
  if (lacks(expected.prompt, prompt)) return `a prompt like /${expected.prompt}/`;
  if (lacks(expected.lastResult, last))
    return `a last result like /${expected.lastResult}/, it is: ${last.slice(0, 80)}`;
  if (lacks(expected.system, system)) return `a system prompt like /${expected.system}/`;
  if (missing.length > 0) return `the tools ${missing.join(', ')}`;
  if (expected.toolChoice !== undefined && expected.toolChoice !== request.toolChoice)
    return `tool choice ${expected.toolChoice}`;
  if (expected.messages !== undefined && expected.messages !== request.messages.length) {
    return `${expected.messages} messages, there are ${request.messages.length}`;
  }
  return undefined;
}
