import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { DiscordSocket } from './discord-socket.ts';
import type { Dispatch, World } from './discord-world.ts';

export const INTENT = {
  guilds: 1,
  guildMessages: 512,
  guildReactions: 1024,
  dms: 4096,
  dmReactions: 8192,
  content: 32768,
};

const KINDS: Readonly<Record<string, number>> = {
  GUILD_CREATE: INTENT.guilds,
  GUILD_DELETE: INTENT.guilds,
  CHANNEL_CREATE: INTENT.guilds,
  CHANNEL_UPDATE: INTENT.guilds,
  CHANNEL_DELETE: INTENT.guilds,
  THREAD_CREATE: INTENT.guilds,
  THREAD_UPDATE: INTENT.guilds,
  THREAD_DELETE: INTENT.guilds,
};

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly sent: { readonly s: number; readonly event: Dispatch }[];
  seq: number;
  socket: DiscordSocket | undefined;
  resumable: boolean;
}

interface Packet {
  readonly op: number;
  readonly d: unknown;
}

export interface GatewayOptions {
  readonly token: string;
  readonly heartbeatMs: number;
}

/** Discord's gateway on a port of its own: sessions, sequence numbers, replay, and every way to lose them. */
export class FakeGateway {
  readonly #world: World;
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<DiscordSocket>();
  readonly #lines = new Set<Duplex>();
  #http: Server | undefined;
  #port = 0;
  #silent = false;
  /** Upgrades that are refused with 503 first. */
  refusals = 0;
  /** Message Content is switched on in the portal. */
  contentAllowed = true;
  /** Milliseconds each GUILD_CREATE comes after READY. */
  guildDelayMs = 0;
  /** Sends every dispatch twice. */
  doubles = false;
  readonly limit = { total: 1000, remaining: 1000, reset_after: 3_600_000, max_concurrency: 1 };
  /** How often each happened. */
  readonly counts = { dials: 0, identifies: 0, resumes: 0, heartbeats: 0, most: 0 };

  constructor(world: World, options: GatewayOptions) {
    this.#world = world;
    this.#options = options;
    world.dispatch = (event) => this.#broadcast(event);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Sockets that are open, identified or not. */
  get open(): number {
    return [...this.#sockets].filter(({ open }) => open).length;
  }

  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket?.open).length;
  }

