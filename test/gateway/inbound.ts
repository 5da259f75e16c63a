import type { Address, InboundMessage } from '../../src/contract/message.ts';
import { person } from '../fakes/runs.ts';

let count = 0;

/** A message as an adapter hands it in; a test says what matters. Group messages have a chat id with a minus. */
export function inbound(text: string, said: Partial<InboundMessage> & { chat?: string } = {}): InboundMessage {
  const { chat = 'c1', ...rest } = said;
  const n = ++count;
  const address: Address = { platform: 'telegram', bot: 'b1', chat };
  return {
    eventId: `e${n}`,
    messageId: `in${n}`,
    by: person('ann'),
    address,
    direct: !chat.startsWith('-'),
    sentAt: Date.parse('2026-11-30T12:00:00Z'),
    text,
    attachments: [],
    mentionsBot: false,
    ...rest,
  };
}

/** A message that is a command: `/stop all`. */
export function command(text: string, said: Parameters<typeof inbound>[1] = {}): InboundMessage {
  const [name = '', ...args] = text.slice(1).split(' ');
  return inbound(text, { command: { name, args: args.join(' ') }, ...said });
}
