import type { Server } from 'node:http';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import { isTaken, listen } from './binding.ts';
import { portHolder } from './port-holder.ts';

const RETRY_MS = 30_000;

export interface HttpState {
  readonly state: 'connected' | 'degraded';
  readonly reason: string;
}

/** The port and the wait for it: a taken one degrades http and nothing else. */
export interface Listening {
  /** Resolves when it listens or the port is taken; then it tries again each 30 s. Rejects when it could never listen. */
  open(): Promise<void>;
  /** Tries no more. */
  giveUp(): void;
  /** The port in use, or the one that is wanted. */
  port(): number;
  state(): HttpState;
}

export interface ListeningDeps {
  readonly server: Server;
  readonly host: string;
  readonly port: number;
  /** A taken port moves to the next of 20 instead of being waited for. */
  readonly next: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export function createListening(deps: ListeningDeps): Listening {
  const { clock, log } = deps;
  let port = deps.port;
  let state: HttpState = { state: 'degraded', reason: 'not started' };
  let given = false;
  let cancelRetry: (() => void) | undefined;

  async function open(): Promise<void> {
    try {
      port = await listen(deps.server, deps.host, port, deps.next);
      state = { state: 'connected', reason: `listening on port ${port}` };
    } catch (error) {
      if (!isTaken(error)) throw error;
      await wait();
    }
  }

  /** Armed first: finding the holder takes its time and may find nobody. */
  async function wait(): Promise<void> {
    state = { state: 'degraded', reason: `port ${port} is taken by another program` };
    if (given) return;
    cancelRetry = clock.after(RETRY_MS, () => {
      open().catch((error: unknown) => log.error({ err: error, port }, 'http cannot listen; see the cause.'));
    });
    const holder = await portHolder(port);
    if (holder !== undefined && state.state === 'degraded') {
      state = { state: 'degraded', reason: `port ${port} is taken by ${holder}` };
    }
    log.warn({ port }, `http waits: ${state.reason}. hermod tries again every 30 s; set http.port to use another.`);
  }

  return {
    open,
    giveUp() {
      given = true;
      cancelRetry?.();
    },
    port: () => port,
    state: () => state,
  };
}
