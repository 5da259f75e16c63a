import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Clock } from '../../contract/clock.ts';
import { SendError } from '../../contract/errors.ts';
import type { Log } from '../../contract/log.ts';
import type { OutboundFile, OutboundMessage } from '../../contract/message.ts';
import type { PlatformAdapter, PlatformEvents } from '../../contract/platform.ts';
import { conversationAddress, isConversation, MAIN_CONVERSATION, OPERATOR } from './conversation.ts';
import { createIntake, type Intake } from './intake.ts';
import { MAX_FILE_BYTES, WEB_LIMITS } from './limits.ts';
import type { WebMessage, WebMessages } from './messages.ts';
import { splitMessage } from './parts.ts';
import type { WebEvent, WebPress, WebSurface } from './surface.ts';

const PAGE_SIZE = 50;
const PROOF_MS = 30_000;

export interface WebDeps {
  readonly messages: WebMessages;
  readonly clock: Clock;
  readonly log: Log;
}

/** The control page as a platform: messages are rows, sending is a commit, and whoever looks is told of both. */
export function createWeb(deps: WebDeps): { readonly adapter: PlatformAdapter; readonly surface: WebSurface } {
  const web = new Web(deps);
  return { adapter: web, surface: web };
}

class Web implements PlatformAdapter, WebSurface {
  readonly name = 'web';
  readonly limits = WEB_LIMITS;
  readonly #deps: WebDeps;
  readonly #listeners = new Set<(event: WebEvent) => void>();
  readonly #presses = new Set<Promise<unknown>>();
  #events: PlatformEvents | undefined;
  #intake: Intake | undefined;
  #cancelProof: (() => void) | undefined;

  constructor(deps: WebDeps) {
    this.#deps = deps;
  }

