import { SendError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { Address, OutboundMessage, SentMessage } from '../../contract/message.ts';
import type { PlatformAdapter } from '../../contract/platform.ts';
import { type ChannelBook, isForum } from './channel-book.ts';
import type { DiscordConfig } from './config.ts';
import type { DirectChannels } from './direct-channels.ts';
import { DiscordError, refusedByThread } from './failure.ts';
import type { ForumPosts } from './forum-posts.ts';
import { changedBody, type MessageBody, newBody, withoutFiles } from './message-body.ts';
import { contentOf, editedContentOf } from './parts.ts';
import { addressOf, PLATFORM, personOf } from './place.ts';
import type { RecentIds } from './recent-ids.ts';
import type { RestClient } from './rest-client.ts';
import type { SentCopies } from './sent-copies.ts';
import type { ThreadOpener } from './thread-opener.ts';
import type { UploadLimits } from './upload-limits.ts';
import { patiently, TooLarge, tooLarge, type Uploads, uploadsOf } from './uploads.ts';

export type SendOptions = Parameters<PlatformAdapter['send']>[2];

export interface SenderDeps {
  readonly rest: RestClient;
  readonly book: ChannelBook;
  readonly directs: DirectChannels;
  readonly threads: ThreadOpener;
  readonly posts: ForumPosts;
  readonly copies: SentCopies;
  readonly uploads: UploadLimits;
  /** Ids of messages that nothing of ours may reply to. */
  readonly unanswerable: RecentIds;
  readonly config: DiscordConfig;
  readonly log: Log;
}

const UNKNOWN_CHANNEL = 10003;
const NO_TEXT_CHANNEL = 50008;
const MARKS = { working: '👀', done: '✅', failed: '❌' } as const;

type Files = OutboundMessage['files'];

/** Parts out: each one call, to the thread if there is one, under a nonce that Discord refuses to take twice. */
export class Sender {
  readonly #deps: SenderDeps;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  async send(to: Address, part: OutboundMessage, options: SendOptions): Promise<SentMessage> {
    const content = contentOf(part);
    if (content === '' && !part.files?.length)
      throw new SendError({ kind: 'format' }, 'An empty message was to be sent to Discord; report this.');
    const body = newBody(this.#answerable(part), content, options.key, this.#deps.config);
    const at = await this.#resolve(to, options.signal);
    if (options.repeat) await this.#deps.book.find(channelOf(at));
    if (this.#isForum(at)) return this.#posted(at, body, part.files, options);
    const copy = options.repeat
      ? await this.#deps.copies.find(channelOf(at), content, part.files, options.signal)
      : undefined;
    if (copy !== undefined) return { messageId: copy, at };
    return this.#say(at, body, part.files, options);
  }

  /** Replaces the words and buttons of a message. */
  async edit(to: Address, messageId: string, part: OutboundMessage): Promise<void> {
    const content = editedContentOf(part);
    if (content === '') return;
    const at = await this.#resolve(to);
    const route = `/channels/${channelOf(at)}/messages/${messageId}` as const;
    const body = changedBody(part, content, this.#deps.config);
    await this.#inPlace(at, () => this.#deps.rest.call({ method: 'patch', route, body }));
  }

  /** Best effort, never rejects. */
  async typing(to: Address): Promise<void> {
    try {
      const at = await this.#resolve(to);
      const route = `/channels/${channelOf(at)}/typing` as const;
      await this.#threaded(at, () => this.#deps.rest.call({ method: 'post', route, timeoutMs: 5_000 }));
    } catch (error) {
      this.#deps.log.debug({ platform: PLATFORM, error: String(error) }, 'No typing sign could be shown.');
    }
  }

  /** Best effort, never rejects. */
  async react(to: Address, messageId: string, mark: keyof typeof MARKS): Promise<void> {
    const { rest, log } = this.#deps;
    const of = (emoji: string) =>
      `/channels/${channelOf(to)}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}/@me` as const;
    try {
      await rest.call({ method: 'put', route: of(MARKS[mark]) });
      if (mark !== 'working') await rest.call({ method: 'delete', route: of(MARKS.working) });
    } catch (error) {
      log.debug({ platform: PLATFORM, error: String(error) }, 'No reaction could be set.');
    }
  }

  /** A person's direct chat, opened if need be; all else is where it goes already. */
  async #resolve(to: Address, signal?: AbortSignal): Promise<Address> {
    const person = personOf(to);
    return person === undefined ? to : addressOf(to.bot, await this.#deps.directs.open(person, signal));
  }

  /** In a post of a forum. */
  #posted(forum: Address, body: MessageBody, files: Files, options: SendOptions): Promise<SentMessage> {
    const title = body.content || (files?.[0]?.name ?? '');
    return this.#carried(forum, body, files, (whole, uploads) =>
      this.#deps.posts.send(forum, { title, body: whole, ...uploads }, options),
    );
  }

  async #say(at: Address, body: MessageBody, files: Files, options: SendOptions): Promise<SentMessage> {
    const { book, rest } = this.#deps;
    const { signal } = options;
    const route = `/channels/${channelOf(at)}/messages` as const;
    const post = (whole: MessageBody, uploads?: Uploads) =>
      rest.call<{ readonly id: string }>({ method: 'post', route, body: whole, signal, ...uploads });
    try {
      const { id: messageId } = await this.#threaded(at, () => this.#carried(at, body, files, post));
      if (at.thread !== undefined) book.join(at.thread);
      return { messageId, at };
    } catch (error) {
      if (!(error instanceof DiscordError) || error.code !== NO_TEXT_CHANNEL) throw error;
      await book.find(channelOf(at));
      if (!this.#isForum(at)) throw error;
      return this.#posted(at, body, files, options);
    }
  }

  #isForum(at: Address): boolean {
    const known = this.#deps.book.get(channelOf(at));
    return known !== undefined && isForum(known.type);
  }

  #answerable(part: OutboundMessage): OutboundMessage {
    if (part.replyTo === undefined || !this.#deps.unanswerable.has(part.replyTo)) return part;
    const { replyTo: _, ...rest } = part;
    return rest;
  }

  /** With its files, or, where they are too large, with a sentence that says so. */
  async #carried<T>(
    at: Address,
    body: MessageBody,
    files: Files,
    post: (body: MessageBody, uploads?: Uploads) => Promise<T>,
  ): Promise<T> {
    if (!files?.length) return post(body);
    const most = this.#deps.uploads.of(this.#deps.book.get(channelOf(at))?.guild);
    try {
      return await post(body, patiently(await uploadsOf(files, most)));
    } catch (error) {
      const large = refusedFile(error, files, most);
      if (!large) throw error;
      if (body.content === '') throw large;
      return post(withoutFiles(body, large.note));
    }
  }

  /** A thread that is not there yet is opened from the message that called us. */
  #threaded<T>(at: Address, call: () => Promise<T>): Promise<T> {
    return this.#inPlace(at, async () => {
      try {
        return await call();
      } catch (error) {
        const unknown = error instanceof DiscordError && error.code === UNKNOWN_CHANNEL && at.thread !== undefined;
        if (!unknown || !(await this.#deps.threads.open(at))) throw error;
        return call();
      }
    });
  }

  /** One that is gone or closed is `missing`: the channel it is in may take the message. */
  async #inPlace<T>(at: Address, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw error instanceof DiscordError && at.thread !== undefined ? refusedByThread(error) : error;
    }
  }
}

function channelOf({ chat, thread }: Address): string {
  return thread ?? chat;
}

function refusedFile(error: unknown, files: NonNullable<Files>, most: number): TooLarge | undefined {
  if (error instanceof TooLarge) return error;
  return error instanceof DiscordError && error.failure.kind === 'size' ? tooLarge(files, undefined, most) : undefined;
}
