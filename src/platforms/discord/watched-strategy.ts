import { SimpleShardingStrategy } from 'discord.js';

export interface SocketWatch {
  /** The peer has shown that it is there. */
  alive(): void;
  closed(code: number): void;
  /** The library threw where nobody could have caught it. */
  threw(error: unknown): void;
}

/** What we need of a shard; dialling and the socket are the library's own affair, but somebody has to stop them. */
interface Shard {
  on(event: 'hello' | 'heartbeat', listener: () => void): void;
  on(event: 'closed', listener: (closed: { readonly code: number }) => void): void;
  internalConnect(): Promise<void>;
  onMessage(...frame: unknown[]): Promise<void>;
  onClose(code: number): Promise<void>;
  heartbeat(requested?: boolean): Promise<void>;
  readonly connection: Socket | null;
}

interface Socket {
  on(event: 'error', listener: () => void): void;
  terminate(): void;
}

/** What the library calls from timers and sockets without waiting for it: a rejection of these would end the process. */
const UNATTENDED = ['internalConnect', 'onMessage', 'onClose', 'heartbeat'] as const;

/**
 * The library's way to run a shard, with three things added: somebody hears of its signs of life, what it throws is caught,
 * and once it is over no shard of it ever dials again. Without the last, a client that is destroyed between two sockets
 * connects and identifies after all.
 */
export class WatchedStrategy extends SimpleShardingStrategy {
  readonly #watch: SocketWatch;
  readonly #mine: Shard[] = [];
  #over = false;

  constructor(manager: ConstructorParameters<typeof SimpleShardingStrategy>[0], watch: SocketWatch) {
    super(manager);
    this.#watch = watch;
  }

  override async spawn(ids: number[]): Promise<void> {
    await super.spawn(ids);
    const { shards } = this as unknown as { readonly shards: ReadonlyMap<number, Shard> };
    for (const shard of shards.values()) this.#guard(shard);
  }

  /** No dial from here on, and no socket is left open, whatever state it was in. Twice: harmless. */
  end(): void {
    this.#over = true;
    for (const { connection } of this.#mine) {
      connection?.on('error', () => {});
      connection?.terminate();
    }
  }

  /** Forbids new sockets; those that are open may still say goodbye. */
  forbid(): void {
    this.#over = true;
  }

  #guard(shard: Shard): void {
    for (const name of UNATTENDED) this.#attend(shard, name);
    const dial = shard.internalConnect;
    shard.internalConnect = async () => {
      if (!this.#over) await dial();
    };
    this.#mine.push(shard);
    shard.on('hello', () => this.#watch.alive());
    shard.on('heartbeat', () => this.#watch.alive());
    shard.on('closed', ({ code }) => this.#watch.closed(code));
  }

  #attend(shard: Shard, name: (typeof UNATTENDED)[number]): void {
    const act = shard[name].bind(shard) as (...given: unknown[]) => Promise<void>;
    shard[name] = async (...given: unknown[]) => {
      try {
        await act(...given);
      } catch (error) {
        this.#watch.threw(error);
      }
    };
  }
}
