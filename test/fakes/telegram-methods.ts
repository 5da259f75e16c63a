import { checkKeyboard, checkReaction, checkText, MAX_TEXT } from './telegram-checks.ts';
import type { FloodControl } from './telegram-limits.ts';
import { badRequest, forbidden, Refusal } from './telegram-refusal.ts';
import type { Payload, Upload, WireFile, WireMessage } from './telegram-wire.ts';
import type { FakeChat, StoredMessage, World } from './telegram-world.ts';

const MB = 1024 * 1024;
const MAX_DOCUMENT = 50 * MB;
const MAX_PHOTO = 10 * MB;
const MAX_FETCH = 20 * MB;
const DRAFT_LIFE = 30_000;
const QUERY_LIFE = 15_000;

export interface CallbackQuery {
  readonly id: string;
  readonly at: number;
  answer?: string;
}

export interface BotState {
  readonly commands: Map<string, readonly { readonly command: string; readonly description: string }[]>;
  readonly queries: Map<string, CallbackQuery>;
}

export interface MethodContext {
  readonly world: World;
  readonly flood: FloodControl | null;
  readonly bot: BotState;
  readonly payload: Payload;
  readonly uploads: ReadonlyMap<string, Upload>;
}

type Method = (context: MethodContext) => unknown;

/** Every method the fake knows except getUpdates and the webhook ones; names in lower case, as the server matches them. */
export const METHODS: Readonly<Record<string, Method>> = {
  getme: ({ world }) => ({
    ...world.bot,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
    has_topics_enabled: true,
  }),
  sendmessage: sendText,
  sendmessagedraft: sendDraft,
  senddocument: (context) => sendFile(context, 'document'),
  sendphoto: (context) => sendFile(context, 'photo'),
  sendmediagroup: sendAlbum,
  editmessagetext: editText,
  editmessagecaption: editCaption,
  editmessagereplymarkup: editKeyboard,
  deletemessage: deleteMessage,
  sendchataction: sendAction,
  answercallbackquery: answerQuery,
  setmycommands: setCommands,
  getmycommands: ({ bot, payload }) => bot.commands.get(scopeName(payload)) ?? [],
  getfile: getFile,
  setmessagereaction: setReaction,
  getchat: ({ world, payload }) => knownChat(world, payload['chat_id']).wire,
  getchatmember: getMember,
};

function knownChat(world: World, id: unknown): FakeChat {
  const chat = world.chats.get(Number(id));
  if (!chat) throw badRequest('chat not found');
  return chat;
}

function openChat({ world, payload, flood }: MethodContext): FakeChat {
  const chat = knownChat(world, payload['chat_id']);
  if (chat.movedTo !== undefined) {
    const reason = 'Bad Request: group chat was upgraded to a supergroup chat';
    throw new Refusal(400, reason, { migrate_to_chat_id: chat.movedTo });
  }
  if (chat.bot === 'blocked') throw forbidden('bot was blocked by the user');
  if (chat.bot === 'deactivated') throw forbidden('user is deactivated');
  if (chat.bot === 'kicked') throw forbidden(`bot was kicked from the ${chat.wire.type} chat`);
  if (chat.bot === 'left') throw forbidden(`bot is not a member of the ${chat.wire.type} chat`);
  flood?.pass(chat.wire.id);
  return chat;
}

function openTopic(
  chat: FakeChat,
  payload: Payload,
): { message_thread_id: number; is_topic_message: true } | undefined {
  const id = payload['message_thread_id'];
  if (id === undefined) {
    if (chat.topics.get(1)?.closed) throw badRequest('TOPIC_CLOSED');
    return undefined;
  }
  const topic = chat.topics.get(Number(id));
  if (!topic || topic.id === 1) throw badRequest('message thread not found');
  if (topic.deleted) throw badRequest('TOPIC_DELETED');
  if (topic.closed) throw badRequest('TOPIC_CLOSED');
  return { message_thread_id: topic.id, is_topic_message: true };
}

function replied({ world, payload }: MethodContext, chat: FakeChat): StoredMessage | undefined {
  const reply = payload['reply_parameters'] as
    | { message_id: number; allow_sending_without_reply?: boolean }
    | undefined;
  if (!reply) return undefined;
  const message = world.find(chat, Number(reply.message_id));
  if (!message && !reply.allow_sending_without_reply) throw badRequest('message to be replied not found');
  return message;
}

