import type { KeyValue } from '../../contract/platform.ts';
import { Backlog } from './backlog.ts';
import { ChannelLines } from './channel-lines.ts';
import type { Packet } from './gateway-session.ts';
import { GuildNews } from './guild-news.ts';
import { InteractionDesk } from './interaction-desk.ts';
import { MessageDesk, type MessageDeskDeps } from './message-desk.ts';
import type { RawChannel, RawGuild, RawInteraction, RawMessage, RawReaction, RawReady } from './payloads.ts';
import type { RestClient } from './rest-client.ts';
import type { UploadLimits } from './upload-limits.ts';

export interface IntakeDeps extends MessageDeskDeps {
  readonly rest: RestClient;
  readonly state: KeyValue;
  readonly uploads: UploadLimits;
  readonly rolesMatter: boolean;
}

type Reader = (intake: Intake, payload: never) => unknown;

/** Where each kind of dispatch goes. What is not listed means nothing here. */
const READERS: Readonly<Record<string, Reader>> = {
  READY: (intake, ready: RawReady) => intake.backlog.ready(ready.guilds ?? []),
  GUILD_CREATE: (intake, guild: RawGuild) => intake.guild(guild),
  GUILD_DELETE: ({ news }, guild: RawGuild) => news.left(guild),
  CHANNEL_CREATE: ({ news }, channel: RawChannel) => news.changed(channel),
  CHANNEL_UPDATE: ({ news }, channel: RawChannel) => news.changed(channel),
  CHANNEL_DELETE: ({ news }, channel: RawChannel) => news.deleted(channel),
  THREAD_CREATE: ({ news }, thread: RawChannel) => news.changed(thread),
  THREAD_UPDATE: ({ news }, thread: RawChannel) => news.changed(thread),
  THREAD_DELETE: ({ news }, thread: RawChannel) => news.deleted(thread),
  THREAD_LIST_SYNC: ({ news }, { threads = [] }: { threads?: readonly RawChannel[] }) => {
    for (const thread of threads) news.changed(thread);
  },
  MESSAGE_CREATE: ({ lines, messages }, raw: RawMessage) => lines.push(raw.channel_id, () => messages.hear(raw)),
  MESSAGE_UPDATE: ({ lines, messages }, raw: RawMessage) => lines.push(raw.channel_id, () => messages.edited(raw)),
  MESSAGE_REACTION_ADD: ({ lines, messages }, raw: RawReaction) =>
    lines.push(raw.channel_id, () => messages.reacted(raw)),
  INTERACTION_CREATE: (intake, raw: RawInteraction) => intake.interaction(raw),
};

/** Everything that comes over the socket: each kind to its desk, messages in the line of their channel, presses beside it. */
export class Intake {
  readonly lines: ChannelLines;
  readonly messages: MessageDesk;
  readonly backlog: Backlog;
  readonly news: GuildNews;
  readonly #interactions: InteractionDesk;
  readonly #uploads: UploadLimits;

  constructor(deps: IntakeDeps) {
    const { identity, config } = deps;
    this.lines = new ChannelLines(deps.log);
    this.messages = new MessageDesk(deps);
    this.news = new GuildNews(deps);
    this.backlog = new Backlog({ ...deps, ...config.catchUp, lines: this.lines, desk: this.messages });
    const who = { bot: () => identity.bot, application: () => identity.application };
    this.#interactions = new InteractionDesk({ ...deps, ...who });
    this.#uploads = deps.uploads;
  }

  packet({ t, d }: Packet): void {
    READERS[t]?.(this, d as never);
  }

  guild(guild: RawGuild): void {
    if (guild.unavailable) return;
    this.news.arrived(guild);
    this.backlog.arrived(guild);
  }

  interaction(raw: RawInteraction): void {
    this.#uploads.learn(raw.guild_id, raw.attachment_size_limit);
    void this.#interactions.take(raw);
  }
}
