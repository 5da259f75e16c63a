import { type Answer, argumentPieces, isWellFormed, pieces, type Refusal, type ReplyUsage } from './model-replies.ts';

export function anthropicError(status: number, type: string, message: string): Refusal {
  return { status, body: { type: 'error', error: { type, message }, request_id: 'req_011' } };
}

/** Anthropic's messages API as it takes requests: the first thing wrong, or nothing. */
export function checkAnthropic(
  // biome-ignore lint/suspicious/noExplicitAny: an unchecked body
  body: any,
  headers: Readonly<Record<string, unknown>>,
): Refusal | undefined {
  const wrong = headers['anthropic-version'] === undefined ? 'anthropic-version: header is required' : wrongBody(body);
  return wrong === undefined ? undefined : anthropicError(400, 'invalid_request_error', wrong);
}

// biome-ignore lint/suspicious/noExplicitAny: an unchecked body
function wrongBody(body: any): string | undefined {
  if (typeof body?.model !== 'string') return 'model: Field required';
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages: at least one message is required';
  if (!isWellFormed(body)) return 'The request body is not valid JSON: no low surrogate in string';
  if (body.stream !== true) return 'this server only streams';
  const budget = body.thinking?.type === 'enabled' ? body.thinking.budget_tokens : 0;
  if (budget > 0 && body.max_tokens <= budget) return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  const marks = countMarks(body);
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  return wrongMessages(body.messages, budget > 0) ?? wrongTools(body);
}

// biome-ignore lint/suspicious/noExplicitAny: unchecked messages
function wrongMessages(messages: any[], thinking: boolean): string | undefined {
  if (messages[0].role !== 'user') return 'messages: first message must use the "user" role';
  for (const [i, m] of messages.entries()) {
    if (m.role !== 'user' && m.role !== 'assistant') return `messages.${i}.role: Input should be 'user' or 'assistant'`;
    const blocks = typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content;
    if (!Array.isArray(blocks) || blocks.length === 0) return `messages.${i}: all messages must have non-empty content`;
    // biome-ignore lint/suspicious/noExplicitAny: unchecked blocks
    const wrong = blocks.map((b: any) => wrongBlock(b, i)).find((found: unknown) => found !== undefined);
    if (wrong) return wrong;
    const pairing = wrongPairing(messages, i, blocks);
    if (pairing) return pairing;
    // biome-ignore lint/suspicious/noExplicitAny: unchecked blocks
    const calls = m.role === 'assistant' && blocks.some((b: any) => b.type === 'tool_use');
    if (thinking && calls && i === messages.length - 2 && !/thinking/.test(blocks[0].type)) {
      return `messages.${i}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${blocks[0].type}\`.`;
    }
  }
  return undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: an unchecked block
function wrongBlock(block: any, i: number): string | undefined {
  if (block.type === 'text' && block.text.trim() === '') return 'messages: text content blocks must be non-empty';
  if (block.type === 'thinking' && block.signature !== signatureOf(block.thinking)) {
    return `messages.${i}.content.0: Invalid \`signature\` in \`thinking\` block`;
  }
  if (block.type === 'tool_use' && (typeof block.input !== 'object' || block.input === null)) {
    return `messages.${i}.content: tool_use.input: Input should be a valid dictionary`;
  }
  if (block.type === 'tool_use' && !/^[\w-]+$/.test(block.id))
    return `messages.${i}.content: tool_use.id: String should match pattern`;
  return undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: unchecked messages
function wrongPairing(messages: any[], i: number, blocks: any[]): string | undefined {
  const used = idsOf(blocks, 'tool_use', 'id');
  const answered = idsOf(messages[i + 1]?.content, 'tool_result', 'tool_use_id');
  const open = used.filter((id) => !answered.includes(id));
  if (open.length > 0) {
    return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  }
  const before = idsOf(messages[i - 1]?.content, 'tool_use', 'id');
  const stray = idsOf(blocks, 'tool_result', 'tool_use_id').filter((id) => !before.includes(id));
  if (stray.length > 0)
    return `messages.${i}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.join(', ')}.`;
  const firstOther = blocks.findIndex((b) => b.type !== 'tool_result');
  const lastResult = blocks.findLastIndex((b) => b.type === 'tool_result');
  return firstOther !== -1 && firstOther < lastResult
    ? `messages.${i}.content: tool_result blocks must come first`
    : undefined;
}

function idsOf(blocks: unknown, type: string, key: string): string[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.filter((b) => b.type === type).map((b) => b[key]);
}

// biome-ignore lint/suspicious/noExplicitAny: an unchecked body
function wrongTools(body: any): string | undefined {
  for (const [i, tool] of (body.tools ?? []).entries()) {
    if (!/^[\w-]{1,128}$/.test(tool.name)) return `tools.${i}.custom.name: String should match pattern`;
    if (tool.input_schema?.type !== 'object') return `tools.${i}.custom.input_schema.type: Input should be 'object'`;
  }
  return undefined;
}

function countMarks(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + (key === 'cache_control' && inner ? 1 : countMarks(inner)),
    0,
  );
}

/** What the server gives with a thought and demands back unchanged. */
export function signatureOf(thought: string): string {
  return Buffer.from(`signed:${thought}`).toString('base64');
}

/** The answer as server-sent events up to `message_stop`. */
export function anthropicEvents(answer: Answer, model: string): readonly string[] {
  const usage = answer.usage ?? { input: 10, output: 5 };
  const blocks = [...thinkingBlocks(answer), ...textBlocks(answer), ...callBlocks(answer)];
  const events = [messageStart(model, usage), event({ type: 'ping' }), ...blocks.flatMap(blockEvents)];
  if (answer.fault === 'cut' || answer.fault === 'hang') return events.slice(0, answer.calls ? -2 : -1);
  if (typeof answer.fault === 'object') return [...events, event({ type: 'error', error: answer.fault.error })];
  if (answer.fault === 'no_finish') return events;
  const stop = answer.finish ?? (answer.calls?.length ? 'tool_use' : 'end_turn');
  const delta = {
    type: 'message_delta',
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: usage.output },
  };
  return [...events, event(delta), event({ type: 'message_stop' })];
}

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

function thinkingBlocks({ think }: Answer): readonly Block[] {
  if (think === undefined) return [];
  const thought = pieces(think);
  const deltas = thought.map((text) => ({ type: 'thinking_delta', thinking: text }));
  const signature = { type: 'signature_delta', signature: signatureOf(thought.join('')) };
  return [{ start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...deltas, signature] }];
}

function textBlocks({ say }: Answer): readonly Block[] {
  if (say === undefined) return [];
  return [{ start: { type: 'text', text: '' }, deltas: pieces(say).map((text) => ({ type: 'text_delta', text })) }];
}

function callBlocks({ calls = [] }: Answer): readonly Block[] {
  return calls.map((call, i) => ({
    start: { type: 'tool_use', id: call.id ?? `toolu_${i + 1}`, name: call.name, input: {} },
    deltas: argumentPieces(call).map((text) => ({ type: 'input_json_delta', partial_json: text })),
  }));
}

function blockEvents({ start, deltas }: Block, index: number): readonly string[] {
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

function messageStart(model: string, { input, cached = 0, written = 0 }: ReplyUsage): string {
  const usage = {
    input_tokens: input - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: 1,
  };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return event({ type: 'message_start', message });
}

function event(value: Readonly<Record<string, unknown>>): string {
  return `event: ${value['type']}\ndata: ${JSON.stringify(value)}\n\n`;
}
