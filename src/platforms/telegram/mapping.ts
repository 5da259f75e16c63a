import type {
  CallbackQuery,
  ChatMemberUpdated,
  Message,
  MessageOrigin,
  MessageReactionUpdated,
  Update,
} from 'grammy/types';
import type { Address, ButtonPress, InboundMessage, Reaction } from '../../contract/message.ts';
import { actorOf, speakerOf, standIn } from './actor.ts';
import { commandOf, mentionsUs, replyOf } from './addressing.ts';
import type { BotIdentity } from './bot-identity.ts';
import { type Content, contentOf } from './content.ts';
import type { Joins, Piece } from './joins.ts';
import { addressOf, chatAddress } from './place.ts';

/** What one update means for core; `ignored` says why it means nothing. */
export type Mapped =
  | { readonly kind: 'message'; readonly message: InboundMessage }
  | { readonly kind: 'edited'; readonly message: InboundMessage }
  | { readonly kind: 'press'; readonly press: ButtonPress; readonly query: string }
  | { readonly kind: 'reactions'; readonly reactions: readonly Reaction[] }
  | { readonly kind: 'reach'; readonly address: Address; readonly reachable: boolean }
  | { readonly kind: 'moved'; readonly from: Address; readonly to: Address }
  | { readonly kind: 'stopped'; readonly address: Address; readonly draft: number }
  | { readonly kind: 'ignored'; readonly why: string; readonly query?: string };

export interface MappingFacts {
  readonly me: BotIdentity;
  readonly now: number;
}

const MAX_QUOTE = 500;

/** Turns one update into an event. Throws on an update whose shape it cannot read; unknown kinds are ignored. */
export function mapUpdate(update: Update, facts: MappingFacts, joins: Joins): Mapped {
  const eventId = `u:${update.update_id}`;
  if (update.message) return mapMessage(eventId, update.message, facts, joins);
  if (update.edited_message) return mapEdit(eventId, update.edited_message, facts);
  if (update.callback_query) return mapPress(eventId, update.callback_query, facts);
  if (update.my_chat_member) return mapMembership(update.my_chat_member, facts);
  if (update.message_reaction) return mapReaction(eventId, update.message_reaction, facts);
  if (update.stopped_message_generation) {
    const { chat, draft_id } = update.stopped_message_generation;
    return { kind: 'stopped', address: chatAddress(facts.me.id, chat.id), draft: draft_id };
  }
  return ignored('unknown kind');
}

function ignored(why: string): Mapped {
  return { kind: 'ignored', why };
}

function mapMessage(eventId: string, message: Message, facts: MappingFacts, joins: Joins): Mapped {
  const { me } = facts;
  if (message.migrate_to_chat_id !== undefined) return moved(me, message.chat.id, message.migrate_to_chat_id);
  if (message.migrate_from_chat_id !== undefined) return moved(me, message.migrate_from_chat_id, message.chat.id);
  if (String(message.from?.id ?? '') === me.id) return ignored('our own message');
  if (message.is_automatic_forward) return ignored('forwarded by Telegram from the linked channel');
  const content = contentOf(message);
  if (content.text === '' && content.attachments.length === 0) return ignored('a service message');
  const command = commandOf(content, message, me);
  if (command?.to === 'another') return ignored('a command for another bot');
  const inbound = inboundOf(eventId, message, content, me);
  const join = joins.hint(pieceOf(message, content, inbound));
  return {
    kind: 'message',
    message: {
      ...inbound,
      mentionsBot: inbound.mentionsBot || command?.byName === true,
      ...(command ? { command: { name: command.name, args: command.args } } : {}),
      ...(join ? { join } : {}),
    },
  };
}

/** Never a command: an edited message starts nothing. */
function mapEdit(eventId: string, message: Message, { me }: MappingFacts): Mapped {
  if (String(message.from?.id ?? '') === me.id) return ignored('our own message');
  const content = contentOf(message);
  if (content.text === '' && content.attachments.length === 0) return ignored('a service message');
  return { kind: 'edited', message: inboundOf(eventId, message, content, me) };
}

