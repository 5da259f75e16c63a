import { mentionedIn } from './discord-checks.ts';
import type { Interaction, InteractionKind, Interactions, Modal } from './discord-interactions.ts';
import { CHANNEL, type WireMessage, type WireUser } from './discord-wire.ts';
import type { FakeChannel, StoredMessage, World } from './discord-world.ts';

/** A channel's or thread's id, or a person's direct chat with the bot. */
export type Where = 'dm' | string;

export interface MessageRef {
  readonly channel: string;
  readonly id: string;
}

export interface SayOptions {
  readonly replyTo?: MessageRef;
  /** Further or replaced fields of Discord's message. */
  readonly raw?: object;
  readonly files?: readonly { readonly name: string; readonly content: string | Buffer; readonly more?: object }[];
}

/** A press, a slash command or a sent form, and what came of it for the person. */
export class Gesture {
  readonly #interaction: Interaction;

  constructor(interaction: Interaction) {
    this.#interaction = interaction;
  }

  get id(): string {
    return this.#interaction.id;
  }

  /** Type of the first response; undefined: none yet. */
  get response(): number | undefined {
    return this.#interaction.response;
  }

  /** The newest of what only this person reads. */
  get answer(): string | undefined {
    return this.#interaction.privately.at(-1);
  }

  get privately(): readonly string[] {
    return this.#interaction.privately;
  }

  get modal(): Modal | undefined {
    return this.#interaction.modal;
  }
}

export interface PersonDeps {
  readonly world: World;
  readonly interactions: Interactions;
}

/** Somebody who writes, presses and leaves. */
export class Person {
  readonly id: string;
  readonly name: string;
  readonly user: WireUser;
  readonly #deps: PersonDeps;

  constructor(deps: PersonDeps, user: WireUser) {
    this.#deps = deps;
    this.user = user;
    this.id = user.id;
    this.name = user.global_name ?? user.username;
  }

  get dm(): FakeChannel {
    return this.#deps.world.dm(this.user);
  }

