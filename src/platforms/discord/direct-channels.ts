import type { RestClient } from './rest-client.ts';

const MAX_KNOWN = 10_000;

/** The direct channel of a person; a person's own id is never one. */
export class DirectChannels {
  readonly #rest: RestClient;
  readonly #known = new Map<string, string>();

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** Opens it if need be; opening it again gives the same one. Rejects with DiscordError. */
  async open(person: string, signal?: AbortSignal): Promise<string> {
    const known = this.#known.get(person);
    if (known !== undefined) return known;
    const body = { recipient_id: person };
    const call = { method: 'post', route: '/users/@me/channels', body, ...(signal ? { signal } : {}) } as const;
    const { id } = await this.#rest.call<{ readonly id: string }>(call);
    if (this.#known.size < MAX_KNOWN) this.#known.set(person, id);
    return id;
  }
}
