import type { ReloadAnswer } from './config/live.ts';
import type { Status } from './gateway/status.ts';
import type { Ending } from './process/signals.ts';
import type { BootPlan } from './store/boots.ts';

/** One life, as the daemon sees it. */
export interface App {
  /** Resolves when people can be answered. */
  start(): Promise<void>;
  /** In order, within `stop.total_s`. Twice: the same stop. */
  stop(ending: Ending): Promise<void>;
  /** A person plans the end. Never throws. */
  plan(plan: BootPlan, by: string): void;
  /** No new turn starts; resolves when none runs any more, after `restart.wait_s`, or when `signal` aborts. A stop follows. */
  calm(signal: AbortSignal): Promise<void>;
  /** Turns and firings at work: what a planned restart waits for. */
  readonly busy: number;
  /** A tool of somebody is at work. */
  readonly executing: boolean;
  /** An error nobody caught. True: it came from inside a platform's library, and only that platform is built anew. */
  blames(error: unknown): boolean;
  /** No time for order: what tools run is killed and the end is written, at once. Never throws. */
  cut(how: 'forced' | 'crash', error?: unknown): void;
  /** Reads the configuration again. Never throws. */
  reload(): ReloadAnswer;
  loginUrl(): string;
  /** The person who started it has read where it is: what happened meanwhile may follow. */
  greeted(): void;
  status(): Status;
}
