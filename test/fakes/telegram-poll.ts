import { Refusal } from './telegram-refusal.ts';
import type { Payload, WireUpdate } from './telegram-wire.ts';
import type { World } from './telegram-world.ts';

interface OpenPoll {
  end(outcome: readonly WireUpdate[] | Refusal): void;
}

const OTHER_POLL = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const WEBHOOK_ACTIVE =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/** Long polling: one poll at a time, a newer one ends the older with 409. */
export class Polls {
  readonly #world: World;
  #open: OpenPoll | undefined;
  /** The most polls that were ever open at the same moment. */
  most = 0;
  readonly #webhook: () => boolean;

  constructor(world: World, webhook: () => boolean) {
    this.#world = world;
    this.#webhook = webhook;
  }

  /** Resolves with updates, with none after the timeout, or never if `gone` says that the caller hung up. */
  take(payload: Payload, gone: (fn: () => void) => void): Promise<readonly WireUpdate[]> {
    if (this.#webhook()) throw new Refusal(409, WEBHOOK_ACTIVE);
    if (Array.isArray(payload['allowed_updates'])) this.#world.allowed = payload['allowed_updates'];
    this.most = Math.max(this.most, this.#open ? 2 : 1);
    this.#open?.end(new Refusal(409, OTHER_POLL));
    return this.#wait(payload, gone);
  }

  #wait(payload: Payload, gone: (fn: () => void) => void): Promise<readonly WireUpdate[]> {
    const limit = Number(payload['limit'] ?? 100);
    const offset = payload['offset'] === undefined ? undefined : Number(payload['offset']);
    const look = () => this.#world.take(offset, limit);
    return new Promise((resolve, reject) => {
      const close = () => {
        unwatch();
        cancel();
        if (this.#open === poll) this.#open = undefined;
        this.#world.changed();
      };
      const poll: OpenPoll = {
        end: (outcome) => {
          close();
          if (outcome instanceof Refusal) reject(outcome);
          else resolve(outcome);
        },
      };
      this.#open = poll;
      const unwatch = this.#world.watch(() => {
        const found = look();
        if (found.length > 0) poll.end(found);
      });
      const cancel = this.#world.clock.after(Number(payload['timeout'] ?? 0) * 1000, () => poll.end(look()));
      gone(close);
      this.#world.changed();
      const now = look();
      if (now.length > 0 || Number(payload['timeout'] ?? 0) === 0) poll.end(now);
    });
  }

  get polling(): boolean {
    return this.#open !== undefined;
  }

  /** A foreign program polls the same token once: whoever polls now gets 409. */
  steal(): void {
    this.#open?.end(new Refusal(409, OTHER_POLL));
  }
}
