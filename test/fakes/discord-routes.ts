import { checkCommands, checkMessage, pingedBy } from './discord-checks.ts';
import type { FakeGateway } from './discord-gateway.ts';
import type { Interactions } from './discord-interactions.ts';
import {
  invalidForm,
  missingAccess,
  missingPermissions,
  Refusal,
  unknownChannel,
  unknownMessage,
} from './discord-refusal.ts';
import { type Body, CHANNEL, type Upload, type WireMessage } from './discord-wire.ts';
import type { FakeChannel, Permission, StoredMessage, World } from './discord-world.ts';

export interface RouteContext {
  readonly world: World;
  readonly gateway: FakeGateway;
  readonly interactions: Interactions;
  readonly bot: BotState;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Body;
  readonly uploads: readonly Upload[];
}

/** What the bot has set up besides messages. */
export interface BotState {
  /** Commands by scope: `global` or a guild's id. */
  readonly commands: Map<string, readonly object[]>;
  /** Commands created today. */
  creations: number;
  /** Messages by channel and enforced nonce, with the time. */
  readonly nonces: Map<string, { readonly message: StoredMessage; readonly at: number }>;
}

/** A result of `undefined` is 204. */
type Run = (context: RouteContext) => unknown;

const NONCE_MS = 5 * 60_000;
const DAILY_CREATIONS = 200;
const ID = '(\\d{17,19})';

function route(
  method: string,
  path: string,
  run: Run,
): { readonly method: string; readonly pattern: RegExp; readonly run: Run } {
  return { method, pattern: new RegExp(`^${path.replaceAll(':id', ID).replaceAll(':any', '([^/]+)')}$`), run };
}

export const ROUTES = [
  route('GET', '/gateway/bot', ({ gateway }) => ({ url: gateway.url, shards: 1, session_start_limit: gateway.limit })),
  route('GET', '/users/@me', ({ world }) => ({ ...world.bot, verified: true, mfa_enabled: false })),
  route('GET', '/applications/@me', ({ world }) => ({
    id: world.application,
    name: 'Hermod',
    flags: 1 << 19,
    bot: world.bot,
  })),
  route('POST', '/users/@me/channels', openDirect),
  route('GET', '/channels/:id', (context) => reachable(context, 'view').wire),
  route('GET', '/channels/:id/messages', listMessages),
  route('GET', '/channels/:id/messages/:id', (context) => bare(messageOf(context, reachable(context, 'history')))),
  route('POST', '/channels/:id/messages', createMessage),
  route('PATCH', '/channels/:id/messages/:id', editMessage),
  route('POST', '/channels/:id/typing', type),
  route('POST', '/channels/:id/messages/:id/threads', threadFromMessage),
  route('POST', '/channels/:id/threads', createPost),
  route('GET', '/guilds/:id/threads/active', activeThreads),
  route('GET', '/guilds/:id/members/:id', guildMember),
  route('PUT', '/channels/:id/messages/:id/reactions/:any/@me', (context) => reaction(context, 'add')),
  route('DELETE', '/channels/:id/messages/:id/reactions/:any/@me', (context) => reaction(context, 'delete')),
  route('PUT', '/applications/:id/commands', (context) => setCommands(context, 'global')),
  route('PUT', '/applications/:id/guilds/:id/commands', (context) => setCommands(context, context.params[1] as string)),
  route('POST', '/interactions/:id/:any/callback', callback),
  route('POST', '/webhooks/:id/:any', ({ interactions, params, body }) =>
    interactions.followUp(params[1] as string, body),
  ),
  route('PATCH', '/webhooks/:id/:any/messages/@original', ({ interactions, params, body }) =>
    interactions.editOriginal(params[1] as string, body),
  ),
];

function channelOf({ world, params }: RouteContext): FakeChannel {
  const channel = world.channels.get(params[0] as string);
  if (!channel || channel.deleted) throw unknownChannel();
  return channel;
}

/** The channel, if the bot may do this there. */
function reachable(context: RouteContext, permission: Permission): FakeChannel {
  const { world } = context;
  const channel = channelOf(context);
  const guild = world.guilds.get(channel.wire.guild_id ?? '');
  const parent = world.channels.get(channel.wire.parent_id ?? '');
  const denied = (what: Permission) => channel.denied.has(what) || parent?.denied.has(what) === true;
  if (denied('view') || guild?.left) throw missingAccess();
  if (denied(permission)) throw permission === 'history' ? missingAccess() : missingPermissions();
  return channel;
}

function messageOf({ world, params }: RouteContext, channel: FakeChannel): StoredMessage {
  const message = world.find(channel, params[1] as string);
  if (!message) throw unknownMessage();
  return message;
}

