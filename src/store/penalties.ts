import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';

export type Chat = Pick<Address, 'platform' | 'bot' | 'chat'>;

/** Chats that a platform has closed for a while, over restarts. */
export interface Penalties {
  /** `until`: UTC ms. A longer one that is known stays. */
  close(chat: Chat, until: number): void;
  /** Those that still hold; older ones are forgotten. */
  live(now: number): readonly (Chat & { readonly until: number })[];
}

export function createPenalties(db: Db): Penalties {
  const close = db.prepare(`
    INSERT INTO penalties (platform, bot, chat, until) VALUES (@platform, @bot, @chat, @until)
    ON CONFLICT (platform, bot, chat) DO UPDATE SET until = max(until, excluded.until)`);
  const forget = db.prepare('DELETE FROM penalties WHERE until <= ?');
  const live = db.prepare<[], Chat & { until: number }>('SELECT platform, bot, chat, until FROM penalties');

  return {
    close: ({ platform, bot, chat }, until) => void close.run({ platform, bot, chat, until }),
    live(now) {
      forget.run(now);
      return live.all();
    },
  };
}
