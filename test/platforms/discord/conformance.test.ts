import { outsideRun } from '../../../src/context/run-context.ts';
import type { Log } from '../../../src/contract/log.ts';
import type { Address } from '../../../src/contract/message.ts';
import type { PlatformAdapter } from '../../../src/contract/platform.ts';
import { createDiscord } from '../../../src/platforms/discord/adapter.ts';
import { DISCORD_DEFAULTS } from '../../../src/platforms/discord/config.ts';
import type { ConformanceClock, ConformanceHarness, FaultName, SeenMessage } from '../../conformance/harness.ts';
import { conformance } from '../../conformance/suite.ts';
import type { FaultPlan } from '../../fakes/discord-faults.ts';
import { DiscordServer } from '../../fakes/discord-server.ts';
import type { FakeChannel } from '../../fakes/discord-world.ts';
import { libraryWaitsOn } from '../../fakes/library-waits.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { memoryState, NO_SPREAD } from './rig.ts';

const MENU = [
  { name: 'help', description: 'What I can do' },
  { name: 'stop', description: 'End what runs here', args: '[all]' },
];

const PLANS: Partial<Record<FaultName, FaultPlan>> = {
  limit: { kind: 'limit', retryAfter: 30 },
  'limit-untold': { kind: 'limit', retryAfter: null },
  broken: { kind: 'refuse', status: 500, message: 'Internal Server Error' },
  page: { kind: 'html', status: 502 },
  'cut-before': { kind: 'reset-before' },
  'cut-after': { kind: 'reset-after' },
  silent: { kind: 'hang' },
  credentials: { kind: 'refuse', status: 401 },
};

/** The library asks four times before it gives a server error up. */
const ATTEMPTS: Partial<Record<FaultName, number>> = { broken: 4, page: 4, silent: 100, credentials: 100 };

class DiscordHarness implements ConformanceHarness {
  readonly clock: ConformanceClock;
  readonly secret: string;
  readonly maxFileBytes = 10 * 1024 * 1024;
  readonly faults = {
    in: ['broken', 'page', 'cut-before', 'cut-after', 'silent'],
    out: [
      'limit',
      'limit-untold',
      'broken',
      'refused',
      'page',
      'cut-before',
      'cut-after',
      'silent',
      'blocked',
      'thread-gone',
      'credentials',
    ],
  } as const;
  readonly #server: DiscordServer;
  readonly #state = memoryState();
  readonly #channel: FakeChannel;
  readonly #thread: FakeChannel;
  #opened = false;

  constructor(server: DiscordServer, clock: ConformanceClock) {
    this.#server = server;
    this.clock = clock;
    this.secret = server.token.split('.')[2] ?? '';
    this.#channel = server.channel('ops');
    this.#thread = server.thread(this.#channel, 'builds');
  }

  build(log: Log): PlatformAdapter {
    const { clock } = this;
    const detached = {
      now: () => clock.now(),
      after: (ms: number, fn: () => void) => outsideRun(() => clock.after(ms, fn)),
    };
    // An outage of the soak holds more than a person would write.
    const catchUp = { ...DISCORD_DEFAULTS.catchUp, maxPerChannel: 1_000 };
    const config = { ...DISCORD_DEFAULTS, catchUp, restApi: this.#server.url, mediaHosts: [this.#server.mediaHost] };
    return createDiscord(config, {
      log,
      clock: detached,
      state: this.#state,
      token: this.#server.token,
      commands: MENU,
      callsPerSecond: NO_SPREAD,
    });
  }

  direct(person: number): Address {
    return this.#address(this.#server.person(11 + person).dm.wire.id);
  }

  thread(): Address {
    return { ...this.#address(this.#channel.wire.id), thread: this.#thread.wire.id };
  }

  says(person: number, where: Address, text: string): void {
    this.#server.person(11 + person).says(where.thread ?? where.chat, text);
  }

  sendsFile(person: number, where: Address, name: string, content: string): void {
    this.#server.person(11 + person).says(where.thread ?? where.chat, '', { files: [{ name, content }] });
  }

  presses(person: number, where: Address, messageId: string, label: string): { answer(): string | undefined } {
    const press = this.#server
      .person(11 + person)
      .presses({ channel: where.thread ?? where.chat, id: messageId }, label);
    return { answer: () => press.answer };
  }

  deletes(where: Address, messageId: string): void {
    this.#server.self().deletes({ channel: where.chat, id: messageId });
  }

  echoes(where: Address): void {
    this.#server.self().says(where.chat, 'my own words');
    this.#server.person(900, 'Other', { bot: true }).says(where.chat, 'beep');
  }

  seen(where: Address): readonly SeenMessage[] {
    return this.#server.said(where.thread ?? where.chat).map(({ id, text, buttons, files }) => ({
      id,
      text: text.replaceAll('\\', ''),
      buttons: buttons.flat(),
      files: files.map(({ name, bytes }) => ({ name, size: bytes.length })),
    }));
  }

  typed(where: Address): number {
    return this.#server.world.channels.get(where.thread ?? where.chat)?.typing.length ?? 0;
  }

  async fault(name: FaultName, side: 'in' | 'out', times: number): Promise<void> {
    if (side === 'in') return this.#incoming(name);
    const plan = PLANS[name];
    const route = name === 'credentials' ? /./ : /^(?:POST|PATCH) \/channels\/\d+\/messages/;
    if (plan) this.#server.fault(route, { ...plan, times: times * (ATTEMPTS[name] ?? 1) });
    if (name === 'blocked') this.#server.person(11).blocks();
    if (name === 'thread-gone') this.#thread.deleted = true;
    if (name === 'refused') await this.#server.close();
  }

  /** What a socket can do wrong: go away, come back without a memory, fall silent. */
  #incoming(name: FaultName): void {
    const { gateway } = this.#server;
    if (!this.#opened) this.#openDirects();
    this.#opened = true;
    if (name === 'silent') gateway.fallSilent();
    if (name === 'broken') gateway.askToReconnect();
    if (name === 'page') gateway.invalidate(false);
    if (name === 'cut-before') gateway.drop();
    if (name === 'cut-after') gateway.closeWith(1000);
  }

  /** Discord lists no direct chats to bots: only one that was heard of can be read after an outage. */
  #openDirects(): void {
    const self = this.#server.self();
    for (let person = 0; person < 5; person++) self.deletes(self.says(this.direct(person).chat, 'hello'));
  }

  heal(): void {
    this.#server.clearFaults();
    this.#server.gateway.speak();
  }

  sends(): number {
    return this.#server.callsTo(/^(?:POST|PATCH) \/channels\/\d+\/messages/).length;
  }

  streams(): number {
    return this.#server.gateway.counts.most;
  }

  menuSyncs(): number {
    return this.#server.callsTo(/^PUT \/applications\//).filter(({ status }) => status === 200).length;
  }

  async close(): Promise<void> {
    await this.#server.close();
    if (this.#server.problems.length > 0) throw new Error(this.#server.problems.join('\n'));
  }

  #address(chat: string): Address {
    return { platform: 'discord', bot: this.#server.world.bot.id, chat };
  }
}

conformance('discord', async () => {
  const clock = new WarpClock();
  libraryWaitsOn(clock);
  const server = new DiscordServer({ clock, limits: false, heartbeatMs: 200 });
  await server.listen();
  return new DiscordHarness(server, clock);
});