/** REST tells neither the guild nor the member. */
function bare({ wire }: StoredMessage): WireMessage {
  const { nonce: _, ...rest } = wire;
  return rest as WireMessage;
}

function openDirect({ world, body }: RouteContext): unknown {
  const user = world.users.get(String(body['recipient_id']));
  if (!user || user.bot) throw new Refusal(400, 50007, 'Cannot send messages to this user');
  return world.dm(user).wire;
}

function listMessages(context: RouteContext): unknown {
  const { query } = context;
  const channel = reachable(context, 'history');
  const limit = Number(query.get('limit') ?? 50);
  if (!(limit >= 1 && limit <= 100)) throw invalidForm('limit', 'NUMBER_TYPE_MAX', 'int value should be <= 100.');
  const all = channel.messages
    .filter(({ deleted }) => !deleted)
    .sort((a, b) => (BigInt(a.wire.id) < BigInt(b.wire.id) ? -1 : 1));
  const after = query.get('after');
  const page =
    after === null ? all.slice(-limit) : all.filter(({ wire }) => BigInt(wire.id) > BigInt(after)).slice(0, limit);
  return page.reverse().map(bare);
}

function createMessage(context: RouteContext): unknown {
  const { world, body } = context;
  const channel = reachable(context, 'send');
  if (channel.wire.type === CHANNEL.forum) throw new Refusal(400, 50008, 'Cannot send messages in a non-text channel');
  if (channel.closed) throw new Refusal(403, 50007, 'Cannot send messages to this user');
  const meta = channel.wire.thread_metadata;
  if (meta?.locked) throw new Refusal(403, 50083, 'Thread is archived');
  const again = repeated(context, channel);
  if (again) return again.wire;
  const message = post(context, channel);
  if (meta) meta.archived = false;
  world.dispatch({ t: 'MESSAGE_CREATE', d: world.messageEvent(channel, message) });
  return { ...message.wire, ...(body['nonce'] === undefined ? {} : { nonce: body['nonce'] }) };
}

function nonceKey({ params, body }: RouteContext): string | undefined {
  const { nonce, enforce_nonce } = body as { nonce?: string; enforce_nonce?: boolean };
  if (nonce !== undefined && String(nonce).length > 25)
    throw invalidForm('nonce', 'NONCE_TYPE_TOO_LONG', 'Invalid nonce');
  return enforce_nonce === true && nonce !== undefined ? `${params[0]}:${nonce}` : undefined;
}

/** The message that was made under this nonce before, while it is remembered. */
function repeated(context: RouteContext, channel: FakeChannel): StoredMessage | undefined {
  const key = nonceKey(context);
  const known = key === undefined ? undefined : context.bot.nonces.get(key);
  const fresh = known && context.world.clock.now() - known.at <= NONCE_MS;
  return fresh && channel.messages.includes(known.message) ? known.message : undefined;
}

function post(
  context: RouteContext,
  channel: FakeChannel,
  body: Body = context.body,
  named: { readonly id?: string } = {},
): StoredMessage {
  const { uploads, bot } = context;
  checkUploads(context, channel);
  const { content, components, flags } = checkMessage(body, uploads);
  const replied = repliedTo(context, channel, body);
  const attachments = uploads.map(({ name, bytes }) => context.world.store(channel.wire.id, name, bytes));
  const reference = replied && { message_reference: { message_id: replied.wire.id, channel_id: channel.wire.id } };
  const message = context.world.add(
    channel,
    { ...named, content, components, flags, attachments, ...(replied ? { type: 19, ...reference } : {}) },
    {
      silent: (flags & 4096) !== 0,
      pinged: pingedBy(content, body['allowed_mentions'], replied?.wire.author),
      files: uploads.map(({ name, bytes }) => ({ name, bytes })),
    },
  );
  const key = nonceKey(context);
  if (key !== undefined) bot.nonces.set(key, { message, at: context.world.clock.now() });
  return message;
}

function checkUploads({ world, uploads }: RouteContext, channel: FakeChannel): void {
  if (uploads.length === 0) return;
  if (channel.denied.has('attach')) throw missingPermissions();
  const most = world.guilds.get(channel.wire.guild_id ?? '')?.maxFileBytes ?? 10 * 1024 * 1024;
  const bytes = uploads.reduce((sum, upload) => sum + upload.bytes.length, 0);
  if (bytes > most) throw new Refusal(413, 40005, 'Request entity too large');
}

