import type { Address } from '../../contract/message.ts';
import type { KeyValue, PlatformEvents } from '../../contract/platform.ts';
import type { ChannelBook } from './channel-book.ts';
import type { Identity } from './identity.ts';
import type { RawChannel, RawGuild } from './payloads.ts';
import { addressOf } from './place.ts';
import type { Storing } from './storing.ts';
import type { Watermarks } from './watermarks.ts';

const STATE = 'gone';
const MAX_GONE = 1_000;

export interface GuildNewsDeps {
  readonly state: KeyValue;
  readonly events: PlatformEvents;
  readonly identity: Identity;
  readonly book: ChannelBook;
  readonly marks: Watermarks;
  readonly storing: Storing;
}

/** Channels and guilds that come and go. Of those where people talked to us core is told whether they can be reached. */
export class GuildNews {
  readonly #deps: GuildNewsDeps;
  #gone: readonly string[];

  constructor(deps: GuildNewsDeps) {
    this.#deps = deps;
    this.#gone = (deps.state.get(STATE) ?? '').split(' ').filter(Boolean);
  }

  arrived(guild: RawGuild): void {
    this.#deps.book.learnGuild(guild);
    for (const { id } of [...(guild.channels ?? []), ...(guild.threads ?? [])])
      if (this.#gone.includes(id)) this.#back(id);
  }

  /** An outage is no removal: `unavailable` says so. */
  left({ id, unavailable }: RawGuild): void {
    if (unavailable) return;
    const { marks, book } = this.#deps;
    const heard = marks.all().filter(({ guild, used }) => guild === id && used);
    // With the channel around a thread the thread is lost, too.
    const channels = heard.map(({ channel }) => (book.isThread(channel) && book.get(channel)?.parent) || channel);
    for (const channel of new Set(channels)) this.#lost(channel);
  }

  changed(channel: RawChannel): void {
    this.#deps.book.learn(channel);
  }

  deleted({ id, parent_id, guild_id, type }: RawChannel): void {
    const { book, marks } = this.#deps;
    // The payload of a deleted thread is what the book may not know.
    if (!book.get(id))
      book.learn({ id, type, parent_id: parent_id ?? null, ...(guild_id === undefined ? {} : { guild_id }) });
    if (marks.get(id)?.used) this.#lost(id);
    book.forget(id);
    marks.forget(id);
  }

  #lost(channel: string): void {
    this.#remember([...this.#gone.filter((id) => id !== channel), channel].slice(-MAX_GONE));
    this.#tell(channel, false);
  }

  #back(channel: string): void {
    this.#remember(this.#gone.filter((id) => id !== channel));
    this.#tell(channel, true);
  }

  #remember(gone: readonly string[]): void {
    this.#gone = gone;
    this.#deps.state.set(STATE, gone.join(' '));
  }

  #tell(channel: string, reachable: boolean): void {
    const { storing, events } = this.#deps;
    const address = this.#address(channel);
    void storing.tell(`reach:${channel}`, () => events.reach(address, reachable));
  }

  #address(channel: string): Address {
    const { book, identity } = this.#deps;
    const parent = book.get(channel)?.parent;
    const thread = parent !== undefined && book.isThread(channel);
    return thread ? addressOf(identity.bot, parent, channel) : addressOf(identity.bot, channel);
  }
}
