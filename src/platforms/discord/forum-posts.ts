import type { Clock } from '../../contract/clock.ts';
import type { Address, SentMessage } from '../../contract/message.ts';
import type { PlatformAdapter } from '../../contract/platform.ts';
import type { ChannelBook } from './channel-book.ts';
import { DiscordError } from './failure.ts';
import type { Identity } from './identity.ts';
import type { RawChannel } from './payloads.ts';
import { addressOf, timeOf } from './place.ts';
import type { PostRecord, PostRecords } from './post-records.ts';
import type { Call, RestClient } from './rest-client.ts';
import { titleOf } from './thread-opener.ts';

/** Discord's clock and ours may differ by this much. */
const SKEW_MS = 10_000;
/** The post is not there any more, or closed. */
const CLOSED: ReadonlySet<number> = new Set([10003, 50083]);

type SendOptions = Parameters<PlatformAdapter['send']>[2];

/** What one call carries; `title` names the post if this opens it. */
export interface PostPart extends Pick<Call, 'files' | 'timeoutMs'> {
  readonly title: string;
  readonly body: object;
}

export interface ForumPostsDeps {
  readonly rest: RestClient;
  readonly book: ChannelBook;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly records: PostRecords;
}

/** A forum takes no messages: the first part of one opens a post, the others go there. A post has no nonce, so a lost answer is looked up. */
export class ForumPosts {
  readonly #deps: ForumPostsDeps;

  constructor(deps: ForumPostsDeps) {
    this.#deps = deps;
  }

  async send(forum: Address, part: PostPart, options: SendOptions): Promise<SentMessage> {
    const message = options.key.replace(/#\d+$/, '');
    const known = this.#deps.records.of(message);
    const sent = known?.post === undefined ? undefined : await this.#reply(forum, known.post, part, options);
    return sent ?? this.#first(forum, part, known, message, options.signal);
  }

  /** Undefined: the post is gone meanwhile. */
  async #reply(
    forum: Address,
    post: string,
    { title: _, ...part }: PostPart,
    { signal }: SendOptions,
  ): Promise<SentMessage | undefined> {
    const call = { method: 'post', route: `/channels/${post}/messages`, signal, ...part } as const;
    try {
      const { id } = await this.#deps.rest.call<{ readonly id: string }>(call);
      return { messageId: id, at: addressOf(forum.bot, forum.chat, post) };
    } catch (error) {
      if (error instanceof DiscordError && CLOSED.has(error.code)) return undefined;
      throw error;
    }
  }

  async #first(
    forum: Address,
    part: PostPart,
    known: PostRecord | undefined,
    message: string,
    signal: AbortSignal,
  ): Promise<SentMessage> {
    const { records, clock } = this.#deps;
    const name = titleOf(part.title.replace(/[*_~`#>|\\]/g, ''));
    const lost = known && known.post === undefined ? known : undefined;
    const since = lost?.since ?? clock.now();
    // Before the call: whoever comes after us, another process too, knows that it may have been opened.
    if (!lost) records.put({ message, since });
    const found = lost && (await this.#find(forum.chat, name, since, signal));
    const post = found ?? (await this.#open(forum.chat, name, part, message, signal));
    records.put({ message, since, post });
    // Its first message has the id of the post.
    return { messageId: post, at: addressOf(forum.bot, forum.chat, post) };
  }

  async #open(forum: string, name: string, part: PostPart, message: string, signal: AbortSignal): Promise<string> {
    const { rest, book, records } = this.#deps;
    const { title: _, body, ...uploads } = part;
    const { nonce: __, enforce_nonce: ___, message_reference: ____, ...first } = body as Record<string, unknown>;
    const route = `/channels/${forum}/threads` as const;
    const call = { method: 'post', route, body: { name, message: first }, once: true, signal, ...uploads } as const;
    try {
      return book.learn(await rest.call<RawChannel>(call)).id;
    } catch (error) {
      if (!(error instanceof DiscordError) || error.failure.kind !== 'ambiguous') records.drop(message);
      throw error;
    }
  }

  /** The newest post of ours with this name since then. */
  async #find(forum: string, name: string, since: number, signal: AbortSignal): Promise<string | undefined> {
    const { rest, book, identity } = this.#deps;
    const guild = (await book.find(forum))?.guild;
    if (guild === undefined) return undefined;
    const route = `/guilds/${guild}/threads/active` as const;
    const { threads } = await rest.call<{ readonly threads: readonly RawChannel[] }>({ method: 'get', route, signal });
    const ours = threads.filter((one) => one.parent_id === forum && one.owner_id === identity.bot && one.name === name);
    return ours.findLast(({ id }) => timeOf(id) >= since - SKEW_MS)?.id;
  }
}
