import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { systemClock } from '../../src/context/system-clock.ts';
import type { Clock } from '../../src/contract/clock.ts';
import { parseBody, rawBody } from './discord-body.ts';
import { Buckets } from './discord-buckets.ts';
import { MAX_CONTENT } from './discord-checks.ts';
import { answerInstead, type Fault, type FaultPlan, Faults, sendJson } from './discord-faults.ts';
import { FakeGateway } from './discord-gateway.ts';
import { Interactions } from './discord-interactions.ts';
import { OpenApi } from './discord-openapi.ts';
import { type MessageRef, Person } from './discord-person.ts';
import { Refusal } from './discord-refusal.ts';
import { type BotState, ROUTES } from './discord-routes.ts';
import { type Body, CHANNEL, type Upload } from './discord-wire.ts';
import { type FakeChannel, type FakeGuild, World } from './discord-world.ts';

export interface DiscordServerOptions {
  readonly clock?: Clock;
  /** Rate limits per route; on unless false; a number makes their windows that much shorter. */
  readonly limits?: boolean | number;
  /** Between two heartbeats of the bot. */
  readonly heartbeatMs?: number;
}

/** One request of the bot, in the order of arrival. `status` is 0 while it is open or if it was cut. */
export interface Call {
  /** `POST /channels/123/messages`. */
  readonly route: string;
  readonly body: Body;
  readonly at: number;
  status: number;
}

/** A message as a person sees it now. */
export interface Visible extends MessageRef {
  readonly from: string;
  readonly text: string;
  /** Labels, row by row. */
  readonly buttons: readonly (readonly string[])[];
  readonly styles: readonly (number | undefined)[];
  readonly replyTo?: string;
  readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
  readonly edits: number;
  readonly silent: boolean;
  readonly flags: number;
  readonly reactions: readonly string[];
}

/** Every content of a body: its own, a post's, an answer's. */
function contentsOf(body: unknown): readonly string[] {
  if (typeof body !== 'object' || body === null) return [];
  const { content, ...rest } = body as Body;
  return [...(typeof content === 'string' ? [content] : []), ...Object.values(rest).flatMap(contentsOf)];
}

const BOT_ID = '100000000000000001';
const APPLICATION_ID = '100000000000000002';
const PEOPLE = 200_000_000_000_000_000n;

/** The id of person number `n`. */
export const personId = (n: number): string => String(PEOPLE + BigInt(n));

/**
 * Discord on loopback, REST and gateway, as strict as the real one: a test points `rest_api` at `url`, lets people speak and
 * reads what they see. Bodies that Discord's own description would not take are gathered in `problems`.
 */
export class DiscordServer {
  readonly token = `${Buffer.from(BOT_ID).toString('base64url')}.Gfake1.fakefakefakefakefakefakefakefakefakefake`;
  readonly clock: Clock;
  readonly world: World;
  readonly gateway: FakeGateway;
  readonly interactions: Interactions;
  readonly bot: BotState = { commands: new Map(), creations: 0, nonces: new Map() };
  readonly calls: Call[] = [];
  readonly problems: string[] = [];
  /** The token was withdrawn: every call with it is refused. */
  revoked = false;
  readonly #buckets: Buckets | undefined;
  readonly #openApi = OpenApi.open();
  readonly #faults = new Faults();
  readonly #sockets = new Set<Socket>();
  readonly #people = new Map<string, Person>();
  #http: Server | undefined;
  #port = 0;

  constructor(options: DiscordServerOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.world = new World(this.clock, BOT_ID, APPLICATION_ID);
    this.gateway = new FakeGateway(this.world, { token: this.token, heartbeatMs: options.heartbeatMs ?? 41_250 });
    this.interactions = new Interactions(this.world);
    this.#buckets = options.limits === false ? undefined : new Buckets(this.clock, Number(options.limits ?? 1));
  }

