import type { ModelMessage, SystemModelMessage } from 'ai';
import type { Clock } from '../contract/clock.ts';
import type { ChatMessage, ModelProvider, ModelRequest } from '../contract/model.ts';
import { sdkMessages } from './sdk-messages.ts';
import { sdkProvider } from './sdk-stream.ts';
import { tidyMessages } from './tidy-messages.ts';

export interface AnthropicOptions {
  readonly name: string;
  /** With the version: `https://api.anthropic.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/** Anthropic's messages API, with the four cache marks it allows: last tool, end of `stable`, our last two messages. */
export function createAnthropic(options: AnthropicOptions): ModelProvider {
  const { name, clock, apiKey } = options;
  return sdkProvider({
    name,
    clock,
    apiKey,
    lastTool: MARK,
    model: async (id, fetch) => {
      const sdk = await import('@ai-sdk/anthropic');
      const headers = options.headers ? { headers: { ...options.headers } } : {};
      return sdk.createAnthropic({ baseURL: options.baseUrl, apiKey: apiKey ?? '', fetch, ...headers })(id);
    },
    instructions: marked,
    messages: (request) => withMarks(sdkMessages(fromPerson(tidyMessages(request.messages)))),
  });
}

function marked({ stable, varying }: ModelRequest['system']): SystemModelMessage[] | undefined {
  const parts: SystemModelMessage[] = [];
  if (stable.trim() !== '') parts.push({ role: 'system', content: stable.toWellFormed(), providerOptions: MARK });
  if (varying.trim() !== '') parts.push({ role: 'system', content: varying.toWellFormed() });
  return parts.length === 0 ? undefined : parts;
}

/**
 * Marks the last two messages from our side: the end of this request, and the end of the one before, whose prefix is what the
 * cache holds.
 */
function withMarks(messages: ModelMessage[]): ModelMessage[] {
  for (const message of messages.filter((m) => m.role !== 'assistant').slice(-2)) message.providerOptions = MARK;
  return messages;
}

/** A conversation must open with the person; after compaction it may not. */
function fromPerson(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (messages[0]?.role !== 'assistant') return messages;
  return [{ role: 'user', content: '(earlier messages are left out)' }, ...messages];
}
