import type { LinkPreviewOptions, Message } from 'grammy/types';
import { SendError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { Address, OutboundMessage, SentMessage } from '../../contract/message.ts';
import type { BotClient } from './bot-client.ts';
import { botIdOf } from './bot-identity.ts';
import type { TelegramConfig } from './config.ts';
import { TelegramError } from './failure.ts';
import { keyboard } from './keyboard.ts';
import { bodyOf } from './parts.ts';
import { chatAddress, type Destination, destination } from './place.ts';
import type { RichText } from './rich-text.ts';
import { type Upload, uploadsOf } from './upload.ts';

export interface SenderDeps {
  readonly client: BotClient;
  readonly config: TelegramConfig;
  readonly log: Log;
  readonly token: string;
}

interface Face {
  readonly entities: boolean;
  readonly styles: boolean;
}

const UPLOAD_MS = 60_000;
const MS_PER_256_KB = 1_000;

/** Parts out: each one call, repeated at once only in a plainer form when Telegram refused the form itself. */
export class Sender {
  readonly #deps: SenderDeps;
  /** Off for good once Telegram refused a style: until the next boot. */
  #styles = true;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  async send(to: Address, part: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { rich, more } = bodyOf(part);
    if (more)
      throw new SendError({ kind: 'size' }, 'The text is longer than one Telegram message; it has to be split.');
    const message = await this.#placed(to, () =>
      part.files?.length ? this.#files(to, part, rich, signal) : this.#text(to, part, rich, signal),
    );
    return { messageId: String(message.message_id), at: to };
  }

  /** Replaces the text and buttons of a message; what Telegram calls unchanged is done. */
  async edit(to: Address, messageId: string, part: OutboundMessage): Promise<void> {
    const { rich } = bodyOf(part);
    if (rich.text === '') return;
    const { chat_id, business_connection_id } = destination(to);
    const where = {
      chat_id,
      message_id: Number(messageId),
      ...(business_connection_id ? { business_connection_id } : {}),
    };
    try {
      await this.#plainer(part, rich, (face) =>
        this.#deps.client.call('editMessageText', { ...where, ...this.#words(part, rich, face) }, { to }),
      );
    } catch (error) {
      if (!(error instanceof TelegramError) || error.reason !== 'unchanged') throw error;
    }
  }

  #text(to: Address, part: OutboundMessage, rich: RichText, signal: AbortSignal): Promise<Message> {
    if (rich.text === '')
      throw new SendError({ kind: 'format' }, 'An empty message was to be sent to Telegram; report this.');
    const common = { ...destination(to), ...manner(part) };
    return this.#plainer(part, rich, (face) =>
      this.#deps.client.call('sendMessage', { ...common, ...this.#words(part, rich, face) }, { to, signal }),
    );
  }

  #words(part: OutboundMessage, { text, entities }: RichText, face: Face): object {
    const reply_markup = keyboard(part.buttons, face.styles);
    return {
      text,
      ...(face.entities && entities.length > 0 ? { entities } : {}),
      ...(reply_markup ? { reply_markup } : {}),
      link_preview_options: this.#previews(part),
    };
  }

  #previews(part: OutboundMessage): LinkPreviewOptions {
    const shown = this.#deps.config.linkPreviews && part.as === undefined && !part.buttons;
    return { is_disabled: !shown };
  }

  async #files(to: Address, part: OutboundMessage, rich: RichText, signal: AbortSignal): Promise<Message> {
    const uploads = await uploadsOf(part.files ?? []);
    const [only] = uploads;
    if (uploads.length > 1 || !only) return this.#album(to, part, rich, uploads, signal);
    const common = { ...destination(to), ...manner(part), [only.kind]: only.input };
    const options = { to, signal, timeoutMs: uploadTime(uploads) };
    const method = only.kind === 'photo' ? 'sendPhoto' : 'sendDocument';
    return this.#plainer(part, rich, (face) => {
      const reply_markup = keyboard(part.buttons, face.styles);
      return this.#deps.client.call(
        method,
        { ...common, ...caption(rich, face), ...(reply_markup ? { reply_markup } : {}) },
        options,
      );
    });
  }

  async #album(
    to: Address,
    part: OutboundMessage,
    rich: RichText,
    uploads: readonly Upload[],
    signal: AbortSignal,
  ): Promise<Message> {
    const options = { to, signal, timeoutMs: uploadTime(uploads) };
    const sent = await this.#plainer(part, rich, (face) => {
      const media = uploads.map(({ kind, input }, i) => ({
        type: kind,
        media: input,
        ...(i === 0 ? caption(rich, face) : {}),
      }));
      return this.#deps.client.call('sendMediaGroup', { ...destination(to), ...manner(part), media }, options);
    });
    return sent[0] as Message;
  }

  /** Once more without what Telegram would not take: styles, then entities. */
  async #plainer<T>(part: OutboundMessage, rich: RichText, call: (face: Face) => Promise<T>): Promise<T> {
    const face = { entities: true, styles: this.#styles };
    try {
      return await call(face);
    } catch (error) {
      if (!(error instanceof TelegramError)) throw error;
      if (error.reason === 'style' && part.buttons && face.styles) return this.#unstyled(part, rich, call);
      if (error.reason === 'entities' && rich.entities.length > 0) return this.#unformatted(error, rich, call);
      throw error;
    }
  }

  #unstyled<T>(part: OutboundMessage, rich: RichText, call: (face: Face) => Promise<T>): Promise<T> {
    this.#styles = false;
    this.#deps.log.warn(
      { platform: 'telegram' },
      'Telegram refused button styles; buttons are plain until the next start.',
    );
    return this.#plainer(part, rich, call);
  }

  #unformatted<T>(error: TelegramError, rich: RichText, call: (face: Face) => Promise<T>): Promise<T> {
    const entities = rich.entities.map(({ type, offset, length }) => `${type} ${offset}+${length}`).join(', ');
    this.#deps.log.error(
      { platform: 'telegram', code: error.code, units: rich.text.length, entities: entities.slice(0, 500) },
      'Telegram refused our formatting, the text went out plain; report this.',
    );
    return call({ entities: false, styles: this.#styles });
  }

  /** Thrown out of one topic or out of the whole chat: only Telegram's member list tells. */
  async #placed<T>(to: Address, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TelegramError) || error.reason !== 'kicked' || to.thread === undefined) throw error;
      if (!(await this.#isMember(to))) throw error;
      throw new SendError({ kind: 'missing' }, 'This topic is closed for the bot; the chat itself is not.');
    }
  }

  async #isMember(to: Address): Promise<boolean> {
    const { client, token } = this.#deps;
    const chat = chatAddress(to.bot, Number(to.chat));
    try {
      const ids = { chat_id: Number(to.chat), user_id: Number(botIdOf(token)) };
      const { status } = await client.call('getChatMember', ids, { to: chat });
      return status !== 'left' && status !== 'kicked';
    } catch {
      return false;
    }
  }
}

function manner(part: OutboundMessage): Pick<Destination, never> {
  return {
    ...(part.silent || part.as === 'progress' ? { disable_notification: true } : {}),
    ...(part.replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: Number(part.replyTo), allow_sending_without_reply: true } }),
  };
}

function caption({ text, entities }: RichText, face: Face): object {
  if (text === '') return {};
  return { caption: text, ...(face.entities && entities.length > 0 ? { caption_entities: entities } : {}) };
}

function uploadTime(uploads: readonly Upload[]): number {
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes, 0);
  return UPLOAD_MS + Math.ceil(bytes / (256 * 1024)) * MS_PER_256_KB;
}
