import type { Address } from '../../contract/message.ts';
import type { ChannelBook } from './channel-book.ts';
import type { DiscordConfig } from './config.ts';
import { contentOf } from './content.ts';
import { DiscordError } from './failure.ts';
import type { Identity } from './identity.ts';
import type { RawChannel, RawMessage } from './payloads.ts';
import type { RestClient } from './rest-client.ts';

const EXISTS = 160004;
const MAX_NAME = 100;

export interface ThreadOpenerDeps {
  readonly rest: RestClient;
  readonly book: ChannelBook;
  readonly identity: Identity;
  readonly config: DiscordConfig;
}

/** With `auto_thread` a call in a channel is answered in a thread of its own. It has the id of the message that called. */
export class ThreadOpener {
  readonly #deps: ThreadOpenerDeps;

  constructor(deps: ThreadOpenerDeps) {
    this.#deps = deps;
  }

  /** Opens the thread of an address, whoever opened it before; false: there is no message it could hang on. */
  async open({ chat, thread }: Address): Promise<boolean> {
    const { rest, book, config } = this.#deps;
    if (!config.autoThread || thread === undefined) return false;
    try {
      const name = await this.#name(chat, thread);
      const route = `/channels/${chat}/messages/${thread}/threads` as const;
      book.learn(await rest.call<RawChannel>({ method: 'post', route, body: { name } }));
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      if (error.status === 404) return false;
      if (error.code !== EXISTS) throw error;
    }
    book.join(thread);
    return true;
  }

  async #name(chat: string, message: string): Promise<string> {
    const { rest, identity } = this.#deps;
    const raw = await rest.call<RawMessage>({ method: 'get', route: `/channels/${chat}/messages/${message}` });
    return titleOf(contentOf(raw, identity.bot).text);
  }
}

/** The first line of a text as the name of a thread. */
export function titleOf(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  const title = line.replace(/\s+/g, ' ').trim();
  if (title.length <= MAX_NAME) return title || 'Conversation';
  return `${title.slice(0, MAX_NAME - 1).toWellFormed()}…`;
}
