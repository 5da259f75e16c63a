import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { Address, InboundMessage } from '../../contract/message.ts';
import type { PlatformEvents } from '../../contract/platform.ts';
import { BotGuard } from './bot-guard.ts';
import { type ChannelBook, isThread } from './channel-book.ts';
import type { DiscordConfig } from './config.ts';
import { longPasteOf } from './content.ts';
import { DiscordError } from './failure.ts';
import type { Identity } from './identity.ts';
import { ignorable, type Mapped, type MessageFacts, mapEdit, mapMessage, mapReaction, mentions } from './mapping.ts';
import type { Media } from './media.ts';
import { Pastes } from './pastes.ts';
import type { RawMessage, RawReaction } from './payloads.ts';
import { addressOf, PLATFORM } from './place.ts';
import { RecentIds } from './recent-ids.ts';
import type { Storing } from './storing.ts';
import type { Watermarks } from './watermarks.ts';

const REMEMBERED = 5_000;
/** Channels in which a call may open a thread: texts and announcements. */
const OPENS_THREADS: ReadonlySet<number> = new Set([0, 5]);

export interface MessageDeskDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly config: DiscordConfig;
  readonly events: PlatformEvents;
  readonly identity: Identity;
  readonly book: ChannelBook;
  readonly marks: Watermarks;
  readonly media: Media;
  readonly storing: Storing;
  readonly over: AbortSignal;
  /** Ids of messages that nothing of ours may reply to. */
  readonly unanswerable: RecentIds;
}

interface Place {
  readonly address: Address;
  readonly calledInto: boolean;
}

/** Takes in messages, edits and reactions, each in the line of its channel. */
export class MessageDesk {
  readonly #deps: MessageDeskDeps;
  readonly #pastes = new Pastes();
  readonly #bots: BotGuard;
  readonly #stored = new RecentIds(REMEMBERED);

  constructor(deps: MessageDeskDeps) {
    this.#deps = deps;
    this.#bots = new BotGuard(deps.clock);
  }

