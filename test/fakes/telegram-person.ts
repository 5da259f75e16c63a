import { clientEntities } from './telegram-checks.ts';
import type { CallbackQuery } from './telegram-methods.ts';
import type { WireChat, WireEntity, WireMessage, WireUser } from './telegram-wire.ts';
import type { FakeChat, FakeTopic, StoredMessage, World } from './telegram-world.ts';

/** A chat's id, a person's direct chat (`'dm'`), or a topic of a chat. */
export type Where = 'dm' | number | { readonly chat: 'dm' | number; readonly topic: number };

export interface SayOptions {
  /** Answers this message of the same chat. */
  readonly replyTo?: number;
  /** The exact words of it that are quoted. */
  readonly quote?: string;
  /** Passed on from somebody of this name. */
  readonly forwardedFrom?: string;
  readonly entities?: readonly WireEntity[];
  /** Further or replaced fields of Telegram's message, such as `sender_chat` or `location`. */
  readonly raw?: object;
}

export interface FileOptions extends SayOptions {
  readonly caption?: string;
  readonly name?: string;
  readonly mime?: string;
  /** What the server claims; the bytes may be fewer, so that large files cost nothing. */
  readonly size?: number;
  readonly kind?: 'document' | 'photo' | 'voice';
  readonly album?: string;
}

/** A message of some chat, as `visible` shows it or `says` returns it. */
export interface MessageRef {
  readonly chat: number;
  readonly id: number;
}

export interface Press {
  readonly id: string;
  /** The bot's answer: its text, possibly empty; undefined while there is none. */
  readonly answer: string | undefined;
}

export interface PersonDeps {
  readonly world: World;
  readonly queries: Map<string, CallbackQuery>;
}

/** Somebody who writes, presses and leaves. */
export class Person {
  readonly id: number;
  readonly name: string;
  readonly #user: WireUser;
  readonly #deps: PersonDeps;

  constructor(deps: PersonDeps, user: WireUser) {
    this.#deps = deps;
    this.#user = user;
    this.id = user.id;
    this.name = user.first_name;
  }

  says(where: Where, text: string, options: SayOptions = {}): MessageRef {
    const entities = options.entities ?? clientEntities(text);
    return this.#posts(where, { text, ...(entities.length > 0 ? { entities } : {}) }, options);
  }

  sendsFile(where: Where, content: string | Buffer, options: FileOptions = {}): MessageRef {
    const name = options.name ?? 'note.txt';
    const file = this.#deps.world.store(name, Buffer.from(content), options.size);
    const described = { ...file, file_name: name, mime_type: options.mime ?? 'text/plain' };
    const body: Record<string, unknown> = options.album ? { media_group_id: options.album } : {};
    if (options.caption) body['caption'] = options.caption;
    if (options.caption) body['caption_entities'] = clientEntities(options.caption);
    if (options.kind === 'photo') body['photo'] = [{ ...file, width: 640, height: 480 }];
    else if (options.kind === 'voice') body['voice'] = { ...described, mime_type: 'audio/ogg', duration: 3 };
    else body['document'] = described;
    return this.#posts(where, body, options);
  }

  /** Changes an own message; with `text` left out only something invisible changes. */
  edits(message: MessageRef, text?: string): void {
    const stored = this.#stored(message);
    const entities = text === undefined ? undefined : clientEntities(text);
    stored.wire = {
      ...stored.wire,
      ...(text === undefined ? {} : { text, entities: entities ?? [] }),
      edit_date: this.#deps.world.seconds(),
    };
    this.#deps.world.push('edited_message', stored.wire);
  }

  /** Presses the button with this label under a message the bot sent. */
  presses(message: MessageRef, label: string): Press {
    const { wire } = this.#stored(message);
    const button = wire.reply_markup?.inline_keyboard.flat().find(({ text }) => text === label);
    if (!button) throw new Error(`There is no button "${label}" under message ${message.id} of chat ${message.chat}.`);
    return this.pressesData(message, button.callback_data ?? '');
  }

