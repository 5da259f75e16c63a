import { systemClock } from '../../../src/context/system-clock.ts';
import type { Clock } from '../../../src/contract/clock.ts';
import type { Log } from '../../../src/contract/log.ts';
import type {
  Address,
  ButtonPress,
  InboundMessage,
  OutboundMessage,
  PrivateReply,
  SentMessage,
} from '../../../src/contract/message.ts';
import type {
  Health,
  KeyValue,
  PlatformAdapter,
  PlatformEvents,
  RefusedInput,
} from '../../../src/contract/platform.ts';
import { createTelegram } from '../../../src/platforms/telegram/adapter.ts';
import { TELEGRAM_DEFAULTS, type TelegramConfig } from '../../../src/platforms/telegram/config.ts';
import type { MenuCommand } from '../../../src/platforms/telegram/menu.ts';
import { TelegramServer } from '../../fakes/telegram-server.ts';

export interface RigOptions {
  readonly clock?: Clock;
  readonly config?: Partial<TelegramConfig>;
  readonly commands?: readonly MenuCommand[];
  readonly limits?: boolean;
  readonly state?: KeyValue;
  readonly server?: TelegramServer;
}

/** What the adapter told, and what it may be told to answer. */
export class Told implements PlatformEvents {
  readonly messages: InboundMessage[] = [];
  readonly edits: InboundMessage[] = [];
  readonly presses: ButtonPress[] = [];
  readonly reached: { readonly address: Address; readonly reachable: boolean }[] = [];
  readonly moves: { readonly from: Address; readonly to: Address }[] = [];
  readonly healths: Health[] = [];
  readonly refusals: RefusedInput[] = [];
  readonly reactions: unknown[] = [];
  /** Called before a message counts as stored; throw to refuse it. */
  storing: (message: InboundMessage) => void | Promise<void> = () => {};
  decide: (press: ButtonPress) => PrivateReply | undefined | Promise<PrivateReply | undefined> = () => undefined;

  async message(message: InboundMessage): Promise<void> {
    await this.storing(message);
    this.messages.push(message);
  }
  async press(press: ButtonPress): Promise<PrivateReply | undefined> {
    this.presses.push(press);
    return this.decide(press);
  }
  async form(): Promise<undefined> {}
  async edited(message: InboundMessage): Promise<void> {
    this.edits.push(message);
  }
  async stopped(): Promise<void> {}
  async reaction(reaction: unknown): Promise<void> {
    this.reactions.push(reaction);
  }
  async reach(address: Address, reachable: boolean): Promise<void> {
    this.reached.push({ address, reachable });
  }
  async moved(from: Address, to: Address): Promise<void> {
    this.moves.push({ from, to });
  }
  health(health: Health): void {
    this.healths.push(health);
  }
  async refused(input: RefusedInput): Promise<void> {
    this.refusals.push(input);
  }
  get texts(): readonly string[] {
    return this.messages.map(({ text }) => text);
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

/** The fake server and one adapter on it; `stop` ends both. */
export class Rig {
  readonly server: TelegramServer;
  readonly told = new Told();
  readonly log = recordingLog();
  readonly state: KeyValue;
  adapter!: PlatformAdapter;
  readonly #options: RigOptions;
  readonly #abort = new AbortController();

  private constructor(options: RigOptions) {
    this.#options = options;
    this.server =
      options.server ??
      new TelegramServer({ ...(options.clock ? { clock: options.clock } : {}), limits: options.limits ?? false });
    this.state = options.state ?? memoryState();
  }

  /** Opens the fake, unless one that is open was given, and builds an adapter that is not started yet. */
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
    const { clock = systemClock, config, commands } = this.#options;
    return createTelegram(
      { ...TELEGRAM_DEFAULTS, apiRoot: this.server.url, ...config },
      {
        log: this.log,
        clock,
        state: this.state,
        token: this.server.token,
        random: () => 1,
        ...(commands ? { commands } : {}),
      },
    );
  }

  start(): Promise<void> {
    return this.adapter.start(this.told, this.#abort.signal);
  }

  async stop(): Promise<void> {
    await this.adapter.stop();
    await this.server.close();
  }

  address(chat: number, thread?: number): Address {
    const bot = String(this.server.world.bot.id);
    return {
      platform: 'telegram',
      bot,
      chat: String(chat),
      ...(thread === undefined ? {} : { thread: String(thread) }),
    };
  }

  /** Sends every part of a message, in order. */
  async say(to: Address, message: OutboundMessage): Promise<readonly SentMessage[]> {
    const sent: SentMessage[] = [];
    for (const part of this.adapter.parts(message)) sent.push(await this.sendPart(to, part));
    return sent;
  }

  sendPart(to: Address, part: OutboundMessage): Promise<SentMessage> {
    return this.adapter.send(to, part, { key: 'k', signal: this.#abort.signal });
  }
}
