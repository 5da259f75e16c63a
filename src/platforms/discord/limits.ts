import type { PlatformLimits } from '../../contract/platform.ts';
import type { DiscordConfig } from './config.ts';

/** UTF-16 units of a message, markup included. */
export const MAX_CONTENT = 2000;
export const MAX_BUTTON_DATA = 100;
export const MAX_LABEL = 80;
export const MAX_ROWS = 5;
export const MAX_ROW = 5;
export const MAX_FILES = 10;
/** All files of a message together, unless the guild allows more. */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
/** Characters a person may write into a form. */
export const MAX_FORM_TEXT = 500;
/** How long Discord certainly remembers a nonce. */
export const NONCE_LIFE_MS = 180_000;

export function discordLimits(config: DiscordConfig): PlatformLimits {
  return {
    maxText: MAX_CONTENT,
    maxParts: config.maxParts,
    maxButtonData: MAX_BUTTON_DATA,
    buttons: true,
    edit: true,
    threads: true,
    forms: true,
    typingMs: 10_000,
    editEveryMs: { direct: config.editIntervalMs, group: config.editIntervalMs },
    idempotency: { lifeMs: NONCE_LIFE_MS },
    rate: {
      botPerSecond: 45,
      direct: { burst: 5, everyMs: 1_000 },
      group: { burst: 5, everyMs: 1_000 },
    },
  };
}
