import { pause } from '../../src/contract/clock.ts';
import { badRequest } from './telegram-refusal.ts';
import type { Payload } from './telegram-wire.ts';
import type { World } from './telegram-world.ts';

interface Hook {
  readonly url: string;
  readonly secret: string | undefined;
  readonly maxConnections: number;
}

const FIRST_RETRY_MS = 1_000;
const MOST_RETRY_MS = 60_000;

/** Updates pushed to the bot's address, one after another; what is not answered with 2xx is pushed again, later each time. */
export class Webhook {
  readonly #world: World;
  #hook: Hook | undefined;
  #stop = new AbortController();
  #error: { readonly message: string; readonly at: number } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  get active(): boolean {
    return this.#hook !== undefined;
  }

  /** As setWebhook does; `push: false` for a webhook of another program, which takes nothing in. */
  set(payload: Payload, push = true): true {
    const url = String(payload['url'] ?? '');
    if (url === '') return this.delete({});
    if (!/^https?:\/\//.test(url)) throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
    const secret = payload['secret_token'] === undefined ? undefined : String(payload['secret_token']);
    if (secret !== undefined && !/^[\w-]{1,256}$/.test(secret))
      throw badRequest('secret token contains unallowed characters');
    this.#end();
    if (Array.isArray(payload['allowed_updates'])) this.#world.allowed = payload['allowed_updates'];
    this.#hook = { url, secret, maxConnections: Number(payload['max_connections'] ?? 40) };
    if (push) void this.#push(this.#hook, this.#stop.signal);
    return true;
  }

  delete(payload: Payload): true {
    this.#end();
    if (payload['drop_pending_updates'] === true) this.#world.clearUpdates();
    return true;
  }

  info(): object {
    const error = this.#error
      ? { last_error_message: this.#error.message, last_error_date: Math.floor(this.#error.at / 1000) }
      : {};
    return {
      url: this.#hook?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: this.#world.waiting.length,
      ...(this.#hook ? { max_connections: this.#hook.maxConnections } : {}),
      ...(this.#world.allowed ? { allowed_updates: this.#world.allowed } : {}),
      ...error,
    };
  }

  close(): void {
    this.#end();
  }

  #end(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#hook = undefined;
  }

  async #push(hook: Hook, signal: AbortSignal): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      const [update] = this.#world.take(undefined, 1);
      if (!update) await this.#next(signal);
      else if (await this.#post(hook, update, signal)) {
        this.#world.take(update.update_id + 1, 1);
        waitMs = FIRST_RETRY_MS;
      } else {
        await pause(this.#world.clock, waitMs, signal);
        waitMs = Math.min(MOST_RETRY_MS, waitMs * 2);
      }
    }
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const unwatch = this.#world.watch(() => done());
      const done = () => {
        unwatch();
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
    });
  }

  async #post(hook: Hook, update: object, signal: AbortSignal): Promise<boolean> {
    const secret = hook.secret === undefined ? {} : { 'x-telegram-bot-api-secret-token': hook.secret };
    try {
      const response = await fetch(hook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...secret },
        body: JSON.stringify(update),
        signal,
      });
      await response.text();
      if (response.ok) return true;
      this.#error = { message: `Wrong response from the webhook: ${response.status}`, at: this.#world.clock.now() };
    } catch {
      this.#error = { message: 'Connection failed', at: this.#world.clock.now() };
    }
    return false;
  }
}
