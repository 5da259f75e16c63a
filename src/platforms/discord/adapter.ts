import { HermodError, SendError } from '../../contract/errors.ts';
import type { Actor, Address, Attachment, OutboundMessage, SentMessage } from '../../contract/message.ts';
import type { PlatformAdapter, PlatformEvents, PlatformLimits } from '../../contract/platform.ts';
import { EditQueue } from '../wire/edit-queue.ts';
import { Penalties } from '../wire/penalties.ts';
import { ChannelBook } from './channel-book.ts';
import type { DiscordConfig } from './config.ts';
import { Connection, type ConnectionDeps } from './connection.ts';
import type { DiscordDeps } from './deps.ts';
import { DirectChannels } from './direct-channels.ts';
import { asSendError } from './failure.ts';
import { ForumPosts } from './forum-posts.ts';
import { IdentifyBudget } from './identify-budget.ts';
import { Identity } from './identity.ts';
import { discordLimits } from './limits.ts';
import { Media } from './media.ts';
import { partsOf } from './parts.ts';
import { addressOf, isId, PLATFORM } from './place.ts';
import { PostRecords } from './post-records.ts';
import { RecentIds } from './recent-ids.ts';
import { RefusalBreaker } from './refusal-breaker.ts';
import { RestClient, restOptions } from './rest-client.ts';
import { Sender, type SendOptions } from './sender.ts';
import { SentCopies } from './sent-copies.ts';
import { ThreadOpener } from './thread-opener.ts';
import { UploadLimits } from './upload-limits.ts';
import { Wire } from './wire.ts';

const MAX_UNANSWERABLE = 2_000;
/** What Discord allows a bot in all. */
const CALLS_PER_SECOND = 50;

/** Discord over its gateway. Building it calls nobody; `start` does. */
export function createDiscord(config: DiscordConfig, deps: DiscordDeps): PlatformAdapter {
  return new DiscordAdapter(config, deps);
}

class DiscordAdapter implements PlatformAdapter {
  readonly name = PLATFORM;
  readonly limits: PlatformLimits;
  readonly #config: DiscordConfig;
  readonly #parts: Parts;
  readonly #edits: EditQueue;
  #connection: Connection | undefined;

  constructor(config: DiscordConfig, deps: DiscordDeps) {
    this.limits = discordLimits(config);
    this.#config = config;
    this.#parts = build(config, deps, {
      revoked: () => this.#connection?.revoked(),
      muted: (until) => this.#connection?.muted(until),
    });
    this.#edits = new EditQueue((to, id, part) => this.#parts.sender.edit(to, id, part));
  }

  start(events: PlatformEvents, signal: AbortSignal): Promise<void> {
    if (this.#connection && !this.#connection.over.aborted) return this.#connection.started;
    if (signal.aborted)
      return Promise.reject(new SendError({ kind: 'unreached' }, 'Discord was not started: it is being stopped.'));
    const connection = new Connection({ ...this.#parts.forConnection, events });
    this.#connection = connection;
    signal.addEventListener('abort', () => void this.stop(), { once: true, signal: connection.over });
    connection.started.catch(() => {
      if (this.#connection === connection) this.#connection = undefined;
    });
    return connection.started;
  }

  async stop(): Promise<void> {
    const connection = this.#connection;
    await connection?.close();
    if (this.#connection === connection) this.#connection = undefined;
  }

  parts(message: OutboundMessage): readonly OutboundMessage[] {
    return partsOf(message, this.#config.maxParts);
  }

  async send(to: Address, part: OutboundMessage, options: SendOptions): Promise<SentMessage> {
    try {
      return await this.#parts.sender.send(to, part, options);
    } catch (error) {
      throw asSendError(error);
    }
  }

  async edit(to: Address, messageId: string, part: OutboundMessage): Promise<void> {
    try {
      await this.#edits.edit(to, messageId, part);
    } catch (error) {
      throw asSendError(error);
    }
  }

  typing(to: Address): Promise<void> {
    return this.#parts.sender.typing(to);
  }

  async react(to: Address, messageId: string, mark: 'working' | 'done' | 'failed'): Promise<void> {
    if (this.#config.reactions) await this.#parts.sender.react(to, messageId, mark);
  }

  fetch(attachment: Attachment, path: string, signal: AbortSignal): Promise<number> {
    return this.#parts.media.save(attachment, path, signal);
  }

  async directAddress(actor: Actor): Promise<Address> {
    if (actor.platform !== PLATFORM || actor.bot || actor.standIn || !isId(actor.id))
      throw new HermodError('platform', `${actor.name} has no direct chat on Discord; ask there instead.`);
    const { directs, identity } = this.#parts;
    return addressOf(identity.bot, await directs.open(actor.id));
  }
}

type Parts = ReturnType<typeof build>;

/** What outlives a connection: the REST side with its penalties, and what is known of people and places. */
function build(
  config: DiscordConfig,
  deps: DiscordDeps,
  tell: { readonly revoked: () => void; readonly muted: (until: number) => void },
) {
  const { clock, log, state, token } = deps;
  const breaker = new RefusalBreaker(clock, tell.muted);
  const wire = new Wire({ api: config.restApi, breaker, revoked: tell.revoked });
  const { callsPerSecond = CALLS_PER_SECOND } = deps;
  const road = { api: config.restApi, wire, maxWaitMs: config.maxRateWaitS * 1000, callsPerSecond };
  const rest = new RestClient({ ...road, token, clock, breaker, penalties: new Penalties(clock, state) });
  const identity = new Identity(token, state);
  const book = new ChannelBook(rest, state, () => identity.bot);
  const media = new Media({ rest, clock, maxMb: config.maxDownloadMb, hosts: config.mediaHosts });
  const uploads = new UploadLimits();
  const directs = new DirectChannels(rest);
  const unanswerable = new RecentIds(MAX_UNANSWERABLE);
  const threads = new ThreadOpener({ rest, book, identity, config });
  const posts = new ForumPosts({ rest, book, identity, clock, records: new PostRecords(state) });
  const copies = new SentCopies(rest, identity);
  const sender = new Sender({ rest, book, directs, threads, posts, copies, uploads, unanswerable, config, log });
  const budget = new IdentifyBudget(clock);
  const shared = { config, rest, budget, identity, book, media, uploads, unanswerable };
  const forConnection: Omit<ConnectionDeps, 'events'> = { ...deps, ...shared, options: restOptions(road) };
  return { sender, media, directs, identity, forConnection };
}
