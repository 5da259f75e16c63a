import { systemClock } from '../../../src/context/system-clock.ts';
import type { Clock } from '../../../src/contract/clock.ts';
import type { Log } from '../../../src/contract/log.ts';
import type {
  Address,
  ButtonPress,
  FormAnswer,
  InboundMessage,
  OutboundMessage,
  PrivateReply,
  Reaction,
  SentMessage,
} from '../../../src/contract/message.ts';
import type {
  Health,
  KeyValue,
  PlatformAdapter,
  PlatformEvents,
  RefusedInput,
} from '../../../src/contract/platform.ts';
import { createDiscord } from '../../../src/platforms/discord/adapter.ts';
import { DISCORD_DEFAULTS, type DiscordConfig } from '../../../src/platforms/discord/config.ts';
import type { DiscordDeps } from '../../../src/platforms/discord/deps.ts';
import { DiscordServer, type DiscordServerOptions } from '../../fakes/discord-server.ts';
import { libraryWaitsOn } from '../../fakes/library-waits.ts';

/** The library spreads its calls over real seconds, which a fake need not wait for. */
export const NO_SPREAD = 10_000;

export interface RigOptions extends DiscordServerOptions {
  readonly config?: Partial<DiscordConfig>;
  readonly deps?: Partial<DiscordDeps>;
  readonly state?: KeyValue;
  /** An earlier rig's, for the next process. */
  readonly server?: DiscordServer;
}

/** Stands where core stands and writes down what it is told. */
export class Told implements PlatformEvents {
  readonly messages: InboundMessage[] = [];
  readonly commands: InboundMessage[] = [];
  readonly edits: InboundMessage[] = [];
  readonly presses: ButtonPress[] = [];
  readonly forms: FormAnswer[] = [];
  readonly reactions: Reaction[] = [];
  readonly reached: { readonly address: Address; readonly reachable: boolean }[] = [];
  readonly healths: Health[] = [];
  readonly refusals: RefusedInput[] = [];
  storing: (message: InboundMessage) => void | Promise<void> = () => {};
  decide: (press: ButtonPress | FormAnswer) => PrivateReply | undefined | Promise<PrivateReply | undefined> = () =>
    undefined;
  answer: (command: InboundMessage) => PrivateReply | undefined = () => undefined;

  async message(message: InboundMessage): Promise<void> {
    await this.storing(message);
    this.messages.push(message);
  }
  async command(message: InboundMessage): Promise<PrivateReply | undefined> {
    this.commands.push(message);
    return this.answer(message);
  }
  async press(press: ButtonPress): Promise<PrivateReply | undefined> {
    this.presses.push(press);
    return this.decide(press);
  }
  async form(form: FormAnswer): Promise<PrivateReply | undefined> {
    this.forms.push(form);
    return this.decide(form);
  }
  async edited(message: InboundMessage): Promise<void> {
    this.edits.push(message);
  }
  async stopped(): Promise<void> {}
  async reaction(reaction: Reaction): Promise<void> {
    this.reactions.push(reaction);
  }
  async reach(address: Address, reachable: boolean): Promise<void> {
    this.reached.push({ address, reachable });
  }
  async moved(): Promise<void> {}
  health(health: Health): void {
    this.healths.push(health);
  }
  async refused(input: RefusedInput): Promise<void> {
    this.refusals.push(input);
  }
  get texts(): readonly string[] {
    return this.messages.map(({ text }) => text);
  }
  get state(): Health['state'] | undefined {
    return this.healths.at(-1)?.state;
  }
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly facts: object;
  readonly sentence: string;
}

export function recordingLog(lines: LogLine[] = []): Log & { readonly lines: readonly LogLine[] } {
  const at = (level: LogLine['level']) => (facts: object, sentence: string) =>
    void lines.push({ level, facts, sentence });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function memoryState(entries: Map<string, string> = new Map()): KeyValue {
  return { get: (key) => entries.get(key), set: (key, value) => void entries.set(key, value) };
}

/** The fake and one adapter on it; `stop` ends both and looks at what Discord's own description said of the bodies. */
export class Rig {
  readonly server: DiscordServer;
  readonly told = new Told();
  readonly log = recordingLog();
  readonly state: KeyValue;
  readonly clock: Clock;
  adapter!: PlatformAdapter;
  readonly #options: RigOptions;
  readonly #abort = new AbortController();
  #keys = 0;

  private constructor(options: RigOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    libraryWaitsOn(this.clock);
    this.server = options.server ?? new DiscordServer({ limits: false, ...options });
    this.state = options.state ?? memoryState();
  }

  /** Opens the fake and builds an adapter that is not started yet. */
  static async open(options: RigOptions = {}): Promise<Rig> {
    const rig = new Rig(options);
    if (!options.server) await rig.server.listen();
    rig.adapter = rig.build();
    return rig;
  }

  static async started(options: RigOptions = {}): Promise<Rig> {
    const rig = await Rig.open(options);
    await rig.start();
    return rig;
  }

  build(): PlatformAdapter {
    const { config, deps } = this.#options;
    const { server, clock, log, state } = this;
    const own = { restApi: server.url, mediaHosts: [server.mediaHost] };
    return createDiscord(
      { ...DISCORD_DEFAULTS, ...own, ...config },
      { log, clock, state, token: server.token, random: () => 0.5, callsPerSecond: NO_SPREAD, ...deps },
    );
  }

  start(): Promise<void> {
    return this.adapter.start(this.told, this.#abort.signal);
  }

  /** The same bot in a new process: same fake, same durable state. */
  async next(options: RigOptions = {}): Promise<Rig> {
    return Rig.open({ ...this.#options, ...options, server: this.server, state: this.state });
  }

  async stop(): Promise<void> {
    await this.adapter.stop();
    await this.server.close();
    if (this.server.problems.length > 0) throw new Error(this.server.problems.join('\n'));
  }

  address(chat: string, thread?: string): Address {
    const { id: bot } = this.server.world.bot;
    return { platform: 'discord', bot, chat, ...(thread === undefined ? {} : { thread }) };
  }

  /** Sends every part of a message, in order. */
  async say(to: Address, message: OutboundMessage): Promise<readonly SentMessage[]> {
    const sent: SentMessage[] = [];
    for (const part of this.adapter.parts(message)) sent.push(await this.sendPart(to, part));
    return sent;
  }

  sendPart(to: Address, part: OutboundMessage, key = `key-${++this.#keys}`, repeat = false): Promise<SentMessage> {
    return this.adapter.send(to, part, { key, signal: this.#abort.signal, ...(repeat ? { repeat: true } : {}) });
  }

  until(holds: () => boolean, what?: string): Promise<void> {
    return this.server.until(holds, what);
  }
}
