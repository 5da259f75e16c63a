import type { Address, SentMessage } from '../../contract/message.ts';
import type { PlatformAdapter } from '../../contract/platform.ts';
import type { ChannelBook } from './channel-book.ts';
import { DiscordError } from './failure.ts';
import type { Identity } from './identity.ts';
import type { RawChannel } from './payloads.ts';
import { addressOf } from './place.ts';
import type { RestClient } from './rest-client.ts';
import { titleOf } from './thread-opener.ts';

const MAX_KNOWN = 200;

type SendOptions = Parameters<PlatformAdapter['send']>[2];

export interface ForumPostsDeps {
  readonly rest: RestClient;
  readonly book: ChannelBook;
  readonly identity: Identity;
}

/** A forum takes no messages: the first part of one opens a post, the others go there. A post has no nonce, so a lost answer is looked up. */
export class ForumPosts {
  readonly #deps: ForumPostsDeps;
  /** Posts by the message they carry. */
  readonly #opened = new Map<string, string>();
  readonly #lost = new Set<string>();

  constructor(deps: ForumPostsDeps) {
    this.#deps = deps;
  }

  async send(forum: Address, body: object, content: string, options: SendOptions): Promise<SentMessage> {
    const whole = options.key.replace(/#\d+$/, '');
    const post = this.#opened.get(whole);
    if (post !== undefined) return this.#reply(forum, post, body, options);
    const name = titleOf(content.replace(/[*_~`#>|\\]/g, ''));
    const lost = this.#lost.has(whole) || options.repeat === true;
    const found = lost ? await this.#find(forum.chat, name, options.signal) : undefined;
    const id = found ?? (await this.#open(forum.chat, name, body, whole, options.signal));
    this.#remember(whole, id);
    return { messageId: id, at: addressOf(forum.bot, forum.chat, id) };
  }

  async #reply(forum: Address, post: string, body: object, { signal }: SendOptions): Promise<SentMessage> {
    const call = { method: 'post', route: `/channels/${post}/messages`, body, signal } as const;
    const { id } = await this.#deps.rest.call<{ readonly id: string }>(call);
    return { messageId: id, at: addressOf(forum.bot, forum.chat, post) };
  }

  async #open(forum: string, name: string, body: object, whole: string, signal: AbortSignal): Promise<string> {
    const { nonce: _, enforce_nonce: __, message_reference: ___, ...message } = body as Record<string, unknown>;
    try {
      const call = {
        method: 'post',
        route: `/channels/${forum}/threads`,
        body: { name, message },
        once: true,
        signal,
      } as const;
      return this.#deps.book.learn(await this.#deps.rest.call<RawChannel>(call)).id;
    } catch (error) {
      if (error instanceof DiscordError && error.failure.kind === 'ambiguous') this.#lost.add(whole);
      throw error;
    }
  }

  /** The newest post of ours with this name. */
  async #find(forum: string, name: string, signal: AbortSignal): Promise<string | undefined> {
    const { rest, book, identity } = this.#deps;
    const guild = book.get(forum)?.guild;
    if (guild === undefined) return undefined;
    const route = `/guilds/${guild}/threads/active` as const;
    const { threads } = await rest.call<{ readonly threads: readonly RawChannel[] }>({ method: 'get', route, signal });
    const ours = threads.filter((one) => one.parent_id === forum && one.owner_id === identity.bot && one.name === name);
    return ours.at(-1)?.id;
  }

  #remember(whole: string, post: string): void {
    this.#lost.delete(whole);
    this.#opened.set(whole, post);
    const oldest = this.#opened.keys().next().value;
    if (this.#opened.size > MAX_KNOWN && oldest !== undefined) this.#opened.delete(oldest);
  }
}
