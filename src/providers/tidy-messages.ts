import type { ChatMessage } from '../contract/model.ts';

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

const NO_RESULT = 'There is no result of this call.';

/**
 * What may be sent: well-formed Unicode, no empty message, a result for every call right behind it in the order of the calls,
 * person messages in a row joined by a blank line. A result without its call is dropped.
 */
export function tidyMessages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const tidy: ChatMessage[] = [];
  for (const [i, message] of messages.entries()) {
    if (message.role === 'user') addPerson(tidy, message.content.toWellFormed());
    else if (message.role === 'assistant') addAnswer(tidy, message, resultsAfter(messages, i));
  }
  return tidy;
}

function addPerson(tidy: ChatMessage[], content: string): void {
  if (content.trim() === '') return;
  const last = tidy.at(-1);
  if (last?.role === 'user') tidy[tidy.length - 1] = { role: 'user', content: `${last.content}\n\n${content}` };
  else tidy.push({ role: 'user', content });
}

function addAnswer(
  tidy: ChatMessage[],
  message: Extract<ChatMessage, { role: 'assistant' }>,
  results: readonly ToolMessage[],
): void {
  const content = message.content.toWellFormed();
  if (content.trim() === '' && message.calls.length === 0) return;
  tidy.push({ ...message, content });
  for (const { id, name } of message.calls) {
    const result = results.find((candidate) => candidate.callId === id);
    const text = result?.content.toWellFormed() ?? NO_RESULT;
    tidy.push({ role: 'tool', callId: id, name, content: text, isError: result?.isError ?? true });
  }
}

/** Results between this answer and the next one. */
function resultsAfter(messages: readonly ChatMessage[], answer: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let i = answer + 1; i < messages.length; i++) {
    const message = messages[i] as ChatMessage;
    if (message.role === 'assistant') break;
    if (message.role === 'tool') results.push(message);
  }
  return results;
}
