import { SimpleShardingStrategy } from 'discord.js';

export interface SocketWatch {
  /** The peer has shown that it is there. */
  alive(): void;
  closed(code: number): void;
}

/** What we need of a shard; dialling and the socket are the library's own affair, but somebody has to stop them. */
interface Shard {
  on(event: 'hello' | 'heartbeat', listener: () => void): void;
  on(event: 'closed', listener: (closed: { readonly code: number }) => void): void;
  internalConnect(): Promise<void>;
  readonly connection: Socket | null;
}

interface Socket {
  on(event: 'error', listener: () => void): void;
  terminate(): void;
}

/**
 * The library's way to run a shard, with two things added: somebody hears of its signs of life, and once it is over no shard
 * of it ever dials again. Without that, a client that is destroyed between two sockets connects and identifies after all.
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
    const dial = shard.internalConnect.bind(shard);
    shard.internalConnect = async () => {
      if (!this.#over) await dial();
    };
    this.#mine.push(shard);
    shard.on('hello', () => this.#watch.alive());
    shard.on('heartbeat', () => this.#watch.alive());
    shard.on('closed', ({ code }) => this.#watch.closed(code));
  }
}
