import { type Answer, argumentPieces, isWellFormed, pieces, type Refusal, type ReplyUsage } from './model-replies.ts';

/** OpenAI's chat completions as its server and strict chat templates take them: the first thing wrong, or nothing. */
// biome-ignore lint/suspicious/noExplicitAny: an unchecked body
export function checkOpenAi(body: any): Refusal | undefined {
  const wrong = wrongField(body) ?? wrongOrder(body.messages) ?? wrongTools(body);
  return wrong === undefined ? undefined : openAiError(400, wrong, 'invalid_request_error', null);
}

export function openAiError(status: number, message: string, type: string, code: string | null): Refusal {
  return { status, body: { error: { message, type, param: null, code } } };
}

// biome-ignore lint/suspicious/noExplicitAny: an unchecked body
function wrongField(body: any): string | undefined {
  if (typeof body?.model !== 'string' || body.model === '') return 'you must provide a model parameter';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "Invalid 'messages': empty array.";
  if (body.stream !== true) return 'this server only streams';
  const limit = body.max_completion_tokens ?? body.max_tokens;
  if (!Number.isInteger(limit) || limit < 1) return "Invalid 'max_tokens': integer below minimum value.";
  if (!isWellFormed(body)) return 'We could not parse the JSON body of your request.';
  return undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: unchecked messages
function wrongOrder(messages: any[]): string | undefined {
  let open: string[] = [];
  for (const [i, m] of messages.entries()) {
    if (m.role === 'tool') {
      if (typeof m.content !== 'string') return `Invalid value for 'content' of messages[${i}].`;
      if (!open.includes(m.tool_call_id)) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      open = open.filter((id) => id !== m.tool_call_id);
      continue;
    }
    if (open.length > 0) return unanswered(open);
    if (m.role === 'system' && i > 0) return 'System message must be at the beginning.';
    if (m.role === 'user' && messages[i - 1]?.role === 'user')
      return 'Conversation roles must alternate user/assistant.';
    if (!['system', 'user', 'assistant'].includes(m.role)) return `Invalid value: '${m.role}'.`;
    if (m.role !== 'assistant' && (typeof m.content !== 'string' || m.content === '')) return `messages[${i}] is empty`;
    if ('reasoning_content' in m || 'reasoning' in m) return `Additional properties are not allowed in messages[${i}].`;
    const calls = m.tool_calls ?? [];
    if (m.role === 'assistant' && calls.length === 0 && !m.content) return `messages[${i}] is empty`;
    // biome-ignore lint/suspicious/noExplicitAny: unchecked calls
    if (calls.some((call: any) => !isObjectText(call.function?.arguments)))
      return `arguments in messages[${i}] are no JSON object`;
    open = calls.map((call: { id: string }) => call.id);
    if (new Set(open).size !== open.length) return `messages[${i}] has two calls of one id`;
  }
  return open.length > 0 ? unanswered(open) : undefined;
}

function unanswered(open: readonly string[]): string {
  const rule =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  return `${rule} The following tool_call_ids did not have response messages: ${open.join(', ')}`;
}

function isObjectText(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an unchecked body
function wrongTools(body: any): string | undefined {
  if (body.tools === undefined) {
    return body.tool_choice === undefined ? undefined : "'tool_choice' is only allowed when 'tools' are specified.";
  }
  if (!Array.isArray(body.tools) || body.tools.length === 0) return "Invalid 'tools': empty array.";
  for (const [i, tool] of body.tools.entries()) {
    if (tool.type !== 'function' || !/^[\w-]{1,64}$/.test(tool.function?.name))
      return `Invalid 'tools[${i}].function.name'.`;
    if (tool.function.parameters?.type !== 'object') return `Invalid schema for function '${tool.function.name}'.`;
  }
  return undefined;
}

/** The answer as `data:` lines up to its finish; `withUsage` as the request asked. */
export function openAiEvents(answer: Answer, model: string, withUsage: boolean): readonly string[] {
  const base = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1764000000,
    model,
    system_fingerprint: 'fp_1',
  };
  const chunk = (delta: object, finish: string | null = null) =>
    data({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const calls = answer.calls ?? [];
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(answer.think).map((text) => chunk({ reasoning_content: text })),
    ...pieces(answer.say).map((text) => chunk({ content: text })),
    ...calls.flatMap((call, index) => {
      const [first, ...rest] = argumentPieces(call);
      const id = call.id === undefined ? `call_${index + 1}` : call.id;
      const start = {
        index,
        ...(id !== null && { id }),
        type: 'function',
        function: { name: call.name, arguments: first },
      };
      return [start, ...rest.map((text) => ({ index, function: { arguments: text } }))].map((tool) =>
        chunk({ tool_calls: [tool] }),
      );
    }),
  ];
  if (answer.fault === 'cut' || answer.fault === 'hang') return calls.length > 0 ? events.slice(0, -1) : events;
  if (typeof answer.fault === 'object') return [...events, data({ error: answer.fault.error })];
  if (answer.fault === 'no_finish') return [...events, 'data: [DONE]\n\n'];
  const finish = chunk({}, answer.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop'));
  const usage =
    withUsage && answer.usage !== null ? [data({ ...base, choices: [], usage: usageOf(answer.usage) })] : [];
  return [...events, finish, ...usage, 'data: [DONE]\n\n'];
}

function usageOf({ input, output, cached = 0, reasoning = 0, cost }: ReplyUsage = { input: 10, output: 5 }): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
    ...(cost !== undefined && { cost }),
  };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
