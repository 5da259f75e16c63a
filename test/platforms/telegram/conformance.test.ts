import { outsideRun } from '../../../src/context/run-context.ts';
import type { Log } from '../../../src/contract/log.ts';
import type { Address } from '../../../src/contract/message.ts';
import type { PlatformAdapter } from '../../../src/contract/platform.ts';
import { createTelegram } from '../../../src/platforms/telegram/adapter.ts';
import { TELEGRAM_DEFAULTS } from '../../../src/platforms/telegram/config.ts';
import type { ConformanceClock, ConformanceHarness, FaultName, SeenMessage } from '../../conformance/harness.ts';
import { conformance } from '../../conformance/suite.ts';
import type { FaultPlan } from '../../fakes/telegram-faults.ts';
import { TelegramServer } from '../../fakes/telegram-server.ts';
import { WarpClock } from '../../fakes/warp-clock.ts';
import { memoryState } from './rig.ts';

const FORUM = -100_500;
/** One sync sets the list for private chats and for groups. */
const SCOPES = 2;
const MENU = [
  { name: 'help', description: 'What I can do' },
  { name: 'stop', description: 'End what runs here' },
];

const PLANS: Partial<Record<FaultName, FaultPlan>> = {
  limit: { kind: 'limit', retryAfter: 30 },
  'limit-untold': { kind: 'limit', retryAfter: null },
  broken: { kind: 'refuse', status: 500, description: 'Internal Server Error' },
  page: { kind: 'html', status: 502 },
  'cut-before': { kind: 'reset-before' },
  'cut-after': { kind: 'reset-after' },
  silent: { kind: 'hang' },
};

class TelegramHarness implements ConformanceHarness {
  readonly clock: ConformanceClock;
  readonly secret: string;
  readonly maxFileBytes = 50 * 1024 * 1024;
  readonly faults = {
    in: ['limit', 'limit-untold', 'broken', 'page', 'cut-before', 'cut-after', 'silent'],
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
  readonly #server: TelegramServer;
  readonly #state = memoryState();
  readonly #topic: number;

  constructor(server: TelegramServer, clock: ConformanceClock) {
    this.#server = server;
    this.clock = clock;
    this.secret = server.token.split(':')[1] ?? '';
    for (let person = 0; person < 5; person++) server.world.chat({ id: 11 + person, type: 'private' });
    server.group(FORUM, { forum: true });
    this.#topic = server.topic(FORUM, 'Builds');
  }

  build(log: Log): PlatformAdapter {
    const { clock } = this;
    const detached = {
      now: () => clock.now(),
      after: (ms: number, fn: () => void) => outsideRun(() => clock.after(ms, fn)),
    };
    const config = { ...TELEGRAM_DEFAULTS, apiRoot: this.#server.url };
    return createTelegram(config, {
      log,
      clock: detached,
      state: this.#state,
      token: this.#server.token,
      commands: MENU,
    });
  }

  direct(person: number): Address {
    return this.#address(11 + person);
  }

  thread(): Address {
    return { ...this.#address(FORUM), thread: String(this.#topic) };
  }

  says(person: number, where: Address, text: string): void {
    this.#server.person(11 + person).says(this.#where(where), text);
  }

  sendsFile(person: number, where: Address, name: string, content: string): void {
    this.#server.person(11 + person).sendsFile(this.#where(where), content, { name });
  }

  presses(person: number, where: Address, messageId: string, label: string): { answer(): string | undefined } {
    const press = this.#server.person(11 + person).presses({ chat: Number(where.chat), id: Number(messageId) }, label);
    return { answer: () => press.answer };
  }

  deletes(where: Address, messageId: string): void {
    this.#server.person(11).deletes({ chat: Number(where.chat), id: Number(messageId) });
  }

  echoes(where: Address): void {
    const { world } = this.#server;
    this.#server.person(world.bot.id, 'Hermod', { bot: true }).says(Number(where.chat), 'my own words');
    this.#server.person(900, 'Other', { bot: true }).says(Number(where.chat), 'beep');
  }

  seen(where: Address): readonly SeenMessage[] {
    const said = this.#server.said(Number(where.chat), where.thread === undefined ? undefined : Number(where.thread));
    return said.map(({ id, text, buttons, files }) => ({
      id: String(id),
      text,
      buttons: buttons.flat(),
      files: files.map(({ name, bytes }) => ({ name, size: bytes.length })),
    }));
  }

  typed(where: Address): number {
    const actions = this.#server.world.chats.get(Number(where.chat))?.actions ?? [];
    return actions.filter(({ topic }) => String(topic) === where.thread).length;
  }

  async fault(name: FaultName, side: 'in' | 'out', times: number): Promise<void> {
    const plan = PLANS[name];
    if (plan && side === 'in') this.#server.fault('getUpdates', { ...plan, times });
    else if (plan)
      for (const method of ['sendMessage', 'sendDocument', 'editMessageText'])
        this.#server.fault(method, { ...plan, times });
    if (name === 'credentials')
      this.#server.fault('*', { kind: 'refuse', status: 401, description: 'Unauthorized', times: 100 });
    if (name === 'blocked') this.#server.person(11).blocks();
    if (name === 'thread-gone') this.#server.deleteTopic(FORUM, this.#topic);
    if (name === 'refused') await this.#server.close();
  }

  heal(): void {
    this.#server.clearFaults();
  }

  sends(): number {
    return this.#server.calls.filter(({ method }) => /^(?:send|edit)/.test(method) && method !== 'sendChatAction')
      .length;
  }

  streams(): number {
    return this.#server.polls.most;
  }

  menuSyncs(): number {
    return this.#server.callsOf('setMyCommands').filter(({ status }) => status === 200).length / SCOPES;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #address(chat: number): Address {
    return { platform: 'telegram', bot: String(this.#server.world.bot.id), chat: String(chat) };
  }

  #where(where: Address): number | { chat: number; topic: number } {
    const chat = Number(where.chat);
    return where.thread === undefined ? chat : { chat, topic: Number(where.thread) };
  }
}

conformance('telegram', async () => {
  const clock = new WarpClock();
  const server = new TelegramServer({ clock, limits: false });
  await server.listen();
  return new TelegramHarness(server, clock);
});
