import { HermodError, SendError } from '../../contract/errors.ts';
import type { Actor, Address, Attachment, OutboundMessage, SentMessage } from '../../contract/message.ts';
import type { PlatformAdapter, PlatformEvents, PlatformLimits } from '../../contract/platform.ts';
import { EditQueue } from '../wire/edit-queue.ts';
import { asSendError, BotClient } from './bot-client.ts';
import { botIdOf } from './bot-identity.ts';
import type { TelegramConfig } from './config.ts';
import { Connection } from './connection.ts';
import type { TelegramDeps } from './deps.ts';
import { download } from './download.ts';
import { telegramLimits } from './limits.ts';
import { partsOf } from './parts.ts';
import { ChatPenalties } from './penalties.ts';
import { chatAddress, destination, PLATFORM } from './place.ts';
import { Sender } from './sender.ts';

/** Telegram by long polling. Building it calls nobody; `start` does. */
export function createTelegram(config: TelegramConfig, deps: TelegramDeps): PlatformAdapter {
  return new TelegramAdapter(config, deps);
}

/** Legal reactions; ✅ and ❌ are not. */
const MARKS = { working: '👀', done: '👌', failed: '👎' } as const;

class TelegramAdapter implements PlatformAdapter {
  readonly name = PLATFORM;
  readonly limits: PlatformLimits;
  readonly #config: TelegramConfig;
  readonly #deps: TelegramDeps;
  readonly #client: BotClient;
  readonly #sender: Sender;
  readonly #edits: EditQueue;
  #connection: Connection | undefined;

  constructor(config: TelegramConfig, deps: TelegramDeps) {
    this.limits = telegramLimits(config);
    this.#config = config;
    this.#deps = deps;
    const penalties = new ChatPenalties(deps.clock, deps.state);
    this.#client = new BotClient({ token: deps.token, apiRoot: config.apiRoot, clock: deps.clock, penalties });
    this.#sender = new Sender({ client: this.#client, config, log: deps.log, token: deps.token });
    this.#edits = new EditQueue((to, id, part) => this.#sender.edit(to, id, part));
  }

  start(events: PlatformEvents, signal: AbortSignal): Promise<void> {
    if (this.#connection && !this.#connection.over.aborted) return this.#connection.started;
    if (signal.aborted)
      return Promise.reject(new SendError({ kind: 'unreached' }, 'Telegram was not started: it is being stopped.'));
    const connection = new Connection({ ...this.#deps, client: this.#client, config: this.#config, events });
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

  async send(
    to: Address,
    part: OutboundMessage,
    options: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<SentMessage> {
    try {
      return await this.#sender.send(to, part, options.signal);
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

  async typing(to: Address): Promise<void> {
    const general = to.thread === undefined && this.#connection?.isForum(to.chat) ? { message_thread_id: 1 } : {};
    try {
      await this.#client.call('sendChatAction', { ...destination(to), ...general, action: 'typing' }, { to });
    } catch (error) {
      this.#deps.log.debug({ platform: PLATFORM, error: String(error) }, 'No typing sign could be shown.');
    }
  }

  async react(to: Address, messageId: string, mark: 'working' | 'done' | 'failed'): Promise<void> {
    if (!this.#config.reactions) return;
    const reaction = [{ type: 'emoji', emoji: MARKS[mark] }];
    const where = { chat_id: Number(to.chat), message_id: Number(messageId) };
    try {
      await this.#client.call('setMessageReaction', { ...where, reaction }, { to });
    } catch (error) {
      this.#deps.log.debug({ platform: PLATFORM, error: String(error) }, 'No reaction could be set.');
    }
  }

  async fetch(attachment: Attachment, path: string, signal: AbortSignal): Promise<number> {
    const { clock, token } = this.#deps;
    try {
      return await download({ client: this.#client, config: this.#config, clock, token }, attachment, path, signal);
    } catch (error) {
      throw asSendError(error);
    }
  }

  async directAddress(actor: Actor): Promise<Address> {
    const to = chatAddress(botIdOf(this.#deps.token), Number(actor.id));
    if (actor.platform !== PLATFORM || actor.standIn || !Number.isSafeInteger(Number(actor.id))) {
      throw new HermodError('platform', `${actor.name} has no direct chat on Telegram; ask there instead.`);
    }
    await this.#client.call('getChat', { chat_id: Number(actor.id) }, { to });
    return to;
  }
}
