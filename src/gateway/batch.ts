import type { InboundMessage } from '../contract/message.ts';
import type { WaitingMessage } from '../store/inbox.ts';

/** What one turn takes: the oldest row, and the later pieces of the same paste or album. Two people never merge. */
export function nextBatch(waiting: readonly WaitingMessage[]): readonly WaitingMessage[] {
  const [first, ...rest] = waiting;
  if (!first) return [];
  const join = first.message.join;
  if (!join) return [first];
  const same = (row: WaitingMessage) =>
    row.message.join?.key === join.key && row.message.by.id === first.message.by.id && row.kind === first.kind;
  return [first, ...rest.filter(same)];
}

/** The words of a batch as one text: pieces of a cut text touch, others stand on lines of their own. */
export function batchText(messages: readonly InboundMessage[]): string {
  let text = '';
  for (const message of messages) {
    const said = withReply(message);
    if (said === '') continue;
    text += text === '' ? said : `${message.join?.glue ?? '\n'}${said}`;
  }
  return text;
}

function withReply(message: InboundMessage): string {
  const lines: string[] = [];
  if (message.replyTo && message.replyTo.quoted !== '') lines.push(`[in reply to: "${message.replyTo.quoted}"]`);
  if (message.forwardedFrom !== undefined) lines.push(`[forwarded from ${message.forwardedFrom}]`);
  for (const file of message.attachments) lines.push(`[attached ${file.kind}: ${file.name}]`);
  if (message.text !== '') lines.push(message.text);
  return lines.join('\n');
}
