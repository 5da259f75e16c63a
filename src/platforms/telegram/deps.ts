import type { PlatformDeps } from '../../contract/platform.ts';
import type { MenuCommand } from './menu.ts';

export interface TelegramDeps extends PlatformDeps {
  readonly token: string;
  /** The menu to show; it is set only when it changed. */
  readonly commands?: readonly MenuCommand[];
  /** For jitter; Math.random unless given. */
  readonly random?: () => number;
}
