import { Client, Events, GatewayIntentBits, Partials } from 'discord.js';
import { type Clock, pause } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { IdentifyBudget } from './identify-budget.ts';
import { PLATFORM } from './place.ts';
import type { restOptions } from './rest-client.ts';
import { WatchedStrategy } from './watched-strategy.ts';

const STOP_MS = 2_000;

/** A dispatch as it came over the socket. */
export interface Packet {
  readonly t: string;
  readonly d: unknown;
}

export interface SessionListener {
  packet(packet: Packet): void;
  alive(): void;
  closed(code: number): void;
}

export interface SessionDeps {
  readonly token: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly rest: ReturnType<typeof restOptions>;
  readonly budget: IdentifyBudget;
  readonly hearReactions: boolean;
  readonly listener: SessionListener;
}

/**
 * One client of the library: it keeps the connection, and what comes over it is handed on as it came. The library's own
 * picture of users, members and messages is not built: it would hold 20,000 people for ever, and a payload it cannot digest
 * would throw where nobody can catch it.
 */
export class GatewaySession {
  readonly #deps: SessionDeps;
  readonly #over = new AbortController();
  #client: Client | undefined;
  #strategy: WatchedStrategy | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Resolves at READY; rejects when the first connection fails for good or the session is closed. Call it once. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = this.#over;
      const stopped = () => reject(new Error('stopped'));
      if (signal.aborted) return stopped();
      signal.addEventListener('abort', stopped, { once: true });
      // The clock's callbacks belong to no run: whatever run opened this session, its sockets do not inherit it.
      this.#deps.clock.after(0, () => {
        if (!signal.aborted) this.#login().then(resolve, reject);
      });
    });
  }

  /** After this nothing is heard, dialled or identified any more; resolves within 2 s. */
  close(): Promise<void> {
    this.#over.abort();
    this.#closed ??= this.#destroy();
    return this.#closed;
  }

  async #destroy(): Promise<void> {
    const client = this.#client;
    if (!client) return;
    this.#strategy?.forbid();
    const done = new AbortController();
    const gone = client.destroy().catch(() => undefined);
    void gone.then(() => done.abort());
    await Promise.race([gone, pause(this.#deps.clock, STOP_MS, done.signal)]);
    this.#strategy?.end();
    client.removeAllListeners();
    // An error that comes after all must not find the emitter without a listener.
    client.on(Events.Error, () => {});
  }

  async #login(): Promise<void> {
    const { token } = this.#deps;
    this.#client = this.#build();
    await this.#client.login(token);
  }

  #build(): Client {
    const { rest, budget, listener } = this.#deps;
    const { signal } = this.#over;
    const alive = () => void (signal.aborted || listener.alive());
    const closed = (code: number) => void (signal.aborted || listener.closed(code));
    const client = new Client({
      intents: intentsOf(this.#deps),
      partials: [Partials.Channel],
      waitGuildTimeout: 5_000,
      rest,
      ws: {
        buildStrategy: (manager) => {
          this.#strategy = new WatchedStrategy(manager, { alive, closed, threw: (error) => this.#threw(error) });
          return this.#strategy;
        },
        buildIdentifyThrottler: () => budget,
      },
    });
    bypassCaches(client);
    this.#listen(client);
    return client;
  }

  #listen(client: Client): void {
    const { log, listener } = this.#deps;
    client.on(Events.Raw, (packet: Packet) => {
      if (this.#over.signal.aborted) return;
      try {
        listener.packet(packet);
      } catch (error) {
        log.error(
          { platform: PLATFORM, event: packet.t, error: String(error) },
          'A Discord event could not be taken in.',
        );
      }
    });
    const trouble = (error: Error) =>
      log.debug({ platform: PLATFORM, error: error.message.slice(0, 200) }, 'The Discord connection has trouble.');
    client.on(Events.Error, trouble);
    client.on(Events.ShardError, trouble);
  }

  #threw(error: unknown): void {
    const facts = { platform: PLATFORM, error: String(error).slice(0, 200) };
    this.#deps.log.warn(facts, 'discord.js could not digest what it got; the connection goes on or is rebuilt.');
  }
}

/** Private in the library, and the one place all its caches and objects are made from. */
function bypassCaches(client: Client): void {
  (client.ws as unknown as { handlePacket(): boolean }).handlePacket = () => true;
}

function intentsOf({ hearReactions }: SessionDeps): GatewayIntentBits[] {
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits;
  const reactions = [GatewayIntentBits.GuildMessageReactions, GatewayIntentBits.DirectMessageReactions];
  return [Guilds, GuildMessages, DirectMessages, MessageContent, ...(hearReactions ? reactions : [])];
}
