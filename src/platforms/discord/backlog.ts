import { type Clock, pause } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import { CatchUp, type CatchUpDeps } from './catch-up.ts';
import type { ChannelLines } from './channel-lines.ts';
import type { MessageDesk } from './message-desk.ts';
import type { RawChannel, RawGuild } from './payloads.ts';
import { compareIds, PLATFORM, timeOf } from './place.ts';
import type { Mark, Watermarks } from './watermarks.ts';

/** A direct chat that was silent for longer is not asked about. */
const ACTIVE_MS = 7 * 24 * 60 * 60 * 1000;
const GUILD_WAIT_MS = 2_000;
const AGAIN_MS = 5_000;
/** Channels people write in: text, announcements, threads of both. */
const WRITTEN: ReadonlySet<number> = new Set([0, 5, 10, 11, 12]);

export interface BacklogDeps extends CatchUpDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly lines: ChannelLines;
  readonly desk: MessageDesk;
  readonly marks: Watermarks;
}

/** After each READY: what was said since each channel's mark is heard before anything newer of that channel. */
export class Backlog {
  readonly #deps: BacklogDeps;
  readonly #catchUp: CatchUp;
  /** Newest message of each channel, as its guild told last. */
  readonly #newest = new Map<string, string>();
  /** Guilds READY has announced that have not told of their channels yet. */
  #expected = new Map<string, AbortController>();
  #caught: Promise<unknown> = Promise.resolve();

  constructor(deps: BacklogDeps) {
    this.#deps = deps;
    this.#catchUp = new CatchUp(deps);
  }

  ready(guilds: readonly { readonly id: string }[]): void {
    this.#newest.clear();
    this.#expected = new Map(guilds.map(({ id }) => [id, new AbortController()]));
    const marks = this.#deps.maxAgeS === 0 ? [] : this.#deps.marks.all();
    this.#caught = Promise.all(marks.map(({ channel }) => this.#queue(channel)));
  }

  /** Resolves when everything missed before the last READY is heard, as far as Discord could be asked. */
  async caughtUp(): Promise<void> {
    await this.#caught;
  }

  /** A guild tells of its channels. What we see for the first time was never ours. */
  arrived({ id, channels = [], threads = [] }: RawGuild): void {
    for (const channel of [...channels, ...threads]) this.#seen(channel, id);
    this.#expected.get(id)?.abort();
    this.#expected.delete(id);
  }

  #seen({ id, type, last_message_id }: RawChannel, guild: string): void {
    if (!WRITTEN.has(type)) return;
    // The id of a channel without messages is older than whatever will be said there.
    this.#newest.set(id, last_message_id ?? id);
    this.#deps.marks.seed({ channel: id, guild, last: last_message_id ?? id });
  }

  #queue(channel: string): Promise<void> {
    return this.#deps.lines.push(channel, () => this.#channel(channel));
  }

  async #channel(channel: string): Promise<void> {
    const { marks, desk, log, clock } = this.#deps;
    const mark = marks.get(channel);
    if (!mark || !(await this.#isBehind(mark))) return;
    marks.open(channel);
    try {
      const missed = await this.#catchUp.since(mark);
      if (missed === 'gone') return marks.forget(channel);
      marks.close(channel);
      for (const raw of missed.messages) await desk.hear(raw);
      if (missed.upTo !== undefined && !this.#deps.over.aborted) marks.advance(channel, mark.guild, missed.upTo);
    } catch (error) {
      if (this.#deps.over.aborted) return;
      log.warn(
        { platform: PLATFORM, channel, error: String(error) },
        'What was missed in a channel cannot be read yet; it is tried again.',
      );
      clock.after(AGAIN_MS, () => void this.#queue(channel));
    }
  }

  /** A guild says which of its channels have news; of a direct chat only Discord knows. */
  async #isBehind(mark: Mark): Promise<boolean> {
    const { clock, over } = this.#deps;
    const expected = mark.guild === undefined ? undefined : this.#expected.get(mark.guild);
    if (expected) await pause(clock, GUILD_WAIT_MS, AbortSignal.any([expected.signal, over]));
    const newest = this.#newest.get(mark.channel);
    if (newest !== undefined) return compareIds(newest, mark.last) > 0;
    return clock.now() - timeOf(mark.last) <= ACTIVE_MS;
  }
}
