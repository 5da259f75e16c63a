import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';
import type { Chat } from './penalties.ts';

/** Chats that refused us: blocked, removed, unknown. A mark goes when something proves the contrary. */
export interface Reach {
  /** False: it was marked already. */
  mark(chat: Chat, reason: string, now: number): boolean;
  /** A thread takes messages again, too, if one is named. False: the chat was not marked. */
  clear(chat: Chat & Pick<Address, 'thread'>): boolean;
  isGone(chat: Chat): boolean;
  /** A thread is deleted or closed; the chat around it is there. */
  loseThread(address: Address, now: number): void;
  isLost(address: Address): boolean;
}

export function createReach(db: Db): Reach {
  const place = 'platform = @platform AND bot = @bot AND chat = @chat';
  const mark = db.prepare(`
    INSERT INTO unreachable (platform, bot, chat, reason, since) VALUES (@platform, @bot, @chat, @reason, @now)
    ON CONFLICT (platform, bot, chat) DO NOTHING`);
  const clear = db.prepare(`DELETE FROM unreachable WHERE ${place}`);
  const look = db.prepare(`SELECT 1 FROM unreachable WHERE ${place}`);
  const inThread = `${place} AND thread = @thread`;
  const lose = db.prepare(`
    INSERT INTO lost_threads (platform, bot, chat, thread, since) VALUES (@platform, @bot, @chat, @thread, @now)
    ON CONFLICT (platform, bot, chat, thread) DO NOTHING`);
  const find = db.prepare(`DELETE FROM lost_threads WHERE ${inThread}`);
  const lost = db.prepare(`SELECT 1 FROM lost_threads WHERE ${inThread}`);
  const plain = ({ platform, bot, chat }: Chat) => ({ platform, bot, chat });

  return {
    mark: (chat, reason, now) => mark.run({ ...plain(chat), reason, now }).changes === 1,
    clear(chat) {
      const { thread } = chat;
      if (thread !== undefined) find.run({ ...plain(chat), thread });
      return clear.run(plain(chat)).changes === 1;
    },
    isGone: (chat) => look.get(plain(chat)) !== undefined,
    loseThread(address, now) {
      const { thread } = address;
      if (thread !== undefined) lose.run({ ...plain(address), thread, now });
    },
    isLost: (address) =>
      address.thread !== undefined && lost.get({ ...plain(address), thread: address.thread }) !== undefined,
  };
}
