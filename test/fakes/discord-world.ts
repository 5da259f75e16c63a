import type { Clock } from '../../src/contract/clock.ts';
import {
  CHANNEL,
  type WireAttachment,
  type WireChannel,
  type WireMember,
  type WireMessage,
  type WireUser,
} from './discord-wire.ts';

export type Permission = 'view' | 'send' | 'history' | 'threads' | 'attach' | 'react';

export interface FakeGuild {
  readonly id: string;
  readonly name: string;
  /** Role ids by user id. */
  readonly members: Map<string, string[]>;
  readonly channels: Set<string>;
  /** An outage: no GUILD_CREATE until it is over. */
  unavailable: boolean;
  /** The bot was thrown out. */
  left: boolean;
  maxFileBytes: number;
}

export interface StoredMessage {
  readonly wire: WireMessage;
  readonly mine: boolean;
  readonly silent: boolean;
  deleted: boolean;
  /** False once Discord takes no more edits of it. */
  editable: boolean;
  edits: number;
  /** Ids of those who were pinged by it. */
  readonly pinged: readonly string[];
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
  readonly reactions: Set<string>;
}

export interface FakeChannel {
  readonly wire: WireChannel;
  readonly messages: StoredMessage[];
  /** What the bot may not do here. */
  readonly denied: Set<Permission>;
  readonly typing: number[];
  deleted: boolean;
  /** The person of this direct chat takes no messages. */
  closed: boolean;
}

export interface Dispatch {
  readonly t: string;
  readonly d: object;
}

const EPOCH = 1_420_070_400_000;
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Everything Discord knows: people, guilds, channels and what was said in them. */
export class World {
  readonly clock: Clock;
  readonly bot: WireUser;
  readonly application: string;
  readonly users = new Map<string, WireUser>();
  readonly guilds = new Map<string, FakeGuild>();
  readonly channels = new Map<string, FakeChannel>();
  /** Bytes behind attachment URLs, by path; `expired` ones answer 404. */
  readonly media = new Map<string, { readonly bytes: Buffer; expired: boolean }>();
  /** Whether MESSAGE_CREATE names the channel's type. */
  channelTypes = false;
  mediaUrl = '';
  dispatch: (event: Dispatch) => void = () => {};
  #lastId = 0n;
  readonly #watchers = new Set<() => void>();

  constructor(clock: Clock, botId: string, application: string) {
    this.clock = clock;
    this.application = application;
    this.bot = { ...userOf(botId, 'Hermod'), bot: true };
    this.users.set(botId, this.bot);
  }

