import type { OutboundFile } from '../../contract/message.ts';
import { cleanName } from '../wire/file-name.ts';
import { DiscordError } from './failure.ts';
import type { Identity } from './identity.ts';
import type { RawMessage } from './payloads.ts';
import type { RestClient } from './rest-client.ts';

const LOOKED_AT = 20;

/** After a nonce has expired only looking tells whether a message went out: it stands among the newest, or it does not. */
export class SentCopies {
  readonly #rest: RestClient;
  readonly #identity: Identity;

  constructor(rest: RestClient, identity: Identity) {
    this.#rest = rest;
    this.#identity = identity;
  }

  /**
   * The id of our message with this content. Core may have put words before it since: they are no part of the copy. Undefined:
   * there is none, or we may not look.
   */
  async find(
    channel: string,
    content: string,
    files: readonly OutboundFile[] | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const names = (files ?? []).map(({ name }) => cleanName(name)).join('\n');
    const query = { limit: String(LOOKED_AT) };
    try {
      const call = { method: 'get', route: `/channels/${channel}/messages`, query, signal } as const;
      const messages = await this.#rest.call<readonly RawMessage[]>(call);
      return messages.find((message) => this.#isCopy(message, content.trim(), names))?.id;
    } catch (error) {
      if (error instanceof DiscordError && error.failure.kind === 'gone') return undefined;
      throw error;
    }
  }

  #isCopy({ author, content = '', attachments = [] }: RawMessage, wanted: string, names: string): boolean {
    if (author?.id !== this.#identity.bot) return false;
    const same = content === wanted || (content !== '' && wanted.endsWith(`\n\n${content}`));
    return same && attachments.map(({ filename }) => filename).join('\n') === names;
  }
}
