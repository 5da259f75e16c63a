import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '../../src/context/system-clock.ts';
import type { Clock } from '../../src/contract/clock.ts';
import { parseBody, rawBody } from './telegram-body.ts';
import { answerInstead, type Fault, type FaultPlan, Faults, sendJson, sendSlowly } from './telegram-faults.ts';
import { FloodControl } from './telegram-limits.ts';
import { type BotState, METHODS, type MethodContext } from './telegram-methods.ts';
import { type MessageRef, Person } from './telegram-person.ts';
import { Polls } from './telegram-poll.ts';
import { Refusal } from './telegram-refusal.ts';
import { Webhook } from './telegram-webhook.ts';
import type { Payload, Upload, WireEntity, WireUpdate, WireUser } from './telegram-wire.ts';
import { type FakeChat, World } from './telegram-world.ts';

export interface TelegramServerOptions {
  readonly clock?: Clock;
  /** `<bot id>:<secret>`. */
  readonly token?: string;
  /** The bot's @name, without the @. */
  readonly botName?: string;
  /** Flood control; on unless false. */
  readonly limits?: boolean;
}

/** One call of the bot, in the order of arrival. `status` is 0 while it is open or if it was cut. */
export interface Call {
  readonly method: string;
  readonly payload: Payload;
  readonly at: number;
  status: number;
}

/** A message as a person sees it now. */
export interface Visible extends MessageRef {
  readonly from: string;
  /** Text or caption. */
  readonly text: string;
  readonly entities: readonly WireEntity[];
  /** Labels, row by row. */
  readonly buttons: readonly (readonly string[])[];
  readonly styles: readonly (string | undefined)[];
  readonly replyTo?: number;
  readonly topic?: number;
  readonly files: readonly { readonly name: string; readonly kind: 'document' | 'photo'; readonly bytes: Buffer }[];
  readonly edited: boolean;
  readonly silent: boolean;
  readonly reactions: readonly string[];
}

/**
 * Telegram's Bot API on loopback, as strict as the real one: a test, a demo or a process test talks to `listen()`'s address
 * as `api_root`, lets people speak and reads what they see.
 */
export class TelegramServer {
  readonly token: string;
  readonly clock: Clock;
  readonly world: World;
  readonly polls: Polls;
  readonly webhook: Webhook;
  readonly flood: FloodControl | null;
  /** Every call so far. */
  readonly calls: Call[] = [];
  readonly bot: BotState = { commands: new Map(), queries: new Map() };
  readonly #faults = new Faults();
  readonly #sockets = new Set<Socket>();
  readonly #people = new Map<number, Person>();
  #http: Server | undefined;
  #port = 0;

  constructor(options: TelegramServerOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.token = options.token ?? '700000001:AAFakeFakeFakeFakeFakeFakeFakeFakeFake';
    const id = Number(this.token.split(':')[0]);
    const bot: WireUser = { id, is_bot: true, first_name: 'Hermod', username: options.botName ?? 'hermod_test_bot' };
    this.world = new World(this.clock, bot);
    this.webhook = new Webhook(this.world);
    this.polls = new Polls(this.world, () => this.webhook.active);
    this.flood = options.limits === false ? null : new FloodControl(this.clock);
  }