  async start(events: PlatformEvents): Promise<void> {
    if (this.#events) return;
    this.#events = events;
    this.#intake = createIntake({ ...this.#deps, events });
    this.#prove(events);
    this.#intake.offerAll();
  }

  async stop(): Promise<void> {
    const intake = this.#intake;
    this.#events = undefined;
    this.#intake = undefined;
    this.#cancelProof?.();
    await intake?.stop();
    await Promise.allSettled(this.#presses);
  }

  parts(message: OutboundMessage): readonly OutboundMessage[] {
    return splitMessage(message);
  }

  async send(to: { chat: string }, part: OutboundMessage, options: { readonly key: string }) {
    if (!isConversation(to.chat)) throw new SendError({ kind: 'gone' }, `The page has no conversation "${to.chat}".`);
    checkButtons(part);
    const files = await readFiles(part.files ?? []);
    const row = {
      conversation: to.chat,
      side: 'hermod' as const,
      key: `send:${to.chat}:${options.key}`,
      content: part,
      files,
    };
    const { message, fresh } = this.#write(() => this.#deps.messages.add(row, this.#deps.clock.now()));
    if (fresh) this.#tell({ type: 'message', message });
    return { messageId: message.id, at: conversationAddress(message.conversation) };
  }

  async edit(to: { chat: string }, messageId: string, part: OutboundMessage): Promise<void> {
    checkButtons(part);
    const before = this.#deps.messages.get(messageId);
    if (before?.side !== 'hermod' || before.conversation !== to.chat) {
      throw new SendError(
        { kind: 'missing' },
        `Message ${messageId} is not in this conversation of the page any more.`,
      );
    }
    const message = this.#write(() => this.#deps.messages.edit(messageId, part, this.#deps.clock.now()));
    if (message) this.#tell({ type: 'changed', message });
  }

  async typing(to: { chat: string }): Promise<void> {
    this.#tell({ type: 'typing', conversation: to.chat, forMs: WEB_LIMITS.typingMs });
  }

  async directAddress(actor: { platform: string; id: string }) {
    if (actor.platform === OPERATOR.platform && actor.id === OPERATOR.id) return conversationAddress(MAIN_CONVERSATION);
    throw new SendError({ kind: 'gone' }, `The page knows only its operator, not ${actor.platform}:${actor.id}.`);
  }

  async say(conversation: string, text: string, clientId: string): Promise<{ message: WebMessage; taken: boolean }> {
    const row = { conversation, side: 'person' as const, key: `say:${conversation}:${clientId}`, content: { text } };
    const { message, fresh } = this.#deps.messages.add(row, this.#deps.clock.now());
    if (fresh) this.#tell({ type: 'message', message });
    await this.#intake?.offer(message.conversation);
    const waiting = this.#deps.messages.untaken(message.conversation).some((row) => row.id === message.id);
    return { message, taken: !waiting };
  }

  async press(press: WebPress) {
    const { events } = this.#running();
    const card = this.#deps.messages.get(press.messageId);
    if (card?.conversation !== press.conversation)
      return { text: 'This message is not here any more; nothing changed.' };
    const event = {
      eventId: `p:${press.clientId}`,
      by: OPERATOR,
      address: conversationAddress(press.conversation),
      direct: true,
      sentAt: this.#deps.clock.now(),
      data: press.data,
      messageId: press.messageId,
    };
    const told = press.text === undefined ? events.press(event) : events.form({ ...event, text: press.text });
    this.#presses.add(told);
    return await told.finally(() => this.#presses.delete(told));
  }

  history(conversation: string, before?: string) {
    const rows = this.#deps.messages.page(conversation, PAGE_SIZE + 1, before);
    return { messages: rows.slice(-PAGE_SIZE), more: rows.length > PAGE_SIZE };
  }

  message(id: string) {
    return this.#deps.messages.get(id);
  }

  conversations() {
    return this.#deps.messages.conversations(PAGE_SIZE);
  }

  file(messageId: string, index: number) {
    return this.#deps.messages.file(messageId, index);
  }

  subscribe(listener: (event: WebEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #running(): { events: PlatformEvents } {
    if (!this.#events) throw new SendError({ kind: 'unreached' }, 'hermod is stopping; press again when it is back.');
    return { events: this.#events };
  }

  #tell(event: WebEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #write<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      this.#deps.log.error({ err: error }, 'The page could not store a message; delivery tries again.');
      throw new SendError({ kind: 'unreached' }, 'The message could not be stored; see the log for the cause.');
    }
  }

  /** The rows are the network here: while they can be read, the platform is up. */
  #prove(events: PlatformEvents): void {
    try {
      this.#deps.messages.get('1');
      events.health({ state: 'connected', reason: 'messages can be read', proofAt: this.#deps.clock.now() });
    } catch {
      events.health({ state: 'degraded', reason: 'messages cannot be read', proofAt: null });
    }
    this.#cancelProof = this.#deps.clock.after(PROOF_MS, () => {
      if (this.#events === events) this.#prove(events);
    });
  }
}

function checkButtons(part: OutboundMessage): void {
  const long = part.buttons?.flat().find((button) => button.data.length > WEB_LIMITS.maxButtonData);
  if (long)
    throw new SendError(
      { kind: 'format' },
      `The data of button "${long.label}" is longer than ${WEB_LIMITS.maxButtonData} bytes.`,
    );
}

async function readFiles(files: readonly OutboundFile[]): Promise<readonly { name: string; bytes: Uint8Array }[]> {
  const read: { name: string; bytes: Uint8Array }[] = [];
  let left = MAX_FILE_BYTES;
  for (const file of files) {
    const bytes = 'text' in file ? Buffer.from(file.text) : await readLocal(file.path, left);
    left -= bytes.byteLength;
    if (left < 0) throw tooLarge(file.name);
    read.push({ name: basename(file.name) || 'file', bytes });
  }
  return read;
}

async function readLocal(path: string, most: number): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    return size > most ? Promise.reject(tooLarge(path)) : await readFile(path);
  } catch (error) {
    if (error instanceof SendError) throw error;
    throw new SendError({ kind: 'size' }, `The file ${basename(path)} could not be read; send the message without it.`);
  }
}

function tooLarge(name: string): SendError {
  const most = MAX_FILE_BYTES / 1024 / 1024;
  return new SendError(
    { kind: 'size' },
    `The file ${basename(name)} is too large for the page, which keeps up to ${most} MB a message.`,
  );
}
