import type { Clock } from '../contract/clock.ts';
import type { ModelProvider, ModelRequest } from '../contract/model.ts';
import { sdkMessages } from './sdk-messages.ts';
import { sdkProvider } from './sdk-stream.ts';
import { tidyMessages } from './tidy-messages.ts';

/** Servers that want something of their own in the request. */
export type Dialect = 'openai' | 'openrouter' | 'llamacpp';

export interface OpenAiCompatibleOptions {
  readonly name: string;
  /** With the version, without `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Absent: no Authorization header. */
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dialect?: Dialect;
  readonly clock: Clock;
}

/** Any server that speaks OpenAI's chat completions. */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
  const { name, clock, apiKey, dialect } = options;
  return sdkProvider({
    name,
    clock,
    apiKey,
    simpleSchemas: dialect === 'llamacpp',
    model: async (id, fetch) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: 'hermod',
        baseURL: options.baseUrl,
        includeUsage: true,
        fetch,
        transformRequestBody: (body) => inDialect(body, dialect),
        ...(apiKey !== undefined && { apiKey }),
        ...(options.headers && { headers: { ...options.headers } }),
      })(id);
    },
    instructions: joined,
    messages: (request) => sdkMessages(tidyMessages(request.messages)),
  });
}

/** One system message: many chat templates refuse a second. */
function joined({ stable, varying }: ModelRequest['system']): string | undefined {
  const parts = [stable, varying].filter((part) => part.trim() !== '');
  return parts.length === 0 ? undefined : parts.join('\n\n').toWellFormed();
}

function inDialect(body: Record<string, unknown>, dialect: Dialect | undefined): Record<string, unknown> {
  if (dialect === 'openrouter') return { ...body, usage: { include: true } };
  if (dialect !== 'openai') return body;
  const { max_tokens, ...rest } = body;
  return { ...rest, max_completion_tokens: max_tokens };
}
