import type { InboundMessage } from '../contract/message.ts';
import type { WaitingMessage } from '../store/inbox.ts';

const MAX_PIECES = 20;
const MAX_BYTES = 256 * 1024;

/**
 * What one turn takes: the oldest row, and the later pieces of the same paste or album, at most 20 and 256 KB of text. Two
 * people never merge.
 */
export function nextBatch(waiting: readonly WaitingMessage[]): readonly WaitingMessage[] {
  const [first, ...rest] = waiting;
  if (!first) return [];
  const join = first.message.join;
  if (!join) return [first];
  const same = (row: WaitingMessage) =>
    row.message.join?.key === join.key && row.message.by.id === first.message.by.id && row.kind === first.kind;
  return upToSize([first, ...rest.filter(same)].slice(0, MAX_PIECES));
}

/** The first piece always, however large. */
function upToSize(rows: readonly WaitingMessage[]): readonly WaitingMessage[] {
  let room = MAX_BYTES;
  const over = rows.findIndex((row) => {
    room -= Buffer.byteLength(row.message.text);
    return room < 0;
  });
  return over === -1 ? rows : rows.slice(0, Math.max(1, over));
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
