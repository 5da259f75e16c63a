import type { Clock } from '../../contract/clock.ts';
import type { KeyValue } from '../../contract/platform.ts';
import { Penalties } from '../wire/penalties.ts';

const CROWD = { chats: 3, withinMs: 5_000 };

/** Which chats, methods or the whole bot Telegram has closed. Several chats closed within seconds close the bot. */
export class ChatPenalties extends Penalties {
  readonly #clock: Clock;
  #recent: { readonly key: string; readonly at: number }[] = [];

  constructor(clock: Clock, state: KeyValue) {
    super(clock, state);
    this.#clock = clock;
  }

  override close(key: string, ms: number): void {
    super.close(key, ms);
    if (key.startsWith('chat:') && this.#crowded(key)) super.close('bot', ms);
  }

  #crowded(key: string): boolean {
    const now = this.#clock.now();
    this.#recent = [...this.#recent.filter(({ at }) => now - at < CROWD.withinMs), { key, at: now }];
    return new Set(this.#recent.map((entry) => entry.key)).size >= CROWD.chats;
  }
}
