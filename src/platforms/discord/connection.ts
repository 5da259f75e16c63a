import { pause } from '../../contract/clock.ts';
import { SendError } from '../../contract/errors.ts';
import type { PlatformEvents } from '../../contract/platform.ts';
import type { ChannelBook } from './channel-book.ts';
import { type FatalClose, fatalClose, TOKEN_REFUSED } from './close-codes.ts';
import type { DiscordConfig } from './config.ts';
import type { DiscordDeps } from './deps.ts';
import { asSendError } from './failure.ts';
import { GatewaySession, type Packet } from './gateway-session.ts';
import { HealthBoard } from './health-board.ts';
import type { IdentifyBudget, SessionLimit } from './identify-budget.ts';
import type { Identity } from './identity.ts';
import { Intake } from './intake.ts';
import type { Media } from './media.ts';
import type { RawReady } from './payloads.ts';
import { PLATFORM } from './place.ts';
import type { RecentIds } from './recent-ids.ts';
import type { RestClient, restOptions } from './rest-client.ts';
import { syncCommands } from './slash-commands.ts';
import { Storing } from './storing.ts';
import type { UploadLimits } from './upload-limits.ts';
import { Watermarks } from './watermarks.ts';

/** A heartbeat is due every 41 s; a peer that has shown nothing for this long is rebuilt before 90 s are over. */
const SILENCE_MS = 75_000;
/** How long the start waits for what was missed to be stored. */
const FIRST_BATCH_MS = 5_000;
const LADDER_MS = [2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000];

export interface ConnectionDeps extends DiscordDeps {
  readonly config: DiscordConfig;
  readonly events: PlatformEvents;
  readonly rest: RestClient;
  readonly options: ReturnType<typeof restOptions>;
  readonly budget: IdentifyBudget;
  readonly identity: Identity;
  readonly book: ChannelBook;
  readonly media: Media;
  readonly uploads: UploadLimits;
  readonly unanswerable: RecentIds;
}

