import type { Chat, Message, User } from 'grammy/types';
import type { Actor } from '../../contract/message.ts';
import { PLATFORM } from './place.ts';

/** Telegram's own accounts that speak for somebody unknown: anonymous admins, channels, the service account. */
const STAND_INS = new Set([1087968824, 136817688, 777000]);

export function actorOf(user: User): Actor {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ') || user.username || String(user.id);
  return {
    platform: PLATFORM,
    id: String(user.id),
    name,
    ...(user.is_bot ? { bot: true } : {}),
    ...(STAND_INS.has(user.id) ? { standIn: true } : {}),
  };
}

/** Who said a message; whoever speaks as a chat is nobody we could identify. Undefined if nobody is named. */
export function speakerOf(message: Message): Actor | undefined {
  if (message.sender_chat) return standIn(message.sender_chat);
  return message.from && actorOf(message.from);
}

export function standIn(chat: Chat): Actor {
  return { platform: PLATFORM, id: String(chat.id), name: chat.title ?? `chat ${chat.id}`, standIn: true };
}