function repliedTo(context: RouteContext, channel: FakeChannel, body: Body): StoredMessage | undefined {
  const reference = body['message_reference'] as { message_id: string; fail_if_not_exists?: boolean } | undefined;
  if (!reference) return undefined;
  const found = context.world.find(channel, reference.message_id);
  if (!found && reference.fail_if_not_exists !== false)
    throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  return found;
}

function editMessage(context: RouteContext): unknown {
  const { world, body, uploads } = context;
  const channel = reachable(context, 'view');
  const message = messageOf(context, channel);
  if (!message.mine) throw new Refusal(403, 50005, 'Cannot edit a message authored by another user');
  if (channel.wire.thread_metadata?.locked) throw new Refusal(403, 50083, 'Thread is archived');
  if (!message.editable)
    throw new Refusal(429, 30046, 'Maximum number of edits to messages older than 1 hour reached. Try again later.');
  const checked = checkMessage(body, uploads, message.wire);
  const pinged = pingedBy(checked.content, body['allowed_mentions'], undefined);
  if (pinged.length > 0) throw new Refusal(400, 50035, `The fake refuses an edit that would ping ${pinged.join(', ')}`);
  Object.assign(message.wire, checked, { edited_timestamp: world.time() });
  message.edits++;
  world.changed();
  world.dispatch({ t: 'MESSAGE_UPDATE', d: world.messageEvent(channel, message) });
  return message.wire;
}

function type(context: RouteContext): undefined {
  const channel = reachable(context, 'send');
  channel.typing.push(context.world.clock.now());
  context.world.changed();
}

function threadFromMessage(context: RouteContext): unknown {
  const channel = reachable(context, 'threads');
  const message = messageOf(context, channel);
  if (context.world.channels.has(message.wire.id))
    throw new Refusal(400, 160004, 'A thread has already been created for this message');
  return opened(context, channel, message.wire.id).wire;
}

/** A post in a forum with its first message. */
function createPost(context: RouteContext): unknown {
  const channel = reachable(context, 'threads');
  if (channel.wire.type !== CHANNEL.forum) throw new Refusal(400, 50024, 'Cannot execute action on this channel type');
  const first = context.body['message'] as Body | undefined;
  if (!first) throw invalidForm('message', 'BASE_TYPE_REQUIRED', 'This field is required');
  checkMessage(first, context.uploads);
  const id = context.world.id();
  const thread = opened(context, channel, id);
  const at = { ...context, params: [thread.wire.id] };
  const message = post(at, thread, first, { id });
  return { ...thread.wire, message: message.wire };
}

function opened({ world, body }: RouteContext, channel: FakeChannel, id: string): FakeChannel {
  const name = body['name'];
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100)
    throw invalidForm('name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
  const thread = world.thread(channel, name, { owner: world.bot.id, id });
  world.dispatch({ t: 'THREAD_CREATE', d: { ...thread.wire, newly_created: true } });
  return thread;
}

function activeThreads({ world, params }: RouteContext): unknown {
  const threads = [...world.channels.values()].filter(
    ({ wire, deleted }) =>
      wire.type === CHANNEL.thread && wire.guild_id === params[0] && !deleted && !wire.thread_metadata?.archived,
  );
  return { threads: threads.map(({ wire }) => wire), members: [], has_more: false };
}

function guildMember({ world, params }: RouteContext): unknown {
  const guild = world.guilds.get(params[0] as string);
  const user = world.users.get(params[1] as string);
  if (!guild || guild.left) throw missingAccess();
  if (!user || !guild.members.has(user.id)) throw new Refusal(404, 10007, 'Unknown Member');
  return { ...world.member(guild, user), user };
}

function reaction(context: RouteContext, verb: 'add' | 'delete'): undefined {
  const message = messageOf(context, reachable(context, 'react'));
  message.reactions[verb](decodeURIComponent(context.params[2] as string));
  context.world.changed();
}

function setCommands({ bot, body }: RouteContext, scope: string): unknown {
  const commands = body as unknown as readonly { readonly name: string }[];
  checkCommands(commands);
  const before = new Set((bot.commands.get(scope) ?? []).map((command) => (command as { name: string }).name));
  const created = commands.filter(({ name }) => !before.has(name)).length;
  if (bot.creations + created > DAILY_CREATIONS)
    throw new Refusal(
      429,
      30034,
      'Max number of daily application command creates has been reached (200)',
      { retry_after: 3600 },
      { 'retry-after': '3600' },
    );
  bot.creations += created;
  bot.commands.set(scope, commands);
  return commands;
}

function callback({ interactions, params, body }: RouteContext): undefined {
  interactions.respond(params[0] as string, params[1] as string, body);
}
