import type { Config } from './config/config.ts';
import type { Secrets } from './config/secrets.ts';
import type { Clock } from './contract/clock.ts';
import { HermodError } from './contract/errors.ts';
import type { Log } from './contract/log.ts';
import type { PlatformAdapter } from './contract/platform.ts';
import { COMMANDS } from './gateway/commands/table.ts';
import { createPlatformState } from './store/platform-state.ts';
import type { Store } from './store/store.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** The adapters of the networks that are configured; a network that is not is never imported. */
export async function createNetworks(
  config: Config,
  secrets: Secrets,
  deps: Deps,
): Promise<readonly PlatformAdapter[]> {
  return [
    ...(config.telegram.enabled ? [await telegram(config, secrets, deps)] : []),
    ...(config.discord.enabled ? [await discord(config, secrets, deps)] : []),
  ];
}

async function telegram({ telegram: set }: Config, secrets: Secrets, deps: Deps): Promise<PlatformAdapter> {
  const token = secrets['TELEGRAM_BOT_TOKEN'];
  if (token === undefined) {
    throw new HermodError(
      'operator',
      'telegram.enabled is true but TELEGRAM_BOT_TOKEN is not set. Put the token of @BotFather into .env.',
    );
  }
  const { createTelegram } = await import('./platforms/telegram/adapter.ts');
  const { store, clock, log } = deps;
  return createTelegram(
    {
      apiRoot: set.api_root,
      ...(set.local_files_dir !== undefined && { localFilesDir: set.local_files_dir }),
      pollTimeoutS: set.poll_timeout_s,
      drafts: set.drafts,
      editIntervalPrivateMs: set.edit_interval_private_ms,
      editIntervalGroupMs: set.edit_interval_group_ms,
      reactions: set.reactions,
      hearReactions: set.hear_reactions,
      linkPreviews: set.link_previews,
      menu: set.menu,
      maxDownloadMb: set.max_download_mb,
      maxParts: set.max_parts,
    },
    {
      token,
      clock,
      log,
      state: createPlatformState(store.db, 'telegram'),
      commands: COMMANDS.map(({ name, about }) => ({ name, description: about })),
    },
  );
}

async function discord({ discord: set, access }: Config, secrets: Secrets, deps: Deps): Promise<PlatformAdapter> {
  const token = secrets['DISCORD_BOT_TOKEN'];
  if (token === undefined) {
    throw new HermodError(
      'operator',
      'discord.enabled is true but DISCORD_BOT_TOKEN is not set. Put the token of the portal into .env.',
    );
  }
  const { createDiscord } = await import('./platforms/discord/adapter.ts');
  const { store, clock, log } = deps;
  return createDiscord(
    {
      restApi: set.rest_api,
      commandScope: set.command_scope,
      editIntervalMs: set.edit_interval_ms,
      autoThread: set.auto_thread,
      linkPreviews: set.link_previews,
      reactions: set.reactions,
      hearReactions: set.hear_reactions,
      catchUp: { maxAgeS: set.catch_up.max_age_s, maxPerChannel: set.catch_up.max_per_channel },
      maxRateWaitS: set.max_rate_wait_s,
      maxDownloadMb: set.max_download_mb,
      maxParts: set.max_parts,
      mediaHosts: set.media_hosts ?? null,
    },
    {
      token,
      clock,
      log,
      state: createPlatformState(store.db, 'discord'),
      commands: COMMANDS.map(({ name, about, args }) => ({ name, description: about, ...(args && { args }) })),
      rolesMatter: access.roles.some((role) => role.startsWith('discord:')),
    },
  );
}
