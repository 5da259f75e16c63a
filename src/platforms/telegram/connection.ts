import type { Update } from 'grammy/types';
import { pause } from '../../contract/clock.ts';
import { SendError } from '../../contract/errors.ts';
import type { PlatformEvents } from '../../contract/platform.ts';
import type { BotClient } from './bot-client.ts';
import { type BotIdentity, botIdOf } from './bot-identity.ts';
import type { TelegramConfig } from './config.ts';
import type { TelegramDeps } from './deps.ts';
import { TelegramError } from './failure.ts';
import { HealthBoard } from './health-board.ts';
import { Joins } from './joins.ts';
import { type Mapped, mapUpdate } from './mapping.ts';
import { syncMenu } from './menu.ts';
import { PLATFORM } from './place.ts';
import { PollLoop } from './poll-loop.ts';
import { PressAnswers } from './press-answers.ts';
import { redact } from './redact.ts';
import { senderOf } from './unreadable.ts';

export interface ConnectionDeps extends TelegramDeps {
  readonly client: BotClient;
  readonly config: TelegramConfig;
  readonly events: PlatformEvents;
}

const STOP_MS = 2_000;
const MAX_FORUMS = 10_000;
const ALWAYS = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'stopped_message_generation'] as const;

/** One life of the connection, from getMe to the last poll. */
export class Connection {
  /** Settles with the first poll: resolved, events flow; rejected, the connection is closed. */
  readonly started: Promise<void>;
  readonly #deps: ConnectionDeps;
  readonly #abort = new AbortController();
  readonly #health: HealthBoard;
  readonly #presses: PressAnswers;
  readonly #joins = new Joins();
  readonly #forums = new Set<string>();
  #me: BotIdentity;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#me = { id: botIdOf(deps.token), name: '' };
    this.#presses = new PressAnswers(deps.client, deps.clock, deps.log);
    this.#health = new HealthBoard(deps.clock, deps.log, (health) => {
      if (!this.#abort.signal.aborted) deps.events.health(health);
    });
    this.started = this.#start();
  }

  /** Aborted once this connection is closed, by whomever. */
  get over(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the poll; resolves within 2 s and no event comes afterwards. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#health.close();
    const over = new AbortController();
    const ended = Promise.allSettled([this.started, this.#running]).then(() => over.abort());
    await Promise.race([ended, pause(this.#deps.clock, STOP_MS, over.signal)]);
  }

  /** Whether a chat has topics, as far as its messages have told. */
  isForum(chat: string): boolean {
    return this.#forums.has(chat);
  }

  async #start(): Promise<void> {
    try {
      await this.#meet();
      const loop = this.#loop();
      await loop.first(this.#abort.signal);
      this.#detach(loop);
    } catch (error) {
      this.#health.close();
      this.#abort.abort();
      throw error;
    }
  }

  async #meet(): Promise<void> {
    try {
      const me = await this.#deps.client.call('getMe', {}, { signal: this.#abort.signal });
      this.#me = { id: String(me.id), name: me.username };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#health.fatal('token refused; put a new one from @BotFather into .env and restart');
      throw new SendError(
        { kind: 'auth' },
        'Telegram refused the token; put a new one from @BotFather into .env and restart.',
      );
    }
  }

  #loop(): PollLoop {
    const { client, clock, log, config, random } = this.#deps;
    return new PollLoop({
      client,
      clock,
      log,
      health: this.#health,
      timeoutS: config.pollTimeoutS,
      allowed: [...ALWAYS, ...(config.hearReactions ? ['message_reaction'] : [])],
      tell: (update) => this.#tell(update),
      refuse: (update) => this.#refuse(update, 'it could not be stored ten times'),
      ...(random ? { random } : {}),
    });
  }

  /** The clock's callbacks belong to no run: whatever run built this connection, the loop does not inherit it. */
  #detach(loop: PollLoop): void {
    const { clock, config, commands, client, log, state } = this.#deps;
    const { signal } = this.#abort;
    this.#running = new Promise((resolve) => {
      const begin = () => {
        if (config.menu && commands) void syncMenu({ client, clock, log, state, bot: this.#me.id }, commands, signal);
        void loop.run(signal).then(resolve);
      };
      clock.after(0, begin);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async #tell(update: Update): Promise<void> {
    if (this.#abort.signal.aborted) throw new Error('stopped');
    this.#noticeForum(update);
    const mapped = this.#mapped(update);
    if (mapped === undefined) return this.#refuse(update, 'its shape is unknown');
    await this.#hand(mapped, update);
  }

  #mapped(update: Update): Mapped | undefined {
    try {
      return mapUpdate(update, { me: this.#me, now: this.#deps.clock.now() }, this.#joins);
    } catch (error) {
      const reason = redact(String(error), this.#deps.token).slice(0, 200);
      this.#deps.log.warn(
        { platform: PLATFORM, update: update.update_id, reason },
        'An update cannot be read; it is kept as refused.',
      );
      return undefined;
    }
  }

  async #hand(mapped: Mapped, update: Update): Promise<void> {
    const { events, log } = this.#deps;
    switch (mapped.kind) {
      case 'message':
        return events.message(mapped.message);
      case 'edited':
        return events.edited(mapped.message);
      case 'press':
        return this.#press(mapped);
      case 'reactions':
        await Promise.all(mapped.reactions.map((reaction) => events.reaction(reaction)));
        return;
      case 'reach':
        return events.reach(mapped.address, mapped.reachable);
      case 'moved':
        return events.moved(mapped.from, mapped.to);
      case 'stopped':
      case 'ignored':
        if (mapped.kind === 'ignored' && mapped.query !== undefined) this.#presses.answer(mapped.query);
        log.debug(
          { platform: PLATFORM, update: update.update_id, why: mapped.kind === 'ignored' ? mapped.why : 'no draft' },
          'An update means nothing here.',
        );
    }
  }

  async #press({ press, query }: Extract<Mapped, { kind: 'press' }>): Promise<void> {
    const decided = this.#deps.events.press(press);
    this.#presses.follow(query, decided);
    await decided;
  }

  async #refuse(update: Update, reason: string): Promise<void> {
    const { events, log } = this.#deps;
    const refused = {
      platform: PLATFORM,
      bot: this.#me.id,
      eventId: `u:${update.update_id}`,
      reason,
      raw: JSON.stringify(update),
      ...senderOf(update, this.#me.id),
    };
    log.error(
      { platform: PLATFORM, update: update.update_id, reason },
      'An update was refused; it is acknowledged and not acted on.',
    );
    await events.refused?.(refused);
  }

  #noticeForum({ message }: Update): void {
    const chat = message?.chat;
    if (!chat || !('is_forum' in chat) || !chat.is_forum || this.#forums.size >= MAX_FORUMS) return;
    this.#forums.add(String(chat.id));
  }
}

/** getMe answers 401 to a wrong token and 404 to one that is none. */
function isRefusal(error: unknown): boolean {
  return error instanceof TelegramError && (error.failure.kind === 'auth' || error.code === 404);
}
