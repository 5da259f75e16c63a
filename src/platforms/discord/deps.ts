import type { PlatformDeps } from '../../contract/platform.ts';
import type { SlashCommand } from './slash-commands.ts';

export interface DiscordDeps extends PlatformDeps {
  readonly token: string;
  /** The slash commands to offer; they are set only when they changed. */
  readonly commands?: readonly SlashCommand[];
  /** Somebody is let in by a role: what is read over REST, which tells no roles, has to be asked for them. */
  readonly rolesMatter?: boolean;
  /** For jitter; Math.random unless given. */
  readonly random?: () => number;
  /** REST calls a second, answers to presses aside; Discord's 50 unless given. */
  readonly callsPerSecond?: number;
}
