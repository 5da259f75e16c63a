import type { Clock } from '../../src/contract/clock.ts';
import type { WireChat, WireFile, WireMessage, WireUpdate, WireUser } from './telegram-wire.ts';

export interface FakeTopic {
  readonly id: number;
  readonly name: string;
  closed: boolean;
  deleted: boolean;
}

export interface StoredMessage {
  wire: WireMessage;
  readonly mine: boolean;
  readonly silent: boolean;
  /** False once a message has left the 48 hours in which it may be edited, or when a test says so. */
  editable: boolean;
  deleted: boolean;
  /** Bytes of what was uploaded with it, by file id. */
  readonly replyTo?: number;
}

export interface Draft {
  readonly id: number;
  readonly text: string;
  readonly canStop: boolean;
  readonly expiresAt: number;
}

export interface FakeChat {
  wire: WireChat;
  readonly messages: StoredMessage[];
  readonly topics: Map<number, FakeTopic>;
  /** What the bot is here: a member, removed, or blocked by the person. */
  bot: 'member' | 'left' | 'kicked' | 'blocked' | 'deactivated';
  movedTo?: number;
  draft?: Draft;
  /** `typing` and the like: where and when. */
  readonly actions: { readonly action: string; readonly topic?: number; readonly at: number }[];
}

export interface StoredFile {
  readonly id: string;
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly bytes: Buffer;
}

const DAY = 24 * 60 * 60 * 1000;

/** Everything Telegram knows: chats, messages, files and the updates that wait for the bot. */
export class World {
  readonly clock: Clock;
  readonly bot: WireUser;
  readonly chats = new Map<number, FakeChat>();
  readonly files = new Map<string, StoredFile>();
  /** The list of the last getUpdates or setWebhook that gave one; null: everything. */
  allowed: readonly string[] | null = null;
  nextUpdateId = 100_001;
  #nextFile = 1;
  #updates: { readonly update: WireUpdate; readonly at: number }[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(clock: Clock, bot: WireUser) {
    this.clock = clock;
    this.bot = bot;
  }

  /** Unix seconds. */
  seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  chat(wire: WireChat): FakeChat {
    const known = this.chats.get(wire.id);
    if (known) return known;
    const chat: FakeChat = { wire, messages: [], topics: new Map(), bot: 'member', actions: [] };
    this.chats.set(wire.id, chat);
    return chat;
  }

  /** Calls `fn` whenever something a test or a poll may wait for has changed. */
  watch(fn: () => void): () => void {
    this.#watchers.add(fn);
    return () => this.#watchers.delete(fn);
  }

  changed(): void {
    for (const fn of [...this.#watchers]) fn();
  }

  add(
    chat: FakeChat,
    wire: Omit<WireMessage, 'message_id' | 'chat' | 'date'>,
    about: Partial<StoredMessage> = {},
  ): StoredMessage {
    const message_id = chat.messages.length + 1;
    const full = { message_id, chat: chat.wire, date: this.seconds(), ...wire } as WireMessage;
    const stored = { mine: false, silent: false, editable: true, deleted: false, ...about, wire: full };
    chat.messages.push(stored);
    this.changed();
    return stored;
  }

  find(chat: FakeChat, id: number): StoredMessage | undefined {
    const message = chat.messages[id - 1];
    return message && !message.deleted ? message : undefined;
  }

  /** Queues an update unless the remembered list leaves its kind out. */
  push(kind: string, body: unknown): void {
    if (this.allowed && !this.allowed.includes(kind)) return;
    this.#updates.push({ update: { update_id: this.nextUpdateId++, [kind]: body }, at: this.clock.now() });
    this.changed();
  }

  /** Queues an update a second time, under its old id. */
  repeat(update: WireUpdate): void {
    this.#updates.push({ update, at: this.clock.now() });
    this.changed();
  }

  /** Forgets what lies before `offset` (or all but the last -offset), then shows at most `limit`. */
  take(offset: number | undefined, limit: number): WireUpdate[] {
    const now = this.clock.now();
    const before = this.#updates.length;
    this.#updates = this.#updates.filter(({ at }) => now - at <= DAY);
    if (offset !== undefined && offset > 0)
      this.#updates = this.#updates.filter(({ update }) => update.update_id >= offset);
    if (offset !== undefined && offset < 0) this.#updates = this.#updates.slice(offset);
    const shown = this.#updates.slice(0, limit).map(({ update }) => update);
    if (this.#updates.length < before) this.changed();
    return shown;
  }

  /** Updates not confirmed yet. */
  get waiting(): readonly WireUpdate[] {
    return this.#updates.map(({ update }) => update);
  }

  /** After a quiet week ids go on from another number, which may be a lower one. */
  clearUpdates(): void {
    this.#updates = [];
  }

  store(name: string, bytes: Buffer, size = bytes.length): WireFile & { readonly file_size: number } {
    const n = this.#nextFile++;
    const id = `AgACFile${n}`;
    this.files.set(id, { id, path: `documents/file_${n}`, name, size, bytes });
    return { file_id: id, file_unique_id: `uq${n}`, file_size: size };
  }
}
