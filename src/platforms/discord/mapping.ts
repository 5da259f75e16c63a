import type { Actor, Address, ButtonPress, FormAnswer, InboundMessage, Reaction } from '../../contract/message.ts';
import { actorOf } from './actor.ts';
import { contentOf } from './content.ts';
import type { Piece } from './pastes.ts';
import type { RawComponent, RawInteraction, RawMessage, RawReaction, RawUser } from './payloads.ts';
import { addressOf, timeOf } from './place.ts';
import { TEXT_OPTION } from './slash-commands.ts';

/** What the payload alone does not tell. */
export interface MessageFacts {
  readonly me: string;
  readonly address: Address;
  readonly direct: boolean;
  readonly guild: string | undefined;
  /** Every word there is for us. */
  readonly calledInto: boolean;
  /** Where a forward comes from, if we know. */
  readonly source: string | undefined;
  /** The words of a paste that came as a file. */
  readonly pasted: string | undefined;
}

export type Mapped =
  | { readonly kind: 'message'; readonly message: InboundMessage; readonly piece: Piece }
  | { readonly kind: 'ignored'; readonly why: string };

const MAX_QUOTE = 500;
/** Plain messages and replies; all others are news of the channel, or twins of something else. */
const SPOKEN: ReadonlySet<number> = new Set([0, 19]);

/** Why a message is none of our business, without looking at where it was said. */
export function ignorable(raw: RawMessage, me: string): string | undefined {
  if (raw.author?.id === me) return 'our own message';
  return SPOKEN.has(raw.type ?? 0) ? undefined : `type ${raw.type}`;
}

/** Turns one message into an event. Throws on one whose shape it cannot read. */
export function mapMessage(raw: RawMessage, facts: MessageFacts): Mapped {
  const content = contentOf(raw, facts.me);
  const text = facts.pasted ?? content.text;
  const attachments = facts.pasted === undefined ? content.attachments : [];
  if (text === '' && attachments.length === 0) return { kind: 'ignored', why: 'nothing said' };
  const by = authorOf(raw, facts.guild);
  const command = content.forwarded ? undefined : commandOf(text);
  const reply = replyOf(raw, facts.me);
  const message: InboundMessage = {
    eventId: `m:${raw.id}`,
    messageId: raw.id,
    by,
    address: facts.address,
    direct: facts.direct,
    sentAt: timeOf(raw.id),
    text,
    attachments,
    mentionsBot: facts.direct || facts.calledInto || mentions(raw, facts.me),
    ...(command ? { command } : {}),
    ...(reply ? { replyTo: reply } : {}),
    ...(content.forwarded ? { forwardedFrom: facts.source ?? 'another channel' } : {}),
  };
  const plain = !content.forwarded && !reply && !command;
  const piece = {
    channel: raw.channel_id,
    actor: by.id,
    messageId: raw.id,
    sentAt: message.sentAt,
    text,
    files: attachments.length > 0,
    plain,
  };
  return { kind: 'message', message, piece };
}

/** Never a command: an edited message starts nothing. Undefined: nothing a person did, a link preview that came. */
export function mapEdit(raw: RawMessage, facts: MessageFacts): InboundMessage | undefined {
  if (!raw.edited_timestamp || raw.content === undefined || !raw.author) return undefined;
  const mapped = mapMessage(raw, facts);
  if (mapped.kind === 'ignored') return undefined;
  const { command: _, ...message } = mapped.message;
  return { ...message, eventId: `e:${raw.id}:${raw.edited_timestamp}` };
}

function authorOf({ author, member, webhook_id }: RawMessage, guild: string | undefined): Actor {
  if (!author?.id) throw new Error('nobody is named as its author');
  return actorOf(author, { guild, member, webhook: webhook_id !== undefined });
}

/** Named, or answered: what makes a message in a guild one for us. */
export function mentions({ mentions: named, referenced_message }: RawMessage, me: string): boolean {
  const called = Array.isArray(named) && named.some(({ id }) => id === me);
  return called || referenced_message?.author?.id === me;
}

/** At the very start of the text; a path like `/etc/hosts` is none. */
function commandOf(text: string): InboundMessage['command'] {
  const [, name, args] = /^\/([a-z0-9_-]{1,32})(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: (args ?? '').trim() };
}

function replyOf(raw: RawMessage, me: string): InboundMessage['replyTo'] {
  const id = raw.message_reference?.message_id;
  if (id === undefined || (raw.message_reference?.type ?? 0) !== 0) return undefined;
  const quoted = raw.referenced_message ? contentOf(raw.referenced_message, me).text : '';
  return { messageId: id, quoted: quoted.slice(0, MAX_QUOTE).toWellFormed() };
}

export interface InteractionPlace {
  readonly by: Actor;
  readonly address: Address;
  readonly direct: boolean;
}

const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);

/** Who pressed and where, from the interaction alone. Throws on one whose shape it cannot read. */
export function placeOf(raw: RawInteraction, bot: string): InteractionPlace {
  const user: RawUser | undefined = raw.member?.user ?? raw.user;
  const channel = raw.channel_id ?? raw.channel?.id;
  if (!user?.id || channel === undefined) throw new Error('it names no person or no channel');
  const parent = raw.channel && THREADS.has(raw.channel.type) ? (raw.channel.parent_id ?? undefined) : undefined;
  const address = parent === undefined ? addressOf(bot, channel) : addressOf(bot, parent, channel);
  const by = actorOf(user, { guild: raw.guild_id, member: raw.member });
  return { by, address, direct: raw.guild_id === undefined };
}

function eventOf(raw: RawInteraction, place: InteractionPlace) {
  return { eventId: `i:${raw.id}`, ...place, sentAt: timeOf(raw.id) };
}

export function mapPress(raw: RawInteraction, place: InteractionPlace): ButtonPress {
  return { ...eventOf(raw, place), data: raw.data?.custom_id ?? '', ...messageIdOf(raw) };
}

export function mapForm(raw: RawInteraction, place: InteractionPlace): FormAnswer {
  const text = typed(raw.data?.components ?? []);
  return { ...eventOf(raw, place), data: raw.data?.custom_id ?? '', text, ...messageIdOf(raw) };
}

function messageIdOf({ message }: RawInteraction): { messageId?: string } {
  return message ? { messageId: message.id } : {};
}

function typed(components: readonly RawComponent[]): string {
  const found = components.flatMap((one) => [one, one.component ?? {}, ...(one.components ?? [])]);
  return found.find(({ value }) => value !== undefined)?.value ?? '';
}

/** A slash command as the message a person would have written. */
export function mapSlash(raw: RawInteraction, place: InteractionPlace): InboundMessage {
  const name = (raw.data?.name ?? '').toLowerCase();
  const args = String(raw.data?.options?.find((option) => option.name === TEXT_OPTION)?.value ?? '').trim();
  return {
    ...eventOf(raw, place),
    messageId: raw.id,
    text: args === '' ? `/${name}` : `/${name} ${args}`,
    command: { name, args },
    attachments: [],
    mentionsBot: true,
  };
}

export function mapReaction(raw: RawReaction, address: Address, sentAt: number): Reaction {
  const emoji = raw.emoji.name ?? '';
  const user: RawUser = raw.member?.user ?? { id: raw.user_id };
  return {
    eventId: `r:${raw.message_id}:${raw.user_id}:${raw.emoji.id ?? emoji}`,
    by: actorOf(user, { guild: raw.guild_id, member: raw.member }),
    address,
    direct: raw.guild_id === undefined,
    sentAt,
    messageId: raw.message_id,
    emoji,
  };
}
