import type { Clock } from '../contract/clock.ts';
import type { Address } from '../contract/message.ts';
import type { PlatformLimits } from '../contract/platform.ts';

interface Bucket {
  tokens: number;
  at: number;
}

interface Penalty {
  readonly until: number;
  /** When it was given, or read: seen from before that, the clock was put back since. */
  readonly from: number;
}

/** Where long penalties outlive the process. */
export interface PenaltyBook {
  close(chat: Address, until: number): void;
  live(now: number): readonly (Pick<Address, 'platform' | 'bot' | 'chat'> & { readonly until: number })[];
}

/** A shorter one is over before a restart is. */
const KEPT_FROM_MS = 10_000;
const MOST_KEYS = 10_000;

/**
 * What every call to a platform passes: token buckets per bot and per chat, the penalties a platform gave, and a place for one
 * editor a message. What goes out asks first; a refusal says how long to wait.
 */
export class RateGate {
  readonly #clock: Clock;
  readonly #book: PenaltyBook;
  readonly #buckets = new Map<string, Bucket>();
  readonly #penalties: Map<string, Penalty>;
  readonly #edited = new Set<string>();

  constructor(clock: Clock, book: PenaltyBook) {
    this.#clock = clock;
    this.#book = book;
    const from = clock.now();
    this.#penalties = new Map(book.live(from).map((penalty) => [keyOf(penalty), { from, until: penalty.until }]));
  }

  /** A platform closed a chat for `ms`: nothing is sent there before. May throw what the store throws. */
  close(address: Address, ms: number): void {
    const now = this.#clock.now();
    const key = keyOf(address);
    const until = now + Math.max(ms, this.#left(key));
    for (const [other, { until: end }] of this.#penalties) if (end <= now) this.#penalties.delete(other);
    remember(this.#penalties, key, { from: now, until });
    if (ms >= KEPT_FROM_MS) this.#book.close(address, until);
  }

  /**
   * Takes a place for one call, or returns the milliseconds until there is one. `spare` tokens of the bot and of the chat are
   * left for others, as far as their buckets hold more than one.
   */
  take(address: Address, direct: boolean, rate: PlatformLimits['rate'], spare = 0): number {
    const penalty = this.#left(keyOf(address));
    if (penalty > 0) return penalty;
    const perChat = direct ? rate.direct : rate.group;
    const perBot = { burst: Math.max(1, rate.botPerSecond), everyMs: 1000 / rate.botPerSecond };
    const botBucket = this.#fill(JSON.stringify([address.platform, address.bot]), perBot.burst, perBot.everyMs);
    const chatBucket = this.#fill(keyOf(address), perChat.burst, perChat.everyMs);
    const missing = (bucket: Bucket, burst: number) => Math.max(0, Math.min(1 + spare, burst) - bucket.tokens);
    const wait = Math.max(
      missing(botBucket, perBot.burst) * perBot.everyMs,
      missing(chatBucket, perChat.burst) * perChat.everyMs,
    );
    if (wait > 0) return Math.ceil(wait);
    botBucket.tokens -= 1;
    chatBucket.tokens -= 1;
    return 0;
  }

  /** The message of this outbox row is being edited until the returned function is called; nobody else may meanwhile. */
  edit(key: string): () => void {
    this.#edited.add(key);
    return () => void this.#edited.delete(key);
  }

  isEdited(key: string): boolean {
    return this.#edited.has(key);
  }

  /** Of a penalty, ms; never more than it was when it was given. */
  #left(key: string): number {
    const { from, until } = this.#penalties.get(key) ?? { from: 0, until: 0 };
    const now = this.#clock.now();
    if (now >= from) return until - now;
    remember(this.#penalties, key, { from: now, until: now + until - from });
    return until - from;
  }

  #fill(key: string, burst: number, everyMs: number): Bucket {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / everyMs);
    bucket.at = now;
    remember(this.#buckets, key, bucket);
    return bucket;
  }
}

/** All threads of a chat share. */
function keyOf({ platform, bot, chat }: Pick<Address, 'platform' | 'bot' | 'chat'>): string {
  return JSON.stringify([platform, bot, chat]);
}

/** The key becomes the newest; the oldest goes where there are too many. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MOST_KEYS) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