  /** 18 or 19 digits, always growing. */
  id(): string {
    const wanted = BigInt(Math.max(0, Math.floor(this.clock.now()) - EPOCH)) << 22n;
    this.#lastId = wanted > this.#lastId ? wanted : this.#lastId + 1n;
    return String(this.#lastId);
  }

  time(): string {
    return new Date(this.clock.now()).toISOString().replace('Z', '000+00:00');
  }

  watch(fn: () => void): () => void {
    this.#watchers.add(fn);
    return () => this.#watchers.delete(fn);
  }

  changed(): void {
    for (const fn of [...this.#watchers]) fn();
  }

  user(id: string, name: string, bot = false): WireUser {
    const known = this.users.get(id);
    if (known) return known;
    const user: WireUser = { ...userOf(id, name), ...(bot ? { bot: true } : {}) };
    this.users.set(id, user);
    return user;
  }

  guild(name: string): FakeGuild {
    const known = [...this.guilds.values()].find((guild) => guild.name === name);
    if (known) return known;
    const about = { unavailable: false, left: false, maxFileBytes: MAX_FILE_BYTES };
    const guild: FakeGuild = { id: this.id(), name, members: new Map(), channels: new Set(), ...about };
    this.guilds.set(guild.id, guild);
    return guild;
  }

  channel(wire: Omit<WireChannel, 'id'> & { readonly id?: string }): FakeChannel {
    const full = { id: this.id(), last_message_id: null, ...wire } as WireChannel;
    const channel: FakeChannel = {
      wire: full,
      messages: [],
      denied: new Set(),
      typing: [],
      deleted: false,
      closed: false,
    };
    this.channels.set(full.id, channel);
    if (full.guild_id !== undefined) this.guilds.get(full.guild_id)?.channels.add(full.id);
    return channel;
  }

  thread(parent: FakeChannel, name: string, about: { readonly owner: string; readonly id?: string }): FakeChannel {
    const meta = { archived: false, locked: false, auto_archive_duration: 4320, archive_timestamp: this.time() };
    return this.channel({
      ...(about.id === undefined ? {} : { id: about.id }),
      type: CHANNEL.thread,
      guild_id: parent.wire.guild_id as string,
      parent_id: parent.wire.id,
      name,
      owner_id: about.owner,
      thread_metadata: meta,
    });
  }

  dm(user: WireUser): FakeChannel {
    const known = [...this.channels.values()].find(
      ({ wire }) => wire.type === CHANNEL.dm && wire.recipients?.[0]?.id === user.id,
    );
    return known ?? this.channel({ type: CHANNEL.dm, recipients: [user] });
  }

  member(guild: FakeGuild, user: WireUser): WireMember {
    const roles = guild.members.get(user.id) ?? [];
    return { roles, nick: null, joined_at: '2026-01-01T00:00:00.000000+00:00', deaf: false, mute: false, flags: 0 };
  }

  find(channel: FakeChannel, id: string): StoredMessage | undefined {
    return channel.messages.find((message) => message.wire.id === id && !message.deleted);
  }

  /** Adds a message without telling anybody. */
  add(channel: FakeChannel, fields: Partial<WireMessage>, about: Partial<StoredMessage> = {}): StoredMessage {
    const id = fields.id ?? this.id();
    const wire: WireMessage = {
      id,
      channel_id: channel.wire.id,
      author: this.bot,
      content: '',
      timestamp: this.time(),
      edited_timestamp: null,
      tts: false,
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      pinned: false,
      type: 0,
      flags: 0,
      components: [],
      ...fields,
    };
    const mine = wire.author.id === this.bot.id;
    const more = { mine, silent: false, deleted: false, editable: true, edits: 0, pinged: [], files: [], ...about };
    const stored: StoredMessage = { reactions: new Set(), ...more, wire };
    channel.messages.push(stored);
    channel.wire.last_message_id = id;
    this.changed();
    return stored;
  }

  /** What the gateway says of a message. */
  messageEvent(channel: FakeChannel, { wire }: StoredMessage): object {
    const guild = this.guilds.get(channel.wire.guild_id ?? '');
    const type = this.channelTypes ? { channel_type: channel.wire.type } : {};
    if (!guild) return { ...wire, ...type };
    const person = wire.webhook_id === undefined ? { member: this.member(guild, wire.author) } : {};
    return { ...wire, ...type, guild_id: guild.id, ...person };
  }

  guildEvent(guild: FakeGuild): object {
    const channels = [...guild.channels].flatMap((id) => this.channels.get(id) ?? []).filter(({ deleted }) => !deleted);
    const isThread = ({ wire }: FakeChannel) => wire.type === CHANNEL.thread;
    return {
      id: guild.id,
      name: guild.name,
      unavailable: false,
      member_count: guild.members.size,
      large: false,
      channels: channels.filter((channel) => !isThread(channel)).map(({ wire }) => wire),
      threads: channels
        .filter(isThread)
        .filter(({ wire }) => !wire.thread_metadata?.archived)
        .map(({ wire }) => wire),
      members: [{ user: this.bot, ...this.member(guild, this.bot) }],
      roles: [{ id: guild.id, name: '@everyone', permissions: '0', position: 0 }],
      emojis: [],
      stickers: [],
      presences: [],
      voice_states: [],
      stage_instances: [],
      guild_scheduled_events: [],
      soundboard_sounds: [],
    };
  }

  /** Keeps bytes and gives the attachment that points to them. */
  store(channel: string, name: string, bytes: Buffer, more: object = {}): WireAttachment {
    const id = this.id();
    const path = `/attachments/${channel}/${id}/${encodeURIComponent(name)}`;
    const signed = `${path}?ex=${id}`;
    this.media.set(signed, { bytes, expired: false });
    const url = `${this.mediaUrl}${signed}`;
    return { id, filename: name, size: bytes.length, url, proxy_url: url, ...more };
  }
}

function userOf(id: string, name: string): WireUser {
  if (!/^\d{17,19}$/.test(id)) throw new Error(`${id} is no snowflake: Discord's ids have 17 to 19 digits.`);
  const username = name.toLowerCase().replace(/[^a-z0-9_.]/g, '_');
  return { id, username, global_name: name, discriminator: '0', avatar: null };
}