  says(where: Where, text: string, options: SayOptions = {}): MessageRef {
    const { world } = this.#deps;
    const channel = this.#channel(where);
    const message = world.add(channel, this.#message(channel, text, options));
    this.#arrive(channel);
    world.dispatch({ t: 'MESSAGE_CREATE', d: world.messageEvent(channel, message) });
    return { channel: channel.wire.id, id: message.wire.id };
  }

  /** Says something that starts with a mention of the bot. */
  calls(where: Where, text: string, options: SayOptions = {}): MessageRef {
    return this.says(where, `<@${this.#deps.world.bot.id}> ${text}`, options);
  }

  /** Changes an own message; without `text` only a link preview appears. */
  edits(message: MessageRef, text?: string): void {
    const { world } = this.#deps;
    const { channel, stored } = this.#stored(message);
    if (text !== undefined) Object.assign(stored.wire, { content: text, edited_timestamp: world.time() });
    world.dispatch({ t: 'MESSAGE_UPDATE', d: world.messageEvent(channel, stored) });
  }

  deletes(message: MessageRef): void {
    const { channel, stored } = this.#stored(message);
    stored.deleted = true;
    const guild = channel.wire.guild_id === undefined ? {} : { guild_id: channel.wire.guild_id };
    this.#deps.world.dispatch({ t: 'MESSAGE_DELETE', d: { id: message.id, channel_id: message.channel, ...guild } });
  }

  /** Presses the button with this label under a message of the bot. */
  presses(message: MessageRef, label: string): Gesture {
    const { stored } = this.#stored(message);
    const button = stored.wire.components.flatMap(({ components }) => components).find((one) => one.label === label);
    if (!button) throw new Error(`There is no button "${label}" under message ${message.id}.`);
    return this.pressesData(message, button.custom_id ?? '');
  }

  pressesData(message: MessageRef, custom_id: string): Gesture {
    const { channel, stored } = this.#stored(message);
    return this.#interacts('button', 3, channel, { component_type: 2, custom_id }, stored);
  }

  /** Fills in the form that a gesture opened and sends it. */
  submits(message: MessageRef, { modal }: Gesture, text: string): Gesture {
    if (!modal) throw new Error('No form is open.');
    const { channel, stored } = this.#stored(message);
    const components = modal.inputs.map(({ custom_id }) => ({
      type: 18,
      id: 1,
      component: { type: 4, id: 2, custom_id, value: text },
    }));
    return this.#interacts('modal', 5, channel, { custom_id: modal.custom_id, components }, stored);
  }

  /** A slash command with the text of its one option. */
  commands(where: Where, name: string, text?: string): Gesture {
    const options = text === undefined ? {} : { options: [{ name: 'text', type: 3, value: text }] };
    return this.#interacts('command', 2, this.#channel(where), {
      id: this.#deps.world.application,
      name,
      type: 1,
      ...options,
    });
  }

  reacts(message: MessageRef, emoji: string): void {
    const { channel } = this.#stored(message);
    const guild = channel.wire.guild_id;
    const where = guild === undefined ? {} : { guild_id: guild, member: { ...this.#member(guild), user: this.user } };
    const d = {
      user_id: this.id,
      channel_id: message.channel,
      message_id: message.id,
      emoji: { id: null, name: emoji },
      ...where,
    };
    this.#deps.world.dispatch({ t: 'MESSAGE_REACTION_ADD', d });
  }

  /** Takes no direct messages of the bot any more. */
  blocks(): void {
    this.dm.closed = true;
  }

  joins(guild: string, ...roles: readonly string[]): void {
    this.#deps.world.guilds.get(guild)?.members.set(this.id, [...roles]);
  }

  #interacts(
    kind: InteractionKind,
    type: number,
    channel: FakeChannel,
    data: object,
    message?: StoredMessage,
  ): Gesture {
    const { world, interactions } = this.#deps;
    const interaction = interactions.open(kind, message);
    const guild = channel.wire.guild_id;
    const { last_message_id: _, ...about } = channel.wire;
    const d = {
      id: interaction.id,
      application_id: world.application,
      type,
      token: interaction.token,
      version: 1,
      channel_id: channel.wire.id,
      channel: about,
      ...(guild === undefined
        ? { user: this.user, context: 1 }
        : { guild_id: guild, member: { ...this.#member(guild), user: this.user, permissions: '0' }, context: 0 }),
      data,
      ...(message ? { message: message.wire } : {}),
      locale: 'en-US',
      entitlements: [],
      app_permissions: '0',
      authorizing_integration_owners: {},
      attachment_size_limit: world.guilds.get(guild ?? '')?.maxFileBytes ?? 10 * 1024 * 1024,
    };
    world.dispatch({ t: 'INTERACTION_CREATE', d });
    return new Gesture(interaction);
  }

  #message(channel: FakeChannel, text: string, { replyTo, raw, files = [] }: SayOptions): Partial<WireMessage> {
    const { world } = this.#deps;
    const referenced = replyTo && this.#stored(replyTo).stored.wire;
    const mentioned = mentionedIn(text).flatMap((id) => world.users.get(id) ?? []);
    const replied = referenced && !mentioned.some(({ id }) => id === referenced.author.id) ? [referenced.author] : [];
    const reference = replyTo && { message_id: replyTo.id, channel_id: replyTo.channel, type: 0 };
    return {
      author: this.user,
      content: text,
      mentions: [...mentioned, ...replied],
      attachments: files.map(({ name, content, more }) =>
        world.store(channel.wire.id, name, Buffer.from(content), more),
      ),
      ...(reference ? { type: 19, message_reference: reference, referenced_message: referenced as WireMessage } : {}),
      ...raw,
    };
  }

  /** Whoever writes in a guild is a member of it. */
  #arrive({ wire }: FakeChannel): void {
    const members = this.#deps.world.guilds.get(wire.guild_id ?? '')?.members;
    if (members && !members.has(this.id)) members.set(this.id, []);
  }

  #member(guild: string): object {
    const found = this.#deps.world.guilds.get(guild);
    return found ? this.#deps.world.member(found, this.user) : {};
  }

  #channel(where: Where): FakeChannel {
    if (where === 'dm') return this.dm;
    const channel = this.#deps.world.channels.get(where);
    if (!channel) throw new Error(`There is no channel ${where}.`);
    if (channel.wire.type === CHANNEL.dm && channel.wire.recipients?.[0]?.id !== this.id && !this.user.bot)
      throw new Error(`${this.name} cannot write in the direct chat of somebody else.`);
    return channel;
  }

  #stored({ channel: id, id: message }: MessageRef): { readonly channel: FakeChannel; readonly stored: StoredMessage } {
    const channel = this.#deps.world.channels.get(id);
    const stored = channel?.messages.find(({ wire }) => wire.id === message);
    if (!channel || !stored) throw new Error(`There is no message ${message} in channel ${id}.`);
    return { channel, stored };
  }
}
