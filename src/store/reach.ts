import type { Db } from './open.ts';
import type { Chat } from './penalties.ts';

/** Chats that refused us: blocked, removed, unknown. A mark goes when something proves the contrary. */
export interface Reach {
  /** False: it was marked already. */
  mark(chat: Chat, reason: string, now: number): boolean;
  /** False: it was not marked. */
  clear(chat: Chat): boolean;
  isGone(chat: Chat): boolean;
}

export function createReach(db: Db): Reach {
  const place = 'platform = @platform AND bot = @bot AND chat = @chat';
  const mark = db.prepare(`
    INSERT INTO unreachable (platform, bot, chat, reason, since) VALUES (@platform, @bot, @chat, @reason, @now)
    ON CONFLICT (platform, bot, chat) DO NOTHING`);
  const clear = db.prepare(`DELETE FROM unreachable WHERE ${place}`);
  const look = db.prepare(`SELECT 1 FROM unreachable WHERE ${place}`);
  const plain = ({ platform, bot, chat }: Chat) => ({ platform, bot, chat });

  return {
    mark: (chat, reason, now) => mark.run({ ...plain(chat), reason, now }).changes === 1,
    clear: (chat) => clear.run(plain(chat)).changes === 1,
    isGone: (chat) => look.get(plain(chat)) !== undefined,
  };
}
