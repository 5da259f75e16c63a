import type { Message, MessageEntity } from 'grammy/types';
import type { BotIdentity } from './bot-identity.ts';
import type { Content } from './content.ts';

export type Command =
  | { readonly to: 'us'; readonly name: string; readonly args: string; readonly byName: boolean }
  | { readonly to: 'another' };

/** A command at the very start; a forwarded one is only text. */
export function commandOf({ text, entities }: Content, message: Message, me: BotIdentity): Command | undefined {
  const entity = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0);
  if (!entity || message.forward_origin) return undefined;
  const [name = '', addressee] = text.slice(1, entity.length).split('@');
  if (addressee !== undefined && addressee.toLowerCase() !== me.name.toLowerCase()) return { to: 'another' };
  return {
    to: 'us',
    name: name.toLowerCase(),
    args: text.slice(entity.length).trim(),
    byName: addressee !== undefined,
  };
}

/** Named, or answered: what makes a message in a group one for us. */
export function mentionsUs(content: Content, message: Message, me: BotIdentity): boolean {
  const named = content.entities.some((entity) => isOurs(content.text, entity, me));
  return named || String(replyOf(message)?.from?.id ?? '') === me.id;
}

/** `@bot-dev` is somebody else's name although Telegram marks `@bot` in it. */
function isOurs(text: string, entity: MessageEntity, me: BotIdentity): boolean {
  if (entity.type === 'text_mention') return String(entity.user.id) === me.id;
  if (entity.type !== 'mention') return false;
  const stop = entity.offset + entity.length;
  const name = text.slice(entity.offset + 1, stop);
  return name.toLowerCase() === me.name.toLowerCase() && !/^-\w/.test(text.slice(stop, stop + 2));
}

/** The message that is answered. Every message of a topic carries its opening as a reply: that one does not count. */
export function replyOf(message: Message): Message | undefined {
  const reply = message.reply_to_message as Message | undefined;
  if (!reply) return undefined;
  const opening = message.is_topic_message === true && reply.message_id === message.message_thread_id;
  return opening || reply.forum_topic_created ? undefined : reply;
}