/** One life of the connection, from the first login to the last socket; sessions of the library come and go inside it. */
export class Connection {
  /** Resolves when events flow and what was missed is stored, or is taking long; rejects with the connection closed. */
  readonly started: Promise<void>;
  readonly #deps: ConnectionDeps;
  readonly #abort = new AbortController();
  readonly #caughtUp = new AbortController();
  readonly #health: HealthBoard;
  readonly #marks: Watermarks;
  readonly #intake: Intake;
  #session: GatewaySession | undefined;
  #fatal: FatalClose | undefined;
  #building = true;
  #synced = false;
  #cancelWatch: () => void = () => {};

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    const { clock, log, state, events } = deps;
    const over = this.#abort.signal;
    this.#health = new HealthBoard(clock, log, (health) => {
      if (!over.aborted) events.health(health);
    });
    this.#marks = new Watermarks(state, clock);
    const storing = new Storing({ clock, log, over, stuck: (stuck) => this.#stuck(stuck) });
    this.#intake = new Intake({ ...deps, marks: this.#marks, storing, over, rolesMatter: deps.rolesMatter === true });
    this.started = this.#start();
  }

  /** Aborted once this connection is closed, by whomever. */
  get over(): AbortSignal {
    return this.#abort.signal;
  }

  /** Nothing is heard, dialled or told after this; resolves within 2 s. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#cancelWatch();
    this.#marks.end();
    await this.#session?.close();
  }

  /** Discord takes the token no more; only a new one and a restart help. */
  revoked(): void {
    this.#end(TOKEN_REFUSED);
  }

  /** All REST is closed until then, UTC ms. */
  muted(until: number): void {
    const { clock } = this.#deps;
    this.#health.trouble('rest', `too many refusals; paused until ${hourOf(until)}`);
    clock.after(until - clock.now(), () => this.#health.over('rest'));
  }

  async #start(): Promise<void> {
    try {
      await this.#connect();
      this.#building = false;
      await pause(this.#deps.clock, FIRST_BATCH_MS, AbortSignal.any([this.#caughtUp.signal, this.#abort.signal]));
    } catch (error) {
      const fatal = this.#fatal;
      await this.close();
      if (!fatal) throw asSendError(error);
      throw new SendError({ kind: 'auth' }, `Discord: ${fatal.reason}.`);
    }
  }

  async #connect(): Promise<void> {
    await this.#budget();
    const { token, clock, log, options, budget, config } = this.#deps;
    const listener = {
      packet: (packet: Packet) => this.#packet(packet),
      alive: () => this.#alive(),
      closed: (code: number) => this.#closed(code),
    };
    const session = new GatewaySession({
      token,
      clock,
      log,
      rest: options,
      budget,
      hearReactions: config.hearReactions,
      listener,
    });
    this.#session = session;
    this.#watch();
    try {
      await session.open();
    } catch (error) {
      await session.close();
      log.debug({ platform: PLATFORM, error: String(error).slice(0, 200) }, 'No Discord connection came about.');
      throw new SendError({ kind: 'unreached' }, 'Discord did not open a connection; it is tried again.');
    }
  }

  /** A day has 1,000 connections; the last ones are not for loops. */
  async #budget(): Promise<void> {
    const { rest, budget } = this.#deps;
    const { signal } = this.#abort;
    const about = await rest.call<{ session_start_limit: SessionLimit }>({
      method: 'get',
      route: '/gateway/bot',
      signal,
    });
    budget.learn(about.session_start_limit);
    const until = budget.spentUntil;
    if (until === undefined) return;
    const reason = `only ${budget.remaining} connections are left today; waiting until ${hourOf(until)}`;
    this.#health.disconnected(reason);
    throw new SendError({ kind: 'unreached' }, `Discord: ${reason}.`);
  }

  #packet(packet: Packet): void {
    if (packet.t === 'READY') this.#ready(packet.d as RawReady);
    if (packet.t === 'RESUMED') this.#connected();
    this.#intake.packet(packet);
    if (packet.t === 'READY') void this.#intake.backlog.caughtUp().then(() => this.#caughtUp.abort());
  }

  #ready({ user, application }: RawReady): void {
    const { identity, commands, config } = this.#deps;
    identity.learn(user.id, application.id);
    this.#connected();
    if (!commands || this.#synced) return;
    this.#synced = true;
    const deps = { ...this.#deps, application: application.id, scope: config.commandScope };
    void syncCommands(deps, commands, this.#abort.signal);
  }

  #connected(): void {
    this.#health.connected();
    this.#watch();
  }

  #alive(): void {
    this.#health.proof();
    this.#watch();
  }

  #closed(code: number): void {
    const fatal = fatalClose(code);
    if (fatal) this.#end(fatal);
    else this.#health.disconnected(`the connection dropped (${code}); reconnecting`);
  }

  #end(fatal: FatalClose): void {
    if (this.#fatal || this.#abort.signal.aborted) return;
    this.#fatal = fatal;
    this.#cancelWatch();
    this.#health.fatal(fatal.reason);
    void this.#session?.close();
  }

  #stuck(stuck: boolean): void {
    if (stuck) this.#health.trouble('store', 'what arrives cannot be stored; it is tried again');
    else this.#health.over('store');
  }

  #watch(): void {
    this.#cancelWatch();
    if (this.#abort.signal.aborted || this.#fatal) return;
    this.#cancelWatch = this.#deps.clock.after(SILENCE_MS, () => this.#silent());
  }

  #silent(): void {
    this.#health.disconnected('nothing was heard of Discord for 75 s; connecting anew');
    if (this.#building) void this.#session?.close();
    else void this.#rebuild();
  }

  async #rebuild(): Promise<void> {
    const { clock, random = Math.random } = this.#deps;
    const { signal } = this.#abort;
    this.#building = true;
    for (let step = 0; !signal.aborted && !this.#fatal; step++) {
      await this.#session?.close();
      if (await this.#rebuilt()) break;
      const wait = LADDER_MS[Math.min(step, LADDER_MS.length - 1)] as number;
      await pause(clock, wait * (0.8 + 0.4 * random()), signal);
    }
    this.#building = false;
  }

  async #rebuilt(): Promise<boolean> {
    try {
      await this.#connect();
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#deps.log.warn({ platform: PLATFORM, why }, 'Discord could not be reached again yet; it is tried again.');
      return false;
    }
  }
}

/** `14:03`, where the process is. */
function hourOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}