function post(context: MethodContext, chat: FakeChat, content: Partial<WireMessage>): WireMessage {
  const { world, payload } = context;
  const topic = openTopic(chat, payload);
  const reply = replied(context, chat);
  const keyboard = checkKeyboard(payload['reply_markup']);
  const wire = {
    from: world.bot,
    ...topic,
    ...(reply ? { reply_to_message: withoutReply(reply.wire) } : {}),
    ...content,
    ...(keyboard ? { reply_markup: keyboard } : {}),
  };
  delete chat.draft;
  return world.add(chat, wire, { mine: true, silent: payload['disable_notification'] === true }).wire;
}

function withoutReply(wire: WireMessage): WireMessage {
  const { reply_to_message: _, ...rest } = wire;
  return rest as WireMessage;
}

function sendText(context: MethodContext): WireMessage {
  const chat = openChat(context);
  const { text, entities } = checkText(context.payload, 'text');
  const preview = context.payload['link_preview_options'];
  const options = preview ? { link_preview_options: preview } : {};
  return post(context, chat, { text, ...(entities.length > 0 ? { entities } : {}), ...options });
}

function sendDraft(context: MethodContext): true {
  const chat = openChat(context);
  const { payload, world } = context;
  const id = Number(payload['draft_id']);
  if (chat.wire.type !== 'private') throw badRequest('method is available only in private chats');
  if (!Number.isInteger(id) || id === 0) throw badRequest('DRAFT_ID_INVALID');
  const text = String(payload['text'] ?? '');
  if (text.length > MAX_TEXT) throw badRequest('message is too long');
  if (text) checkText(payload, 'text');
  chat.draft = { id, text, canStop: payload['can_stop'] === true, expiresAt: world.clock.now() + DRAFT_LIFE };
  world.changed();
  return true;
}

function uploaded({ world, uploads }: MethodContext, given: unknown, limit: number): WireFile {
  if (typeof given !== 'string') throw badRequest('there is no file in the request');
  const name = given.startsWith('attach://') ? given.slice('attach://'.length) : undefined;
  const upload = name === undefined ? undefined : uploads.get(name);
  if (!upload) throw badRequest('wrong file identifier/HTTP URL specified');
  if (upload.bytes.length > limit) throw new Refusal(413, 'Request Entity Too Large');
  if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
  return { ...world.store(upload.name, upload.bytes), file_name: upload.name };
}

function media(context: MethodContext, kind: 'document' | 'photo', given: unknown): Partial<WireMessage> {
  const file = uploaded(context, given, kind === 'photo' ? MAX_PHOTO : MAX_DOCUMENT);
  return kind === 'photo' ? { photo: [{ ...file, width: 640, height: 480 }] } : { document: file };
}

function captioned(payload: Payload): Partial<WireMessage> {
  const { text, entities } = checkText(payload, 'caption');
  if (!text) return {};
  return { caption: text, ...(entities.length > 0 ? { caption_entities: entities } : {}) };
}

function sendFile(context: MethodContext, kind: 'document' | 'photo'): WireMessage {
  const chat = openChat(context);
  return post(context, chat, { ...media(context, kind, context.payload[kind]), ...captioned(context.payload) });
}

function sendAlbum(context: MethodContext): WireMessage[] {
  const chat = openChat(context);
  const items = context.payload['media'] as readonly (Payload & { readonly type: 'document' | 'photo' })[];
  if (!Array.isArray(items) || items.length < 2 || items.length > 10) {
    throw badRequest('wrong number of media in the album: expected 2-10');
  }
  const kinds = new Set(items.map((item) => item.type));
  if (kinds.has('document') && kinds.size > 1) throw badRequest("document can't be mixed with other media types");
  const media_group_id = String(context.world.clock.now());
  const contents = items.map((item) => ({ ...media(context, item.type, item['media']), ...captioned(item) }));
  return contents.map((content) => post(context, chat, { media_group_id, ...content }));
}

function editable({ world, payload, flood }: MethodContext): { chat: FakeChat; message: StoredMessage } {
  const chat = openChat({ world, payload, flood } as MethodContext);
  const message = world.find(chat, Number(payload['message_id']));
  if (!message) throw badRequest('message to edit not found');
  if (!message.mine || !message.editable) throw badRequest("message can't be edited");
  return { chat, message };
}

function change(world: World, message: StoredMessage, content: Partial<WireMessage>): WireMessage {
  const { reply_markup: _, entities: __, caption_entities: ___, ...rest } = message.wire;
  const next = { ...rest, ...content } as WireMessage;
  if (sameContent(message.wire, next)) {
    const both =
      'specified new message content and reply markup are exactly the same as a current content and reply markup';
    throw badRequest(`message is not modified: ${both} of the message`);
  }
  message.wire = { ...next, edit_date: world.seconds() };
  world.changed();
  return message.wire;
}

