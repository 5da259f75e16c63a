import type { Db } from './open.ts';
import type { Chat } from './penalties.ts';

export type Progress = 'off' | 'tools' | 'all';
export type BusyMode = 'queue' | 'steer' | 'interrupt';

/** What a chat wants otherwise than the configuration says. */
export interface ChatSetting {
  readonly progress: Progress | null;
  readonly busy: BusyMode | null;
}

/** Settings by chat, all its threads together. */
export interface ChatSettings {
  of(chat: Chat): ChatSetting;
  setProgress(chat: Chat, progress: Progress): void;
  setBusy(chat: Chat, busy: BusyMode): void;
}

export function createChatSettings(db: Db): ChatSettings {
  const look = db.prepare<[string, string, string], ChatSetting>(
    'SELECT progress, busy FROM chat_settings WHERE platform = ? AND bot = ? AND chat = ?',
  );
  const setter = (column: 'progress' | 'busy') =>
    db.prepare(`
      INSERT INTO chat_settings (platform, bot, chat, ${column}) VALUES (?, ?, ?, ?)
      ON CONFLICT (platform, bot, chat) DO UPDATE SET ${column} = excluded.${column}`);
  const [progress, busy] = [setter('progress'), setter('busy')];

  return {
    of: ({ platform, bot, chat }) => look.get(platform, bot, chat) ?? { progress: null, busy: null },
    setProgress: ({ platform, bot, chat }, value) => void progress.run(platform, bot, chat, value),
    setBusy: ({ platform, bot, chat }, value) => void busy.run(platform, bot, chat, value),
  };
}
