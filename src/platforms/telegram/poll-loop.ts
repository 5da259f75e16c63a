import type { Update } from 'grammy/types';
import { type Clock, pause } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import { Backoff } from './backoff.ts';
import type { BotClient } from './bot-client.ts';
import { TelegramError } from './failure.ts';
import type { HealthBoard } from './health-board.ts';
import { UpdateWindow } from './update-window.ts';

/** Ids may restart lower after a week without updates. */
const QUIET_MS = 6 * 24 * 60 * 60 * 1000;
/** How often new updates are looked for while one of the last batch is still being stored. */
const LOOK_AGAIN_MS = 250;
/** How long the start waits for the backlog to be stored. */
const FIRST_BATCH_MS = 2_000;
const UNSTORED = 'what arrives cannot be stored; Telegram keeps it';
/** What a poll may take beyond its own timeout. */
const WATCHDOG_MS = 20_000;

export interface PollLoopDeps {
  readonly client: BotClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly health: HealthBoard;
  readonly timeoutS: number;
  readonly allowed: readonly string[];
  /** Resolves once the update's event is on disk. */
  readonly tell: (update: Update) => Promise<void>;
  /** An update that never can be stored as an event: keeps it raw. */
  readonly refuse: (update: Update) => Promise<void>;
  readonly random?: () => number;
}

/** One getUpdates at a time; confirms what is on disk and nothing else. */
export class PollLoop {
  readonly #deps: PollLoopDeps;
  readonly #window = new UpdateWindow();
  readonly #trouble: Backoff;
  readonly #conflict = new Backoff(2_000, 60_000);
  #lastUpdateAt: number;

  constructor(deps: PollLoopDeps) {
    this.#deps = deps;
    this.#trouble = new Backoff(1_000, 30_000, deps.random ?? Math.random);
    this.#lastUpdateAt = deps.clock.now();
  }

  /** The first poll: no waiting for updates. Rejects with TelegramError unless another program's poll is all that is wrong. */
  async first(signal: AbortSignal): Promise<void> {
    try {
      await this.#round(0, FIRST_BATCH_MS, signal);
    } catch (error) {
      if (!(error instanceof TelegramError) || !isConflict(error)) throw error;
      await this.#recover(error);
    }
  }

  /** Polls until `signal` aborts or the token is refused. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let waitMs = 0;
    while (!signal.aborted) {
      if (waitMs > 0) await pause(this.#deps.clock, waitMs, signal);
      if (signal.aborted) return;
      const next = await this.#turn(signal);
      if (next === 'over') return;
      waitMs = next;
    }
  }

  async #turn(signal: AbortSignal): Promise<number | 'over'> {
    try {
      await this.#round(this.#window.pending ? 0 : this.#deps.timeoutS, LOOK_AGAIN_MS, signal);
      return this.#window.failed ? this.#trouble.next() : 0;
    } catch (error) {
      if (signal.aborted) return 'over';
      if (error instanceof TelegramError) return this.#recover(error);
      this.#deps.log.error(
        { platform: 'telegram', error: String(error) },
        'The Telegram poll failed on a bug; it goes on.',
      );
      return this.#trouble.next();
    }
  }

  async #round(timeoutS: number, storingMs: number, signal: AbortSignal): Promise<void> {
    const batch = await this.#fetch(timeoutS, signal);
    if (signal.aborted) return;
    if (batch.length > 0) this.#lastUpdateAt = this.#deps.clock.now();
    const told = this.#window.take(batch).map((update) => this.#window.follow(update, this.#told(update)));
    this.#conflict.reset();
    await this.#storing(told, storingMs, signal);
    this.#deps.health.proof(this.#window.failed ? UNSTORED : undefined);
    if (!this.#window.failed) this.#trouble.reset();
  }

  #fetch(timeoutS: number, signal: AbortSignal): Promise<Update[]> {
    const { client, clock, allowed } = this.#deps;
    if (clock.now() - this.#lastUpdateAt > QUIET_MS) this.#window.forgetOffset();
    const offset = this.#window.offset;
    const payload = {
      ...(offset === undefined ? {} : { offset }),
      timeout: timeoutS,
      limit: 100,
      allowed_updates: allowed,
    };
    return client.call('getUpdates', payload, { signal, timeoutMs: timeoutS * 1000 + WATCHDOG_MS, beside: true });
  }

  #told(update: Update): Promise<void> {
    return this.#window.hopeless(update) ? this.#deps.refuse(update) : this.#deps.tell(update);
  }

  /** Waits for the batch, but only so long that no later update waits for it. */
  async #storing(told: readonly Promise<unknown>[], mostMs: number, signal: AbortSignal): Promise<void> {
    if (told.length === 0 && !this.#window.pending) return;
    const done = new AbortController();
    const stored = told.length > 0 ? Promise.all(told) : this.#window.settled();
    void stored.then(() => done.abort());
    await pause(this.#deps.clock, mostMs, AbortSignal.any([signal, done.signal]));
  }

  async #recover(error: TelegramError): Promise<number | 'over'> {
    const { health, log } = this.#deps;
    if (error.reason === 'webhook_conflict') return this.#dropWebhook();
    if (error.reason === 'poll_conflict') {
      health.degraded('another program polls this token');
      return this.#conflict.next();
    }
    if (error.failure.kind === 'auth') {
      health.fatal('token refused; put a new one from @BotFather into .env and restart');
      return 'over';
    }
    if (error.failure.kind === 'wait') return error.failure.retryAfterMs;
    const waitMs = this.#trouble.next();
    log.debug({ platform: 'telegram', code: error.code, waitMs }, error.message);
    return waitMs;
  }

  /** Somebody set a webhook: polling needs it gone; what waits there is kept. */
  async #dropWebhook(): Promise<number> {
    const { client, log, health } = this.#deps;
    health.degraded('a webhook is set for this token; it is being removed');
    try {
      const { url } = await client.call('getWebhookInfo', {}, { beside: true });
      log.warn(
        { platform: 'telegram', host: hostOf(url) },
        'A webhook of another program was set for this token; it is removed.',
      );
      await client.call('deleteWebhook', { drop_pending_updates: false }, { beside: true });
      return 0;
    } catch {
      return this.#trouble.next();
    }
  }
}

function isConflict(error: TelegramError): boolean {
  return error.reason === 'poll_conflict' || error.reason === 'webhook_conflict';
}

function hostOf(url: string | undefined): string {
  return URL.canParse(url ?? '') ? new URL(url ?? '').host : 'unknown';
}
