import type { PlatformLimits } from '../../contract/platform.ts';

/** Bytes of all files of one message; they are kept in the database. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** The page is ours: its numbers keep rows and redraws small, nothing else sets them. */
export const WEB_LIMITS: PlatformLimits = {
  // Markdown of this length is drawn in about 50 ms; longer answers become several messages.
  maxText: 16_000,
  maxParts: 8,
  maxButtonData: 64,
  buttons: true,
  edit: true,
  threads: false,
  forms: true,
  typingMs: 5_000,
  editEveryMs: { direct: 250, group: 250 },
  // A key is unique in the table for as long as the row lives.
  idempotency: { lifeMs: Number.MAX_SAFE_INTEGER },
  rate: {
    botPerSecond: 200,
    direct: { burst: 50, everyMs: 20 },
    group: { burst: 50, everyMs: 20 },
  },
};
