import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from 'ai';
import type { DoneReason, ModelEvent, ModelFailureKind, Usage } from '../contract/model.ts';
import { classifyFinish } from './classify.ts';
import { BlockOrder, type KeptBlock } from './kept-blocks.ts';
import { type Said, ThinkFilter } from './think-filter.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** How a stream ended that was read to its end: with a `done`, or in a way that is a failure. */
export type Ending =
  | { readonly done: Done }
  | { readonly failed: ModelFailureKind; readonly finish: string; readonly usage: Usage | null };

/** Turns the parts of one SDK stream into events. Pure but for what it remembers of this stream. */
export class StepTranslator {
  readonly #think = new ThinkFilter();
  readonly #order = new BlockOrder();
  readonly #arguments = new Map<string, string>();
  #said = false;
  #calls = 0;
  #finish: { readonly reason: FinishReason; readonly raw: string | undefined } | undefined;
  #usage: Usage | null = null;

  /** Events of one part, and whether a piece of a call came that is no event yet. */
  read(part: TextStreamPart<ToolSet>): { readonly events: readonly ModelEvent[]; readonly piece: boolean } {
    switch (part.type) {
      case 'text-delta':
        return only(this.#text(this.#think.push(part.text)));
      case 'reasoning-start':
        this.#order.openReasoning(part.providerMetadata);
        return only([]);
      case 'reasoning-delta':
        this.#order.reasoning(part.text, part.providerMetadata);
        return only(part.text === '' ? [] : [{ type: 'reasoning', delta: part.text }]);
      case 'tool-input-start':
        this.#arguments.set(part.id, '');
        return { events: [], piece: true };
      case 'tool-input-delta':
        this.#arguments.set(part.id, (this.#arguments.get(part.id) ?? '') + part.delta);
        return { events: [], piece: true };
      case 'tool-call':
        return only(this.#call(part.toolCallId, part.toolName, part.input, part.providerMetadata));
      case 'finish-step':
        this.#finish = { reason: part.finishReason, raw: part.rawFinishReason };
        this.#usage = usageOf(part.usage);
        return only([]);
      default:
        return only([]);
    }
  }

  /** Text that was held back, to be said before the end. */
  rest(): readonly ModelEvent[] {
    return this.#text(this.#think.end());
  }

  end(): Ending {
    const { reason, raw } = this.#finish ?? {};
    const failed = this.#failed(reason, raw);
    if (failed) return { failed, finish: raw ?? reason ?? 'none', usage: this.#usage };
    const { kept } = this.#order;
    const done = { type: 'done' as const, reason: this.#reason(reason), usage: this.#usage };
    return { done: kept === undefined ? done : { ...done, keep: kept } };
  }

  #text(said: readonly Said[]): readonly ModelEvent[] {
    for (const { type, delta } of said) {
      if (type === 'reasoning') continue;
      this.#order.text(delta.length);
      if (delta.trim() !== '') this.#said = true;
    }
    return said;
  }

  #call(id: string, name: string, input: unknown, meta: KeptBlock['meta']): readonly ModelEvent[] {
    this.#calls++;
    this.#order.call(meta);
    const received = this.#arguments.get(id);
    const raw = received ?? (typeof input === 'string' ? input : JSON.stringify(input ?? {}));
    return [{ type: 'call', id, name, raw }];
  }

  #failed(reason: FinishReason | undefined, raw: string | undefined): ModelFailureKind | undefined {
    if (raw === undefined) return 'cut';
    if (reason === 'content-filter') return 'filtered';
    return classifyFinish(raw) ?? (reason !== 'length' && !this.#said && this.#calls === 0 ? 'empty' : undefined);
  }

  #reason(reason: FinishReason | undefined): DoneReason {
    if (reason === 'length') return 'length';
    return this.#calls > 0 ? 'calls' : 'stop';
  }
}

function only(events: readonly ModelEvent[]): { readonly events: readonly ModelEvent[]; readonly piece: false } {
  return { events, piece: false };
}

/** Null when the server reported nothing. */
function usageOf(usage: LanguageModelUsage): Usage | null {
  const { inputTokens, outputTokens, inputTokenDetails: input, outputTokenDetails: output, raw } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return null;
  const cost = raw?.['cost'];
  return {
    input: inputTokens ?? 0,
    output: outputTokens ?? 0,
    ...(input.cacheReadTokens !== undefined && { cacheRead: input.cacheReadTokens }),
    ...(input.cacheWriteTokens !== undefined && { cacheWrite: input.cacheWriteTokens }),
    ...(output.reasoningTokens !== undefined && { reasoning: output.reasoningTokens }),
    ...(typeof cost === 'number' && { cost }),
  };
}
