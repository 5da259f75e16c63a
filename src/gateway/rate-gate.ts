import type { Clock } from '../contract/clock.ts';
import type { PlatformLimits } from '../contract/platform.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * What every call to a platform passes: token buckets per bot and per chat, and a place for one editor a message. What goes
 * out asks first; a refusal says how long to wait.
 */
export class RateGate {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();
  readonly #edited = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Takes a place for one call, or returns the milliseconds until there is one. `spare` tokens of the chat are left for
   * others, as far as its bucket holds more than one.
   */
  take(bot: string, chat: string, direct: boolean, rate: PlatformLimits['rate'], spare = 0): number {
    const perChat = direct ? rate.direct : rate.group;
    const perBot = { burst: Math.max(1, rate.botPerSecond), everyMs: 1000 / rate.botPerSecond };
    const botBucket = this.#fill(`b:${bot}`, perBot.burst, perBot.everyMs);
    const chatBucket = this.#fill(`c:${bot}:${chat}`, perChat.burst, perChat.everyMs);
    const wanted = Math.min(1 + spare, perChat.burst);
    const wait = Math.max(missing(botBucket, 1) * perBot.everyMs, missing(chatBucket, wanted) * perChat.everyMs);
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

  #fill(key: string, burst: number, everyMs: number): Bucket {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) / everyMs);
    bucket.at = now;
    this.#remember(key, bucket);
    return bucket;
  }

  #remember(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= 10_000) return;
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}

function missing(bucket: Bucket, wanted: number): number {
  return Math.max(0, wanted - bucket.tokens);
}
