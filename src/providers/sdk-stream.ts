import type { Instructions, LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { Clock } from '../contract/clock.ts';
import type {
  DoneReason,
  ModelEvent,
  ModelFailure,
  ModelProvider,
  ModelRequest,
  StreamWatch,
  Usage,
} from '../contract/model.ts';
import { classify } from './classify.ts';
import type { Secret } from './failure-detail.ts';
import { recordingFetch, type Seen } from './recording-fetch.ts';
import { StepTranslator } from './step-translator.ts';
import { inOrder, toolSchema } from './tool-schema.ts';
import { untilAborted } from './until-aborted.ts';

/** What differs between the two wire forms. */
export interface Wire {
  readonly name: string;
  readonly clock: Clock;
  readonly apiKey: string | undefined;
  /** Leave `pattern` and `format` out of tool schemas. */
  readonly simpleSchemas?: boolean;
  /** Imports the provider's package and builds a model that uses `fetch`. */
  model(id: string, fetch: typeof globalThis.fetch): Promise<Exclude<LanguageModel, string>>;
  instructions(system: ModelRequest['system']): Instructions | undefined;
  messages(request: ModelRequest): ModelMessage[];
  /** Marks on the last tool of the list. */
  lastTool?: NonNullable<ModelMessage['providerOptions']>;
}

const ABORTED: ModelEvent = {
  type: 'done',
  reason: 'aborted',
  usage: null,
  failure: { kind: 'aborted', detail: 'our own signal' },
};

/** A provider over the SDK: one request a step, no retries, no tools run, nothing printed. The SDK is imported on first use. */
export function sdkProvider(wire: Wire): ModelProvider {
  return {
    name: wire.name,
    stream: (request, signal, watch) => untilAborted(ask(wire, request, signal, watch), signal, ABORTED),
  };
}

async function* ask(
  wire: Wire,
  request: ModelRequest,
  signal: AbortSignal,
  watch: StreamWatch | undefined,
): AsyncGenerator<ModelEvent> {
  const seen: Seen = {};
  const translator = new StepTranslator();
  try {
    const stream = await open(wire, request, signal, seen);
    for await (const part of stream) {
      if (part.type === 'error') return yield failed(classify(part.error, seen, secret(wire, request)), null);
      const { events, piece } = translator.read(part);
      if (piece) watch?.output();
      yield* events;
    }
    yield* translator.rest();
    const end = translator.end();
    yield 'done' in end
      ? end.done
      : failed({ kind: end.failed, detail: `finish: ${end.finish}`, ...wireFacts(seen) }, end.usage);
  } catch (error) {
    yield failed(classify(error, seen, secret(wire, request)), null);
  }
}

async function open(wire: Wire, request: ModelRequest, signal: AbortSignal, seen: Seen) {
  const { streamText, jsonSchema } = await importSdk();
  const model = await wire.model(request.model, recordingFetch(seen, wire.clock));
  const instructions = wire.instructions(request.system);
  const tools = toolSet(wire, request, jsonSchema);
  const result = streamText({
    model,
    messages: wire.messages(request),
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    onError: () => {},
    telemetry: { isEnabled: false },
    ...(instructions !== undefined && { instructions }),
    ...(tools !== undefined && { tools, toolChoice: request.toolChoice }),
    ...(request.reasoning !== undefined && { reasoning: request.reasoning }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
  });
  return result.stream;
}

/** 110 ms and 25 MB: never at boot. Its warnings would go to the console with parts of the request in them. */
async function importSdk(): Promise<typeof import('ai')> {
  (globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}

/** Tools without `execute`: whether and when a call runs is not for the SDK to decide. */
function toolSet(wire: Wire, request: ModelRequest, jsonSchema: typeof import('ai').jsonSchema): ToolSet | undefined {
  const sorted = inOrder(request.tools);
  if (sorted.length === 0) return undefined;
  return Object.fromEntries(
    sorted.map((tool, i) => {
      const inputSchema = jsonSchema(toolSchema(tool, wire.simpleSchemas ?? false));
      const marks = i === sorted.length - 1 && wire.lastTool ? { providerOptions: wire.lastTool } : {};
      return [tool.name, { description: tool.description.toWellFormed(), inputSchema, ...marks }];
    }),
  );
}

function failed(failure: ModelFailure, usage: Usage | null): ModelEvent {
  const reason: DoneReason = failure.kind === 'filtered' ? 'filtered' : 'failed';
  return { type: 'done', reason, usage, failure };
}

function wireFacts({ requestId }: Seen): Pick<ModelFailure, 'requestId'> {
  return requestId === undefined ? {} : { requestId };
}

/** All that was sent, to find it again in what the provider says about it. */
function secret(wire: Wire, request: ModelRequest): Secret {
  const texts = request.messages.flatMap((m) => [
    m.content,
    ...(m.role === 'assistant' ? m.calls.map((call) => call.raw) : []),
  ]);
  return { key: wire.apiKey, sent: [request.system.stable, request.system.varying, ...texts].join('\n') };
}