  /** Opens both ports (the same ones again after `close`) and resolves with the address to use as `rest_api`. */
  async listen(): Promise<string> {
    const http = createServer((request, response) => void this.#serve(request, response));
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
    this.world.mediaUrl = `http://127.0.0.1:${this.#port}`;
    await this.gateway.listen();
    return this.url;
  }

  /** Cuts every connection and closes both ports. Twice: harmless. */
  async close(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    await this.gateway.close();
    for (const socket of this.#sockets) socket.destroy();
    if (http) await new Promise((resolve) => http.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/api`;
  }

  get mediaHost(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Person number `n`; the same one for the same number. */
  person(n: number, name = `Person ${n}`, options: { readonly bot?: boolean } = {}): Person {
    return this.#known(this.world.user(personId(n), name, options.bot));
  }

  /** The bot itself, as somebody whose messages arrive. */
  self(): Person {
    return this.#known(this.world.bot);
  }

  #known(user: Person['user']): Person {
    const person =
      this.#people.get(user.id) ?? new Person({ world: this.world, interactions: this.interactions }, user);
    this.#people.set(user.id, person);
    return person;
  }

  /** A guild with the bot in it; the same one for the same name. */
  guild(name = 'Workshop'): FakeGuild {
    const guild = this.world.guild(name);
    guild.members.set(this.world.bot.id, guild.members.get(this.world.bot.id) ?? []);
    return guild;
  }

  /** A new text channel, or another kind of it; the bot is told. */
  channel(name: string, options: { readonly guild?: FakeGuild; readonly type?: number } = {}): FakeChannel {
    const guild = options.guild ?? this.guild();
    const channel = this.world.channel({
      type: options.type ?? CHANNEL.text,
      guild_id: guild.id,
      parent_id: null,
      name,
    });
    this.world.dispatch({ t: 'CHANNEL_CREATE', d: channel.wire });
    return channel;
  }

  /** A thread somebody else opened. `told: false`: the bot has never heard of it. */
  thread(parent: FakeChannel, name: string, options: { readonly told?: boolean } = {}): FakeChannel {
    const thread = this.world.thread(parent, name, { owner: personId(0) });
    if (options.told !== false) this.world.dispatch({ t: 'THREAD_CREATE', d: thread.wire });
    return thread;
  }

  deleteChannel(channel: FakeChannel): void {
    channel.deleted = true;
    const t = channel.wire.type === CHANNEL.thread ? 'THREAD_DELETE' : 'CHANNEL_DELETE';
    this.world.dispatch({ t, d: channel.wire });
  }

  fault(route: RegExp, plan: FaultPlan): Fault {
    return this.#faults.plan(route, plan);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  callsTo(route: RegExp): readonly Call[] {
    return this.calls.filter((call) => route.test(call.route));
  }

  /** Every message of a channel as a person sees it, oldest first. */
  visible(channel: string): readonly Visible[] {
    const messages = this.world.channels.get(channel)?.messages ?? [];
    return messages
      .filter(({ deleted }) => !deleted)
      .map(({ wire, files, edits, silent, reactions }) => ({
        channel,
        id: wire.id,
        from: wire.author.id,
        text: wire.content,
        buttons: wire.components.map(({ components }) => components.map(({ label }) => label ?? '')),
        styles: wire.components.flatMap(({ components }) => components.map(({ style }) => style)),
        ...(wire.message_reference?.message_id === undefined ? {} : { replyTo: wire.message_reference.message_id }),
        files,
        edits,
        silent,
        flags: wire.flags,
        reactions: [...reactions],
      }));
  }

  /** What the bot said there. */
  said(channel: string): readonly Visible[] {
    return this.visible(channel).filter(({ from }) => from === this.world.bot.id);
  }

  /** Whom the bot's messages of a channel pinged. */
  pinged(channel: string): readonly string[] {
    const messages = this.world.channels.get(channel)?.messages ?? [];
    return messages.filter(({ mine }) => mine).flatMap(({ pinged }) => pinged);
  }

  /** Resolves once `holds`; looks whenever something changes here, and every few milliseconds. */
  async until(holds: () => boolean, what = 'what was waited for', withinMs = 20_000): Promise<void> {
    const end = performance.now() + withinMs;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`It did not happen: ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.startsWith('/attachments/')) return this.#media(`${url.pathname}${url.search}`, response);
    const path = url.pathname.replace(/^\/api\/v10/, '');
    const route = `${request.method} ${path}`;
    const { body, uploads } = parseBody(request.headers['content-type'] ?? '', await rawBody(request));
    const call: Call = { route, body, at: this.clock.now(), status: 0 };
    this.calls.push(call);
    this.#check(request.method ?? '', path, body);
    const fault = this.#faults.next(route);
    response.on('finish', () => {
      call.status = response.statusCode;
    });
    if (fault && answerInstead(fault, request, response)) return;
    const answer = this.#work(request, url, { route, path, body, uploads });
    if (fault?.kind === 'reset-after') request.socket.resetAndDestroy();
    else if (fault?.kind === 'slow') this.clock.after(fault.delayMs ?? 1_000, () => answer(response));
    else if (fault?.kind !== 'hang-after') answer(response);
    this.world.changed();
  }

  #check(method: string, path: string, body: Body): void {
    if (Object.keys(body).length === 0 && !Array.isArray(body)) return;
    const problem = this.#openApi?.problem(method, path, body);
    if (problem !== undefined) this.problems.push(problem);
    const length = Math.max(...contentsOf(body).map((content) => content.length), 0);
    if (length > MAX_CONTENT) this.problems.push(`${method} ${path}: a content of ${length} units`);
  }

  #work(
    request: IncomingMessage,
    url: URL,
    { route, path, body, uploads }: { route: string; path: string; body: Body; uploads: readonly Upload[] },
  ): (response: ServerResponse) => void {
    const pass = this.#buckets?.pass(route);
    try {
      this.#authorise(request, path);
      if (pass && !pass.ok)
        throw new Refusal(429, 0, 'You are being rate limited.', { retry_after: pass.retryAfterS, global: false });
      const result = this.#run(request.method ?? '', path, url.searchParams, body, uploads);
      const headers = pass?.headers ?? {};
      if (result === undefined) return (response) => void response.writeHead(204, headers).end();
      return (response) => sendJson(response, 200, result, headers);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return (response) => sendJson(response, error.status, error.body(), { ...pass?.headers, ...error.headers });
    }
  }

  #authorise(request: IncomingMessage, path: string): void {
    if (/^\/(?:interactions\/\d+\/[^/]+\/callback|webhooks\/\d+\/[^/]+)/.test(path)) return;
    if (this.revoked || request.headers.authorization !== `Bot ${this.token}`)
      throw new Refusal(401, 0, '401: Unauthorized');
  }

  #run(method: string, path: string, query: URLSearchParams, body: Body, uploads: readonly Upload[]): unknown {
    for (const { method: verb, pattern, run } of ROUTES) {
      const match = verb === method ? pattern.exec(path) : null;
      if (!match) continue;
      const { world, gateway, interactions, bot } = this;
      return run({ world, gateway, interactions, bot, params: match.slice(1), query, body, uploads });
    }
    throw new Refusal(404, 0, '404: Not Found');
  }

  #media(path: string, response: ServerResponse): void {
    const file = this.world.media.get(path);
    if (!file || file.expired) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('no longer');
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length });
    response.end(file.bytes);
  }
}
