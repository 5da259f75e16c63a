/** What the adapter needs of the `discord` section; config.md names the keys. */
export interface DiscordConfig {
  /** Without a version and without a trailing slash. */
  readonly restApi: string;
  /** `global`, or `guild:<id>`: where slash commands are offered. */
  readonly commandScope: string;
  readonly editIntervalMs: number;
  readonly autoThread: boolean;
  readonly linkPreviews: boolean;
  readonly reactions: boolean;
  readonly hearReactions: boolean;
  readonly catchUp: { readonly maxAgeS: number; readonly maxPerChannel: number };
  readonly maxRateWaitS: number;
  readonly maxDownloadMb: number;
  readonly maxParts: number;
  /** Hosts that attachments are fetched from, over https; `null`: Discord's own. Others may be plain http (tests). */
  readonly mediaHosts: readonly string[] | null;
}

export const DISCORD_DEFAULTS: DiscordConfig = {
  restApi: 'https://discord.com/api',
  commandScope: 'global',
  editIntervalMs: 1200,
  autoThread: false,
  linkPreviews: false,
  reactions: false,
  hearReactions: false,
  catchUp: { maxAgeS: 86_400, maxPerChannel: 50 },
  maxRateWaitS: 30,
  maxDownloadMb: 25,
  maxParts: 8,
  mediaHosts: null,
};
