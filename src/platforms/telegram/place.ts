import type { Message } from 'grammy/types';
import type { Address } from '../../contract/message.ts';

export const PLATFORM = 'telegram';

/**
 * Where a message was said. A thread only where Telegram calls it a topic: elsewhere its thread id is a reply chain and is
 * never sent back. The General topic has no id.
 */
export function addressOf(bot: string, message: Message): Address {
  const thread = message.is_topic_message && message.message_thread_id !== 1 ? message.message_thread_id : undefined;
  const via = viaOf(message);
  return {
    platform: PLATFORM,
    bot,
    chat: String(message.chat.id),
    ...(thread === undefined ? {} : { thread: String(thread) }),
    ...(via === undefined ? {} : { via }),
  };
}

export function chatAddress(bot: string, chat: number): Address {
  return { platform: PLATFORM, bot, chat: String(chat) };
}

function viaOf(message: Message): string | undefined {
  if (message.business_connection_id !== undefined) return `b:${message.business_connection_id}`;
  const topic = message.direct_messages_topic;
  return topic === undefined ? undefined : `d:${topic.topic_id}`;
}

export interface Destination {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly business_connection_id?: string;
  readonly direct_messages_topic_id?: number;
}

/** An address as the fields of a call. */
export function destination(to: Address): Destination {
  const [kind, id] = [to.via?.slice(0, 2), to.via?.slice(2)];
  return {
    chat_id: Number(to.chat),
    ...(to.thread === undefined ? {} : { message_thread_id: Number(to.thread) }),
    ...(kind === 'b:' && id ? { business_connection_id: id } : {}),
    ...(kind === 'd:' && id ? { direct_messages_topic_id: Number(id) } : {}),
  };
}