function moved(me: BotIdentity, from: number, to: number): Mapped {
  return { kind: 'moved', from: chatAddress(me.id, from), to: chatAddress(me.id, to) };
}

function inboundOf(eventId: string, message: Message, content: Content, me: BotIdentity): InboundMessage {
  const by = speakerOf(message);
  if (!by) throw new Error('nobody is named as its author');
  const reply = replyTo(message);
  const forwardedFrom = message.forward_origin && originLabel(message.forward_origin);
  return {
    eventId,
    messageId: String(message.message_id),
    by,
    address: addressOf(me.id, message),
    direct: message.chat.type === 'private',
    sentAt: message.date * 1000,
    text: content.text,
    attachments: content.attachments,
    mentionsBot: mentionsUs(content, message, me),
    ...(reply ? { replyTo: reply } : {}),
    ...(forwardedFrom === undefined ? {} : { forwardedFrom }),
  };
}

function pieceOf(message: Message, content: Content, inbound: InboundMessage): Piece {
  return {
    address: inbound.address,
    actor: inbound.by.id,
    messageId: message.message_id,
    date: message.date,
    text: content.text,
    files: content.attachments.length > 0,
    ...(message.media_group_id === undefined ? {} : { album: message.media_group_id }),
    plain: message.text !== undefined && !message.forward_origin && !inbound.replyTo,
  };
}

/** The exact words quoted, else the start of the message that is answered. */
function replyTo(message: Message): InboundMessage['replyTo'] {
  const reply = replyOf(message);
  if (!reply) return undefined;
  const quoted = message.quote?.text ?? contentOf(reply).text.slice(0, MAX_QUOTE).toWellFormed();
  return { messageId: String(reply.message_id), quoted };
}

function originLabel(origin: MessageOrigin): string {
  switch (origin.type) {
    case 'user':
      return actorOf(origin.sender_user).name;
    case 'hidden_user':
      return origin.sender_user_name;
    case 'chat':
      return standIn(origin.sender_chat).name;
    case 'channel':
      return standIn(origin.chat).name;
  }
}

function mapPress(eventId: string, query: CallbackQuery, { me, now }: MappingFacts): Mapped {
  const { message, data } = query;
  if (!message || data === undefined)
    return { kind: 'ignored', why: 'a press without message or data', query: query.id };
  const press: ButtonPress = {
    eventId,
    by: actorOf(query.from),
    address: addressOf(me.id, message as Message),
    direct: message.chat.type === 'private',
    sentAt: now,
    data,
    messageId: String(message.message_id),
  };
  return { kind: 'press', press, query: query.id };
}

function mapMembership({ chat, new_chat_member: member }: ChatMemberUpdated, { me }: MappingFacts): Mapped {
  const reachable = member.status === 'restricted' ? member.is_member : !['left', 'kicked'].includes(member.status);
  return { kind: 'reach', address: chatAddress(me.id, chat.id), reachable };
}

function mapReaction(
  eventId: string,
  { user, chat, message_id, date, old_reaction, new_reaction }: MessageReactionUpdated,
  { me }: MappingFacts,
): Mapped {
  if (!user) return ignored('an anonymous reaction');
  const emoji = (list: typeof new_reaction) =>
    list.flatMap((reaction) => (reaction.type === 'emoji' ? [reaction.emoji as string] : []));
  const before = new Set(emoji(old_reaction));
  const added = emoji(new_reaction).filter((one) => !before.has(one));
  const common = {
    by: actorOf(user),
    address: chatAddress(me.id, chat.id),
    direct: chat.type === 'private',
    sentAt: date * 1000,
  };
  const reactions = added.map((one, i) => ({
    eventId: i === 0 ? eventId : `${eventId}:${i}`,
    ...common,
    messageId: String(message_id),
    emoji: one,
  }));
  return { kind: 'reactions', reactions };
}