  /** A press with data of the tester's choice, on a message the bot may no longer see. */
  pressesData(message: MessageRef, data: string, options: { readonly inaccessible?: boolean } = {}): Press {
    const { world, queries } = this.#deps;
    const { wire } = this.#stored(message);
    const query: CallbackQuery = { id: `q${queries.size + 1}x${this.id}`, at: world.clock.now() };
    queries.set(query.id, query);
    const shown = options.inaccessible ? { chat: wire.chat, message_id: wire.message_id, date: 0 } : wire;
    const chat_instance = String(wire.chat.id);
    world.push('callback_query', { id: query.id, from: this.#user, message: shown, chat_instance, data });
    return {
      id: query.id,
      get answer() {
        return query.answer;
      },
    };
  }

  reacts(message: MessageRef, emoji: string): void {
    const { wire } = this.#stored(message);
    const { world } = this.#deps;
    const about = { chat: wire.chat, message_id: wire.message_id, user: this.#user, date: world.seconds() };
    world.push('message_reaction', { ...about, old_reaction: [], new_reaction: [{ type: 'emoji', emoji }] });
  }

  deletes(message: MessageRef): void {
    this.#stored(message).deleted = true;
  }

  /** Presses the stop button of the draft shown in the direct chat. */
  stopsDraft(): void {
    const chat = this.#chat('dm');
    if (!chat.draft?.canStop) throw new Error(`No draft with a stop button is shown to ${this.name}.`);
    this.#deps.world.push('stopped_message_generation', { chat: chat.wire, draft_id: chat.draft.id });
  }

  blocks(): void {
    this.#membership('blocked', 'member', 'kicked');
  }

  unblocks(): void {
    this.#membership('member', 'kicked', 'member');
  }

  #membership(bot: FakeChat['bot'], before: string, after: string): void {
    const { world } = this.#deps;
    const chat = this.#chat('dm');
    chat.bot = bot;
    world.push('my_chat_member', {
      chat: chat.wire,
      from: this.#user,
      date: world.seconds(),
      old_chat_member: { user: world.bot, status: before },
      new_chat_member: { user: world.bot, status: after, ...(after === 'kicked' ? { until_date: 0 } : {}) },
    });
  }

  #posts(where: Where, body: object, options: SayOptions): MessageRef {
    const { world } = this.#deps;
    const chat = this.#chat(typeof where === 'object' ? where.chat : where);
    const topic = typeof where === 'object' ? where.topic : undefined;
    const wire = {
      from: this.#user,
      ...this.#place(chat, topic, options),
      ...body,
      ...forwarded(world, options),
      ...options.raw,
    };
    const stored = world.add(chat, wire as Omit<WireMessage, 'message_id' | 'chat' | 'date'>);
    if (chat.bot === 'member') world.push('message', stored.wire);
    return { chat: chat.wire.id, id: stored.wire.message_id };
  }

  /** Thread fields and the reply: a topic's messages answer its first service message, a reply chain carries a bare thread id. */
  #place(chat: FakeChat, topic: number | undefined, options: SayOptions): object {
    const reply = options.replyTo === undefined ? undefined : this.#deps.world.find(chat, options.replyTo);
    const bare = reply ? { reply_to_message: { ...reply.wire, reply_to_message: undefined } } : {};
    const quote = options.quote === undefined ? {} : { quote: { text: options.quote, position: 0, is_manual: true } };
    if (topic !== undefined && topic !== 1) {
      const known = knownTopic(chat, topic);
      const opened = chat.wire.type === 'private' ? {} : { reply_to_message: openingOf(chat, known) };
      return { message_thread_id: topic, is_topic_message: true, ...opened, ...bare, ...quote };
    }
    const chain = reply && chat.wire.type === 'supergroup' && !chat.wire.is_forum;
    return { ...(chain ? { message_thread_id: reply.wire.message_id } : {}), ...bare, ...quote };
  }

  #chat(where: 'dm' | number): FakeChat {
    const { world } = this.#deps;
    if (where === 'dm' || where === this.id) {
      return world.chat({ id: this.id, type: 'private', first_name: this.name } satisfies WireChat);
    }
    const chat = world.chats.get(where);
    if (!chat) throw new Error(`There is no chat ${where}; make it with group().`);
    return chat;
  }

  #stored(message: MessageRef): StoredMessage {
    const chat = this.#deps.world.chats.get(message.chat);
    const stored = chat?.messages[message.id - 1];
    if (!stored) throw new Error(`There is no message ${message.id} in chat ${message.chat}.`);
    return stored;
  }
}

function knownTopic(chat: FakeChat, id: number): FakeTopic {
  const topic = chat.topics.get(id);
  if (!topic) throw new Error(`Chat ${chat.wire.id} has no topic ${id}; make it with topic().`);
  return topic;
}

function openingOf(chat: FakeChat, topic: FakeTopic): object {
  const opening = chat.messages[topic.id - 1]?.wire;
  return opening ?? { message_id: topic.id, chat: chat.wire, date: 0, forum_topic_created: { name: topic.name } };
}

function forwarded(world: World, options: SayOptions): object {
  if (options.forwardedFrom === undefined) return {};
  return { forward_origin: { type: 'hidden_user', sender_user_name: options.forwardedFrom, date: world.seconds() } };
}
