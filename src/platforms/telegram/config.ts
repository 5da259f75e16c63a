/** What the adapter needs of the `telegram` section; config.md names the keys. */
export interface TelegramConfig {
  /** Without a trailing slash; files are fetched from the same root. */
  readonly apiRoot: string;
  /** Folder of a local Bot API server; its files are read in place. */
  readonly localFilesDir?: string;
  readonly pollTimeoutS: number;
  readonly drafts: boolean;
  readonly editIntervalPrivateMs: number;
  readonly editIntervalGroupMs: number;
  readonly reactions: boolean;
  readonly hearReactions: boolean;
  readonly linkPreviews: boolean;
  readonly menu: boolean;
  readonly maxDownloadMb: number;
  readonly maxParts: number;
}

export const TELEGRAM_DEFAULTS: TelegramConfig = {
  apiRoot: 'https://api.telegram.org',
  pollTimeoutS: 25,
  drafts: false,
  editIntervalPrivateMs: 1200,
  editIntervalGroupMs: 3500,
  reactions: false,
  hearReactions: false,
  linkPreviews: false,
  menu: true,
  maxDownloadMb: 20,
  maxParts: 8,
};