  async listen(): Promise<void> {
    const http = createServer((_, response) => response.writeHead(426).end());
    http.on('connection', (line: Socket) => {
      this.#lines.add(line);
      line.on('close', () => this.#lines.delete(line));
    });
    http.on('upgrade', (request, line, head) => this.#upgrade(request, line, head));
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject);
      http.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#http = http;
    this.#port = (http.address() as AddressInfo).port;
  }

  /** Cuts every socket and closes the port; `listen` opens the same one again. */
  async close(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    for (const socket of this.#sockets) socket.cut();
    for (const line of this.#lines) line.destroy();
    if (http) await new Promise((resolve) => http.close(resolve));
  }

  /** The lines are cut; sessions can be resumed. */
  drop(): void {
    for (const socket of this.#sockets) socket.cut();
  }

  closeWith(code: number): void {
    for (const session of this.#sessions.values()) if (LOSES_SESSION.has(code)) session.resumable = false;
    for (const socket of this.#sockets) socket.close(code);
  }

  /** Op 7: go away and resume. */
  askToReconnect(): void {
    for (const { socket } of this.#sessions.values()) socket?.send({ op: 7, d: null });
  }

  /** Op 9. */
  invalidate(resumable: boolean): void {
    for (const session of this.#sessions.values()) {
      session.resumable &&= resumable;
      session.socket?.send({ op: 9, d: resumable });
    }
  }

  doubleEverything(): void {
    this.doubles = true;
  }

  /** Something no gateway should say. */
  sendRaw(frame: object): void {
    for (const { socket } of this.#sessions.values()) socket?.send(frame);
  }

  /** Lines stay up, nothing is said or acknowledged any more, on new lines neither. */
  fallSilent(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.fallSilent();
  }

  speak(): void {
    this.#silent = false;
  }

  /** Forgets every session, as after a long time away. */
  forgetSessions(): void {
    for (const session of this.#sessions.values()) session.resumable = false;
  }

  #upgrade(request: IncomingMessage, line: Duplex, head: Buffer): void {
    this.counts.dials++;
    if (this.refusals > 0) {
      this.refusals--;
      line.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const socket = DiscordSocket.accept(request, line, head);
    this.#sockets.add(socket);
    this.counts.most = Math.max(this.counts.most, this.open);
    socket.onGone = () => this.#sockets.delete(socket);
    if (this.#silent) return void socket.fallSilent();
    socket.onText = (text) => this.#hear(socket, JSON.parse(text) as Packet);
    socket.send({ op: 10, s: null, t: null, d: { heartbeat_interval: this.#options.heartbeatMs, _trace: [] } });
  }

  #hear(socket: DiscordSocket, { op, d }: Packet): void {
    if (op === 1) {
      this.counts.heartbeats++;
      return void socket.send({ op: 11, s: null, t: null, d: null });
    }
    if (op === 2) return void this.#identify(socket, d as { token: string; intents: number });
    if (op === 6) return void this.#resume(socket, d as { token: string; session_id: string; seq: number });
    if (op !== 3 && op !== 4 && op !== 8) socket.close(4001);
  }

  #identify(socket: DiscordSocket, { token, intents }: { token: string; intents: number }): void {
    this.counts.identifies++;
    this.limit.remaining--;
    if (token !== this.#options.token) return void socket.close(4004);
    if (intents & INTENT.content && !this.contentAllowed) return void socket.close(4014);
    const id = this.#world.id();
    const session: Session = { id, intents, sent: [], seq: 0, socket, resumable: true };
    this.#sessions.set(id, session);
    const guilds = [...this.#world.guilds.values()].filter(({ left }) => !left);
    this.#tell(session, {
      t: 'READY',
      d: {
        v: 10,
        user: this.#world.bot,
        guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
        session_id: id,
        session_type: 'normal',
        resume_gateway_url: this.url,
        shard: [0, 1],
        application: { id: this.#world.application, flags: 0 },
        private_channels: [],
        relationships: [],
        presences: [],
      },
    });
    for (const guild of guilds.filter(({ unavailable }) => !unavailable)) {
      const event = { t: 'GUILD_CREATE', d: this.#world.guildEvent(guild) };
      if (this.guildDelayMs === 0) this.#tell(session, event);
      else this.#world.clock.after(this.guildDelayMs, () => this.#tell(session, event));
    }
    this.#world.changed();
  }

  #resume(socket: DiscordSocket, { token, session_id, seq }: { token: string; session_id: string; seq: number }): void {
    this.counts.resumes++;
    if (token !== this.#options.token) return void socket.close(4004);
    const session = this.#sessions.get(session_id);
    if (!session?.resumable) return void socket.send({ op: 9, s: null, t: null, d: false });
    session.socket = socket;
    for (const { s, event } of session.sent.filter((one) => one.s > seq)) socket.send({ op: 0, s, ...event });
    session.seq++;
    socket.send({ op: 0, s: session.seq, t: 'RESUMED', d: {} });
    this.#world.changed();
  }

  #broadcast(event: Dispatch): void {
    for (const session of this.#sessions.values()) {
      const seen = session.resumable || session.socket?.open ? this.#seenBy(session, event) : undefined;
      if (seen) this.#tell(session, seen);
      if (seen && this.doubles) this.#tell(session, seen);
    }
  }

  #tell(session: Session, event: Dispatch): void {
    session.seq++;
    session.sent.push({ s: session.seq, event });
    if (session.sent.length > 500) session.sent.shift();
    session.socket?.send({ op: 0, s: session.seq, ...event });
  }

  /** What this session's intents let it see; content only of messages to or about the bot without the one for content. */
  #seenBy({ intents }: Session, event: Dispatch): Dispatch | undefined {
    const { t, d } = event;
    const inGuild = 'guild_id' in d;
    const needed = KINDS[t] ?? kindOf(t, inGuild);
    if (needed !== 0 && (intents & needed) === 0) return undefined;
    if (!t.startsWith('MESSAGE_') || !inGuild || intents & INTENT.content) return event;
    const message = d as { author?: { id: string }; mentions?: readonly { id: string }[] };
    const ours = [message.author, ...(message.mentions ?? [])].some((user) => user?.id === this.#world.bot.id);
    return ours ? event : { t, d: { ...d, content: '', attachments: [], embeds: [], components: [] } };
  }
}

const LOSES_SESSION = new Set([1000, 4003, 4005, 4007, 4008, 4010, 4011, 4012, 4013, 4014]);

function kindOf(t: string, inGuild: boolean): number {
  if (t.startsWith('MESSAGE_REACTION')) return inGuild ? INTENT.guildReactions : INTENT.dmReactions;
  if (t.startsWith('MESSAGE_')) return inGuild ? INTENT.guildMessages : INTENT.dms;
  return 0;
}