  /** Resolves when the message is stored or means nothing, and its channel's mark has moved on. */
  async hear(raw: RawMessage): Promise<void> {
    const why = this.#stored.has(raw.id) ? 'known' : (ignorable(raw, this.#deps.identity.bot) ?? this.#muted(raw));
    if (why === undefined && !(await this.#take(raw))) return;
    this.#stored.add(raw.id);
    this.#deps.marks.advance(raw.channel_id, raw.guild_id, raw.id);
  }

  async edited(raw: RawMessage): Promise<void> {
    const { identity, events, storing } = this.#deps;
    if (!raw.edited_timestamp || raw.content === undefined || ignorable(raw, identity.bot) !== undefined) return;
    await storing.tell(`e:${raw.id}`, async () => {
      const message = mapEdit(raw, await this.#facts(raw));
      if (message) await events.edited(message);
    });
  }

  async reacted(raw: RawReaction): Promise<void> {
    const { identity, events, storing, clock } = this.#deps;
    if (raw.user_id === identity.bot) return;
    await storing.tell(`r:${raw.message_id}`, async () => {
      const { address } = await this.#place(raw, false);
      await events.reaction(mapReaction(raw, address, clock.now()));
    });
  }

  /** False: we were stopped before it was stored. */
  async #take(raw: RawMessage): Promise<boolean> {
    const { events, marks, storing } = this.#deps;
    let mapped: Mapped | 'unreadable' | undefined;
    const told = await storing.tell(`m:${raw.id}`, async () => {
      marks.begin(raw.channel_id, raw.guild_id, raw.id);
      mapped ??= await this.#read(raw);
      if (mapped === 'unreadable') return this.#refuse(raw, 'its shape is unknown');
      if (mapped.kind === 'message') return events.message(this.#joinable(mapped));
    });
    if (told.kind === 'hopeless')
      await storing.tell(`m:${raw.id}`, () => this.#refuse(raw, 'it could not be stored ten times'));
    return told.kind !== 'stopped';
  }

  /** A bot that calls us again and again; whatever it says, nothing of ours ever replies to it. */
  #muted(raw: RawMessage): string | undefined {
    const { identity, unanswerable, log } = this.#deps;
    if (!raw.author?.bot) return undefined;
    unanswerable.add(raw.id);
    if (!mentions(raw, identity.bot) || this.#bots.hears(raw.author.id)) return undefined;
    log.info(
      { platform: PLATFORM, bot: raw.author.id },
      'A bot calls again and again; it is not heard for ten minutes.',
    );
    return 'a bot that calls too often';
  }

  /** Rejects with DiscordError when Discord has to be asked and cannot be. */
  async #read(raw: RawMessage): Promise<Mapped | 'unreadable'> {
    try {
      const mapped = mapMessage(raw, await this.#facts(raw));
      if (mapped.kind === 'ignored') return mapped;
      const join = this.#pastes.hint(mapped.piece);
      return join ? { ...mapped, message: { ...mapped.message, join } } : mapped;
    } catch (error) {
      if (error instanceof DiscordError) throw error;
      const facts = { platform: PLATFORM, message: raw.id, reason: String(error).slice(0, 200) };
      this.#deps.log.warn(facts, 'A message cannot be read; it is kept as refused.');
      return 'unreadable';
    }
  }

  #joinable({ message }: Extract<Mapped, { kind: 'message' }>): InboundMessage {
    const { address, mentionsBot } = message;
    if (mentionsBot && address.thread !== undefined) this.#deps.book.join(address.thread);
    return message;
  }

  async #facts(raw: RawMessage): Promise<MessageFacts> {
    const { identity, book, media, over } = this.#deps;
    const called = mentions(raw, identity.bot);
    const { address, calledInto } = await this.#place(raw, called);
    const file = longPasteOf(raw);
    const from = book.get(raw.message_reference?.channel_id ?? '')?.name;
    return {
      me: identity.bot,
      address,
      calledInto,
      direct: raw.guild_id === undefined,
      guild: raw.guild_id,
      source: from && `#${from}`,
      pasted: file && (await media.text(raw, file, over)),
    };
  }

  /** Only gateway payloads without a guild are direct. `called`: the message calls us, which may open a thread. */
  async #place(
    raw: Pick<RawMessage, 'channel_id' | 'guild_id' | 'channel_type'> & { readonly id?: string },
    called: boolean,
  ): Promise<Place> {
    const { identity, book, config } = this.#deps;
    const { channel_id: channel, guild_id: guild } = raw;
    if (guild === undefined) return { address: addressOf(identity.bot, channel), calledInto: false };
    const plain = raw.channel_type !== undefined && !isThread(raw.channel_type);
    const known = plain ? book.get(channel) : await book.find(channel);
    if (known?.parent !== undefined && isThread(known.type))
      return { address: addressOf(identity.bot, known.parent, channel), calledInto: book.isJoined(channel) };
    const opens = called && config.autoThread && OPENS_THREADS.has(known?.type ?? raw.channel_type ?? -1);
    return { address: addressOf(identity.bot, channel, opens ? raw.id : undefined), calledInto: false };
  }

  async #refuse(raw: RawMessage, reason: string): Promise<void> {
    const { events, identity, log } = this.#deps;
    log.error({ platform: PLATFORM, message: raw.id, reason }, 'A message was refused; it is not acted on.');
    const by = { platform: PLATFORM, id: raw.author?.id ?? '', name: '' };
    const address = addressOf(identity.bot, raw.channel_id);
    await events.refused?.({
      platform: PLATFORM,
      bot: identity.bot,
      eventId: `m:${raw.id}`,
      reason,
      raw: JSON.stringify(raw),
      from: { by, address, direct: raw.guild_id === undefined },
    });
  }
}
