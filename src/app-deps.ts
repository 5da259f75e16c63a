import type { Config } from './config/config.ts';
import type { ReloadAnswer } from './config/live.ts';
import type { Loaded } from './config/load.ts';
import type { Secrets } from './config/secrets.ts';
import type { EnvMarkers } from './context/authority.ts';
import type { Clock } from './contract/clock.ts';
import type { BootId } from './contract/ids.ts';
import type { Health, PlatformAdapter } from './contract/platform.ts';
import type { Status } from './gateway/status.ts';
import type { Host } from './host.ts';
import type { Watchdog } from './process/watchdog.ts';

export interface AppDeps {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly practice: boolean;
  readonly home: string;
  readonly host: Host;
  readonly clock: Clock;
  readonly markers: EnvMarkers;
  /** A person asked for the end, on the page, in a chat or on the command line. */
  readonly end: (how: 'stopped' | 'restarted', by: string, now?: boolean) => void;
  /** Of this process life. */
  readonly boot: BootId;
  /** A process that runs one firing and is no life of the daemon: no breaker counts it. */
  readonly alone?: true;
  readonly watchdog: Watchdog;
  /** Somebody starts us again after a restart: the launcher or a supervisor. */
  readonly supervised: boolean;
  /** The configuration as its files are now. */
  readonly readAgain: () => Loaded;
}

/** What the parts ask of the running app. */
export interface Live {
  status(): Status;
  health(platform: string, health: Health): void;
  adapterOf(platform: string): PlatformAdapter | undefined;
  /** Turns and firings at work. */
  busy(): number;
  /** This end is not a restart. */
  isLeaving(): boolean;
  /** Every platform that is configured is connected. */
  chatsUp(): boolean;
  /** Reads the configuration again. */
  reload(): ReloadAnswer;
}