  /** Opens the port (the same one again after `close`) and resolves with the address to use as `api_root`. */
  async listen(): Promise<string> {
    const http = createServer((request, response) => void this.#serve(request, response));
    // Longer than any test renders: a socket closed under a waiting client looks like an answer that was lost.
    http.keepAliveTimeout = 75_000;
    http.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#http = http;
    this.#port = (http.address() as AddressInfo).port;
    return this.url;
  }

  /** Cuts every connection and closes the port. Twice: harmless. */
  async close(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    this.webhook.close();
    for (const socket of this.#sockets) socket.destroy();
    if (http) await new Promise((resolve) => http.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** A person; the same one for the same id. */
  person(id: number, name = `Person ${id}`, options: { readonly bot?: boolean } = {}): Person {
    const user: WireUser = { id, is_bot: options.bot ?? false, first_name: name };
    const person = this.#people.get(id) ?? new Person({ world: this.world, queries: this.bot.queries }, user);
    this.#people.set(id, person);
    return person;
  }

  /** A group with the bot in it; negative ids, as Telegram's. `forum` gives it topics, General among them. */
  group(
    id: number,
    options: { readonly title?: string; readonly forum?: boolean; readonly basic?: boolean } = {},
  ): FakeChat {
    const type = options.basic ? 'group' : 'supergroup';
    const forum = options.forum ? { is_forum: true as const } : {};
    const chat = this.world.chat({ id, type, title: options.title ?? `Group ${id}`, ...forum });
    if (options.forum && chat.topics.size === 0) {
      this.world.add(chat, { supergroup_chat_created: true });
      chat.topics.set(1, { id: 1, name: 'General', closed: false, deleted: false });
    }
    return chat;
  }

  /** Opens a topic (in a forum or a direct chat) and gives its id. */
  topic(chatId: number, name: string): number {
    const chat = this.#chat(chatId);
    const opening = this.world.add(chat, { forum_topic_created: { name, icon_color: 0 } });
    const id = opening.wire.message_id;
    opening.wire = { ...opening.wire, message_thread_id: id, is_topic_message: true };
    chat.topics.set(id, { id, name, closed: false, deleted: false });
    return id;
  }

  closeTopic(chatId: number, topic: number): void {
    const found = this.#chat(chatId).topics.get(topic);
    if (found) found.closed = true;
  }

  deleteTopic(chatId: number, topic: number): void {
    const found = this.#chat(chatId).topics.get(topic);
    if (found) found.deleted = true;
  }

  /** Removes the bot from a group, or brings it back. */
  membership(chatId: number, bot: 'member' | 'left' | 'kicked'): void {
    const chat = this.#chat(chatId);
    const before = chat.bot;
    chat.bot = bot;
    const member = (status: string) => ({ user: this.world.bot, status });
    const from: WireUser = { id: 1, is_bot: false, first_name: 'Admin' };
    this.world.push('my_chat_member', {
      chat: chat.wire,
      from,
      date: this.world.seconds(),
      old_chat_member: member(before),
      new_chat_member: member(bot),
    });
  }

  /** Turns a basic group into a supergroup with a new id; both service messages are sent. */
  migrate(from: number, to: number): void {
    const old = this.#chat(from);
    const next = this.group(to, old.wire.title === undefined ? {} : { title: old.wire.title });
    const admin: WireUser = { id: 1, is_bot: false, first_name: 'Admin' };
    old.movedTo = to;
    this.world.push('message', this.world.add(old, { from: admin, migrate_to_chat_id: to }).wire);
    this.world.push('message', this.world.add(next, { from: admin, migrate_from_chat_id: from }).wire);
  }

  /** Plans misbehaviour for the next calls of a method (`*` for any). */
  fault(method: string, plan: FaultPlan): Fault {
    return this.#faults.plan(method, plan);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** Another program has set a webhook that takes nothing in. */
  setWebhook(url: string): void {
    this.webhook.set({ url }, false);
  }

  /** The calls of one method, in order. */
  callsOf(method: string): readonly Call[] {
    return this.calls.filter((call) => call.method.toLowerCase() === method.toLowerCase());
  }

  /** What a person sees in a chat (or a topic of it) now: text, media and the draft, oldest first. */
  visible(chatId: number, topic?: number): readonly Visible[] {
    const chat = this.world.chats.get(chatId);
    const all = (chat?.messages ?? []).flatMap((message) =>
      message.deleted ? [] : [this.#shown(chat as FakeChat, message)],
    );
    const shown = all.filter((message) => message.text !== '' || message.files.length > 0);
    return topic === undefined ? shown : shown.filter((message) => (message.topic ?? 1) === topic);
  }

  /** The bot's own messages in a chat, oldest first. */
  said(chatId: number, topic?: number): readonly Visible[] {
    return this.visible(chatId, topic).filter(({ from }) => from === 'bot');
  }

  /** The text of the draft shown in a direct chat. */
  draft(chatId: number): string | undefined {
    const draft = this.world.chats.get(chatId)?.draft;
    return draft && draft.expiresAt > this.clock.now() ? draft.text : undefined;
  }

  /** The first message of the bot in a chat whose text matches, as soon as there is one; for real time only. */
  async shows(
    chatId: number,
    pattern: RegExp,
    options: { readonly after?: number; readonly withinMs?: number } = {},
  ): Promise<Visible> {
    const find = () => this.said(chatId).find(({ id, text }) => id > (options.after ?? 0) && pattern.test(text));
    await this.until(() => find() !== undefined, {
      ...options,
      otherwise: () => {
        const seen = this.said(chatId)
          .map(({ text }) => JSON.stringify(text))
          .join(', ');
        return `The bot said nothing like ${pattern} in chat ${chatId}; it said: ${seen || 'nothing'}.`;
      },
    });
    return find() as Visible;
  }

  /** Resolves when `holds` does, looked at after every change; rejects after `withinMs` (5 s) of real time. */
  until(
    holds: () => boolean,
    options: { readonly withinMs?: number; readonly otherwise?: () => string } = {},
  ): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const unwatch = this.world.watch(() => {
        if (!holds()) return;
        end();
        resolve();
      });
      const timer = setTimeout(() => {
        end();
        reject(new Error(options.otherwise?.() ?? 'What was waited for did not happen.'));
      }, options.withinMs ?? 20_000);
      const end = () => {
        unwatch();
        clearTimeout(timer);
      };
    });
  }

  /** Sends an update once more, under its old id. */
  repeat(update: WireUpdate): void {
    this.world.repeat(update);
  }

  #chat(id: number): FakeChat {
    const chat = this.world.chats.get(id);
    if (!chat) throw new Error(`There is no chat ${id}; make it with group(), or let the person write first.`);
    return chat;
  }

  #shown(chat: FakeChat, { wire, mine, silent }: FakeChat['messages'][number]): Visible {
    const photo = wire.photo?.at(-1);
    const files = [wire.document, photo].flatMap((file) => {
      const stored = file && this.world.files.get(file.file_id);
      return stored
        ? [
            {
              name: stored.name,
              kind: file === photo ? ('photo' as const) : ('document' as const),
              bytes: stored.bytes,
            },
          ]
        : [];
    });
    const rows = wire.reply_markup?.inline_keyboard ?? [];
    return {
      chat: chat.wire.id,
      id: wire.message_id,
      from: mine ? 'bot' : (wire.from?.first_name ?? ''),
      text: wire.text ?? wire.caption ?? '',
      entities: wire.entities ?? wire.caption_entities ?? [],
      buttons: rows.map((row) => row.map(({ text }) => text)),
      styles: rows.flat().map(({ style }) => style),
      ...(wire.reply_to_message ? { replyTo: wire.reply_to_message.message_id } : {}),
      ...(wire.is_topic_message && wire.message_thread_id ? { topic: wire.message_thread_id } : {}),
      files,
      edited: wire.edit_date !== undefined,
      silent,
      reactions: (wire['fake_reactions'] as readonly string[] | undefined) ?? [],
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://loopback');
      const raw = await rawBody(request);
      const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname);
      if (file) return this.#download(request, response, file[1] as string, decodeURIComponent(file[2] as string));
      const call = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname);
      if (!call) return sendJson(response, 404, new Refusal(404, 'Not Found').body());
      const body = parseBody(request.headers['content-type'] ?? '', raw, url.searchParams);
      await this.#call(request, response, { token: call[1] as string, method: call[2] as string, ...body });
    } catch {
      request.socket.destroy();
    }
  }

  async #call(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { token: string; method: string; payload: Payload; uploads: ReadonlyMap<string, Upload> },
  ): Promise<void> {
    const call: Call = { method: asked.method, payload: asked.payload, at: this.clock.now(), status: 0 };
    this.calls.push(call);
    this.world.changed();
    const fault = this.#faults.next(asked.method, asked.payload);
    if (fault && answerInstead(fault, request, response)) {
      call.status = response.writableEnded ? response.statusCode : 0;
      return;
    }
    const { status, body } = await this.#work(response, asked);
    call.status = status;
    if (fault?.kind === 'reset-after') request.socket.resetAndDestroy();
    else if (fault?.kind === 'slow') sendSlowly(this.clock, fault, response, status, body);
    else sendJson(response, status, body);
    this.world.changed();
  }

  async #work(
    response: ServerResponse,
    {
      token,
      method,
      payload,
      uploads,
    }: { token: string; method: string; payload: Payload; uploads: ReadonlyMap<string, Upload> },
  ): Promise<{ status: number; body: object }> {
    try {
      if (token !== this.token) throw new Refusal(401, 'Unauthorized');
      const context = { world: this.world, flood: this.flood, bot: this.bot, payload, uploads };
      return { status: 200, body: { ok: true, result: await this.#run(response, method.toLowerCase(), context) } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.code, body: error.body() };
    }
  }

  #run(response: ServerResponse, method: string, context: MethodContext): unknown {
    if (method === 'getupdates') return this.polls.take(context.payload, (gone) => response.once('close', gone));
    if (method === 'setwebhook') return this.webhook.set(context.payload);
    if (method === 'deletewebhook') return this.webhook.delete(context.payload);
    if (method === 'getwebhookinfo') return this.webhook.info();
    const run = METHODS[method];
    if (!run) throw new Refusal(404, 'Not Found: method not found');
    return run(context);
  }

  /** Faults of `download` apply; `reset-after` cuts the connection in the middle of the file. */
  #download(request: IncomingMessage, response: ServerResponse, token: string, path: string): void {
    const fault = this.#faults.next('download', { path });
    if (fault && answerInstead(fault, request, response)) return;
    const file = [...this.world.files.values()].find((candidate) => candidate.path === path);
    if (token !== this.token || !file) {
      sendJson(response, 404, new Refusal(404, 'Not Found').body());
      return;
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length });
    if (fault?.kind === 'reset-after')
      response.write(file.bytes.subarray(0, file.bytes.length >> 1), () => request.socket.resetAndDestroy());
    else response.end(file.bytes);
  }
}
