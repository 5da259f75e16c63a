import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import type { ChatMessage, ModelCall } from '../contract/model.ts';
import { type KeptBlock, readKeep } from './kept-blocks.ts';

type Answer = Extract<ChatMessage, { role: 'assistant' }>;
type ProviderOptions = NonNullable<ModelMessage['providerOptions']>;
type Part = Exclude<AssistantModelMessage['content'], string>[number];

/** Our messages as the SDK takes them; what a provider gave to keep comes back in its place. */
export function sdkMessages(messages: readonly ChatMessage[]): ModelMessage[] {
  const sent: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role === 'user') sent.push({ role: 'user', content: message.content });
    else if (message.role === 'assistant') sent.push({ role: 'assistant', content: answerParts(message) });
    else addResult(sent, message);
  }
  return sent;
}

/** All results of one answer travel in one message. */
function addResult(
  sent: ModelMessage[],
  { callId, name, content, isError }: Extract<ChatMessage, { role: 'tool' }>,
): void {
  const result: ToolModelMessage['content'][number] = {
    type: 'tool-result',
    toolCallId: callId,
    toolName: name,
    output: { type: isError ? 'error-text' : 'text', value: content },
  };
  const last = sent.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else sent.push({ role: 'tool', content: [result] });
}

function answerParts(message: Answer): Part[] {
  const calls = [...message.calls];
  let text = message.content;
  const parts = readKeep(message.keep).flatMap((block): Part[] => {
    if (block.type === 'reasoning') return [{ type: 'reasoning', text: block.text, ...options(block) }];
    if (block.type === 'text') {
      const said = text.slice(0, block.length);
      text = text.slice(block.length);
      return textPart(said);
    }
    const call = calls.shift();
    return call ? [callPart(call, block)] : [];
  });
  return [...parts, ...textPart(text), ...calls.map((call) => callPart(call))];
}

function textPart(text: string): Part[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function callPart(call: ModelCall, block?: KeptBlock): Part {
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    input: argumentsOf(call.raw),
    ...options(block),
  };
}

function options(block: KeptBlock | undefined): { providerOptions?: ProviderOptions } {
  return block?.meta ? { providerOptions: block.meta as ProviderOptions } : {};
}

function argumentsOf(raw: string): object {
  try {
    const value: unknown = JSON.parse(raw.toWellFormed());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
