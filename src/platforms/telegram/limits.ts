import type { PlatformLimits } from '../../contract/platform.ts';
import type { TelegramConfig } from './config.ts';
import { MESSAGE_LIMITS } from './split.ts';

export const MAX_BUTTON_DATA = 64;
/** Units of a caption, of a button's label and of the answer to a press. */
export const MAX_CAPTION = 1024;
export const MAX_LABEL = 32;
export const MAX_PRESS_ANSWER = 200;

const MB = 1024 * 1024;
export const MAX_PHOTO_BYTES = 10 * MB;
export const MAX_UPLOAD_BYTES = 50 * MB;
export const MAX_ALBUM = 10;

export function telegramLimits(config: TelegramConfig): PlatformLimits {
  return {
    maxText: MESSAGE_LIMITS.units,
    maxParts: config.maxParts,
    maxButtonData: MAX_BUTTON_DATA,
    buttons: true,
    edit: true,
    threads: true,
    forms: false,
    typingMs: 5_000,
    editEveryMs: { direct: config.editIntervalPrivateMs, group: config.editIntervalGroupMs },
    idempotency: null,
    rate: {
      botPerSecond: 25,
      direct: { burst: 3, everyMs: 1_000 },
      group: { burst: 4, everyMs: 3_334 },
    },
  };
}