function sameContent(a: WireMessage, b: WireMessage): boolean {
  const shown = (wire: WireMessage) =>
    JSON.stringify([
      wire.text ?? '',
      wire.entities ?? [],
      wire.caption ?? '',
      wire.caption_entities ?? [],
      wire.reply_markup?.inline_keyboard ?? [],
    ]);
  return shown(a) === shown(b);
}

function editText(context: MethodContext): WireMessage {
  const { message } = editable(context);
  if (message.wire.text === undefined) throw badRequest('there is no text in the message to edit');
  const { text, entities } = checkText(context.payload, 'text');
  const reply_markup = checkKeyboard(context.payload['reply_markup']);
  return change(context.world, message, {
    text,
    ...(entities.length > 0 ? { entities } : {}),
    ...(reply_markup ? { reply_markup } : {}),
  });
}

function editCaption(context: MethodContext): WireMessage {
  const { message } = editable(context);
  if (message.wire.text !== undefined) throw badRequest('there is no caption in the message to edit');
  const reply_markup = checkKeyboard(context.payload['reply_markup']);
  return change(context.world, message, { ...captioned(context.payload), ...(reply_markup ? { reply_markup } : {}) });
}

function editKeyboard(context: MethodContext): WireMessage {
  const { message } = editable(context);
  const reply_markup = checkKeyboard(context.payload['reply_markup']);
  const { entities, caption_entities } = message.wire;
  return change(context.world, message, {
    ...(entities ? { entities } : {}),
    ...(caption_entities ? { caption_entities } : {}),
    ...(reply_markup ? { reply_markup } : {}),
  });
}

function deleteMessage({ world, payload }: MethodContext): true {
  const message = world.find(knownChat(world, payload['chat_id']), Number(payload['message_id']));
  if (!message) throw badRequest('message to delete not found');
  message.deleted = true;
  world.changed();
  return true;
}

function sendAction(context: MethodContext): true {
  const { world, payload } = context;
  const chat = openChat({ ...context, flood: null });
  const topic = payload['message_thread_id'];
  const known = topic === undefined || chat.topics.has(Number(topic));
  if (!known) throw badRequest('message thread not found');
  const where = topic === undefined ? {} : { topic: Number(topic) };
  chat.actions.push({ action: String(payload['action']), at: world.clock.now(), ...where });
  world.changed();
  return true;
}

function answerQuery({ world, bot, payload }: MethodContext): true {
  const query = bot.queries.get(String(payload['callback_query_id']));
  const fresh = query && query.answer === undefined && world.clock.now() - query.at <= QUERY_LIFE;
  if (!fresh) throw badRequest('query is too old and response timeout expired or query ID is invalid');
  const text = String(payload['text'] ?? '');
  if (text.length > 200) throw badRequest('MESSAGE_TOO_LONG');
  query.answer = text;
  world.changed();
  return true;
}

function scopeName(payload: Payload): string {
  return (payload['scope'] as { type?: string } | undefined)?.type ?? 'default';
}

function setCommands({ bot, payload }: MethodContext): true {
  const list = payload['commands'] as readonly { command: string; description: string }[];
  if (!Array.isArray(list) || list.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH');
  for (const { command, description } of list) {
    if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest('BOT_COMMAND_INVALID');
    if (description.length < 1 || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID');
  }
  bot.commands.set(scopeName(payload), list);
  return true;
}

function getFile({ world, payload }: MethodContext): object {
  const file = world.files.get(String(payload['file_id']));
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  if (file.size > MAX_FETCH) throw badRequest('file is too big');
  return { file_id: file.id, file_unique_id: file.id, file_size: file.size, file_path: file.path };
}

function setReaction({ world, payload }: MethodContext): true {
  const message = world.find(knownChat(world, payload['chat_id']), Number(payload['message_id']));
  if (!message) throw badRequest('message to react not found');
  const reactions = (payload['reaction'] ?? []) as readonly { emoji: string }[];
  for (const { emoji } of reactions) checkReaction(emoji);
  message.wire = { ...message.wire, fake_reactions: reactions.map(({ emoji }) => emoji) };
  world.changed();
  return true;
}

function getMember({ world, payload }: MethodContext): object {
  const chat = knownChat(world, payload['chat_id']);
  if (Number(payload['user_id']) !== world.bot.id) throw badRequest('user not found');
  const gone = chat.bot === 'left' || chat.bot === 'kicked';
  return { user: world.bot, status: gone ? chat.bot : 'member' };
}
