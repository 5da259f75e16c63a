import type { KeyValue } from '../../contract/platform.ts';
import { DiscordError } from './failure.ts';
import type { RawChannel, RawGuild } from './payloads.ts';
import { isId } from './place.ts';
import type { RestClient } from './rest-client.ts';

export interface KnownChannel {
  readonly id: string;
  readonly type: number;
  readonly guild?: string;
  readonly parent?: string;
  readonly name?: string;
}

const STATE = 'threads';
const MAX_KNOWN = 20_000;
const MAX_JOINED = 500;
const THREADS: ReadonlySet<number> = new Set([10, 11, 12]);
const FORUMS: ReadonlySet<number> = new Set([15, 16]);

export const isThread = (type: number): boolean => THREADS.has(type);
/** Takes no messages, only posts with a title. */
export const isForum = (type: number): boolean => FORUMS.has(type);

/** What channels are, as far as the gateway has told; the rest is asked for once. */
export class ChannelBook {
  readonly #rest: RestClient;
  readonly #state: KeyValue;
  readonly #me: () => string;
  readonly #known = new Map<string, KnownChannel>();
  #joined: readonly string[];

  /** `me`: our own id, by which a thread of ours is known. */
  constructor(rest: RestClient, state: KeyValue, me: () => string) {
    this.#rest = rest;
    this.#state = state;
    this.#me = me;
    this.#joined = (state.get(STATE) ?? '').split(' ').filter(isId);
  }

  get(id: string): KnownChannel | undefined {
    return this.#known.get(id);
  }

  isThread(id: string): boolean {
    return isThread(this.#known.get(id)?.type ?? -1);
  }

  learn(raw: RawChannel, guild = raw.guild_id): KnownChannel {
    const known: KnownChannel = {
      id: raw.id,
      type: raw.type,
      ...(guild === undefined ? {} : { guild }),
      ...(isId(raw.parent_id ?? undefined) ? { parent: raw.parent_id as string } : {}),
      ...(raw.name ? { name: raw.name } : {}),
    };
    if (isThread(raw.type) && (raw.member != null || raw.owner_id === this.#me())) this.join(raw.id);
    this.#known.delete(raw.id);
    this.#known.set(raw.id, known);
    const oldest = this.#known.keys().next().value;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  learnGuild({ id, channels = [], threads = [] }: RawGuild): void {
    for (const channel of [...channels, ...threads]) this.learn(channel, id);
  }

  /** Whether every word in this thread is for us: we opened it, were called in, or speak there. */
  isJoined(id: string): boolean {
    return this.#joined.includes(id);
  }

  join(id: string): void {
    if (this.#joined.includes(id)) return;
    this.#joined = [...this.#joined, id].slice(-MAX_JOINED);
    this.#state.set(STATE, this.#joined.join(' '));
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Asks Discord if need be; undefined: it does not exist for us. Rejects with DiscordError when Discord cannot be asked. */
  async find(id: string): Promise<KnownChannel | undefined> {
    const known = this.#known.get(id);
    if (known) return known;
    try {
      return this.learn(await this.#rest.call<RawChannel>({ method: 'get', route: `/channels/${id}` }));
    } catch (error) {
      if (error instanceof DiscordError && error.failure.kind === 'gone') return undefined;
      throw error;
    }
  }
}
