import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../contract/clock.ts';
import { randomCode } from '../../contract/ids.ts';
import type { Log } from '../../contract/log.ts';
import { isConversation, MAIN_CONVERSATION } from '../../platforms/web/conversation.ts';
import type { WebMessage } from '../../platforms/web/messages.ts';
import type { WebSurface } from '../../platforms/web/surface.ts';
import type { EventStream } from '../event-stream.ts';
import { HttpError } from '../http-error.ts';
import type { Route, Visit } from '../route.ts';
import { wantsPage } from '../server.ts';
import { chatPage } from './chat-page.ts';
import type { PageSite } from './layout.ts';
import { type MessageContext, messageView, TOKEN_LATER } from './message-view.ts';

export interface ChatDeps {
  readonly web: WebSurface;
  readonly stream: EventStream;
  readonly site: PageSite;
  readonly clock: Clock;
  readonly log: Log;
}

const clientId = z.string().regex(/^[\w-]{8,64}$/);
const sayForm = z.object({
  id: clientId,
  text: z.string().max(100_000).optional(),
  phrase: z.string().max(1_000).optional(),
});
const pressForm = z.object({
  id: clientId,
  message: z.string().regex(/^\d{1,15}$/),
  data: z.string().min(1).max(64),
  text: z.string().max(500).optional(),
});

/** The chat: its page, its history, and what the person says and presses. Every write is a form; a module asks for JSON back. */
export function chatRoutes(deps: ChatDeps): readonly Route[] {
  const { web, stream, site } = deps;
  const notes = new Map<string, { readonly messageId: string; readonly text: string }>();
  feed(deps);

  const contextOf = (visit: Visit, conversation: string): MessageContext => {
    if (visit.caller.kind !== 'page') throw new Error('a page route was reached without a page session');
    const { hash, pageToken } = visit.caller.session;
    return { at: `${site.base}/c/${conversation}`, pageToken, timeZone: site.timeZone?.(), note: notes.get(hash) };
  };

  const remember = (visit: Visit, messageId: string, text: string) => {
    if (visit.caller.kind !== 'page') return;
    notes.delete(visit.caller.session.hash);
    notes.set(visit.caller.session.hash, { messageId, text });
    if (notes.size > 100) notes.delete(notes.keys().next().value as string);
  };

  const show = (visit: Visit, conversation: string) => {
    const position = stream.position();
    const context = contextOf(visit, conversation);
    const { messages, more } = web.history(conversation, beforeOf(visit));
    const notice = context.note?.messageId === '' ? context.note.text : undefined;
    const fresh = randomCode(12);
    const view = { conversation, messages, more, conversations: web.conversations(), fresh, context, position, notice };
    return sendPage(visit.reply, chatPage(site, view));
  };

  return [
    {
      method: 'GET',
      path: '/',
      access: 'page',
      handle: (visit) => show(visit, web.conversations()[0]?.conversation ?? MAIN_CONVERSATION),
    },
    { method: 'GET', path: '/c/:conversation', access: 'page', handle: (visit) => show(visit, conversationOf(visit)) },
    { method: 'GET', path: '/events', access: 'page', handle: (visit) => stream.open(visit) },
    {
      method: 'GET',
      path: '/c/:conversation/messages',
      access: 'page',
      handle(visit) {
        const conversation = conversationOf(visit);
        const context = contextOf(visit, conversation);
        const position = stream.position();
        const { messages, more } = web.history(conversation, beforeOf(visit));
        return { position, more, messages: messages.map((message) => drawn(message, context)) };
      },
    },
    {
      method: 'GET',
      path: '/c/:conversation/files/:message/:index',
      access: 'page',
      handle(visit) {
        const { message, index } = visit.request.params as { message: string; index: string };
        const file = web.file(message, Number(index));
        if (!file)
          throw new HttpError(404, 'not_found', 'This file is not here any more.', 'Ask hermod to send it again.');
        visit.reply.header('content-disposition', attachment(file.name)).type('application/octet-stream');
        return visit.reply.send(Buffer.from(file.bytes));
      },
    },
    {
      method: 'POST',
      path: '/c/:conversation/say',
      access: 'page',
      body: 'form',
      async handle(visit) {
        const conversation = conversationOf(visit);
        const form = read(sayForm, visit);
        const text = (form.phrase ?? form.text ?? '').replace(/\r\n?/g, '\n').trim();
        if (text === '')
          throw new HttpError(400, 'empty', 'The message is empty.', 'Write something and send it again.');
        const { message, taken } = await web.say(conversation, text, form.id);
        const note = taken ? '' : 'hermod could not take this in yet; it is kept and tried again.';
        if (!wantsPage(visit.request)) return { message: drawn(message, contextOf(visit, conversation)), note };
        remember(visit, '', note);
        return back(visit, conversation, `m${message.id}`);
      },
    },
    {
      method: 'POST',
      path: '/c/:conversation/press',
      access: 'page',
      body: 'form',
      async handle(visit) {
        const conversation = conversationOf(visit);
        const { id, message, data, text } = read(pressForm, visit);
        const press = { conversation, messageId: message, data, clientId: id, ...(text !== undefined && { text }) };
        const note = (await web.press(press))?.text ?? '';
        if (!wantsPage(visit.request)) return { note };
        remember(visit, message, note);
        return back(visit, conversation, `m${message}`);
      },
    },
  ];

  function back(visit: Visit, conversation: string, anchor: string): FastifyReply {
    return visit.reply.redirect(`${site.base}/c/${conversation}#${anchor}`, 303);
  }
}

/** Rows that change become events. One drawing serves every browser: each puts its own page token into the forms. */
function feed({ web, stream, site }: ChatDeps): void {
  web.subscribe((event) => {
    if (event.type === 'typing')
      return stream.mention('typing', { conversation: event.conversation, forMs: event.forMs });
    const { id, conversation } = event.message;
    const context = { at: `${site.base}/c/${conversation}`, pageToken: TOKEN_LATER, timeZone: site.timeZone?.() };
    stream.publish({
      type: 'message',
      key: id,
      draw: () => {
        const message = web.message(id);
        return message && drawn(message, context);
      },
    });
  });
}

function drawn(message: WebMessage, context: MessageContext) {
  const { id, conversation, side, as, card, buttons } = message;
  return { id, conversation, side, as, asks: card && buttons.length > 0, html: messageView(message, context).text };
}

function read<T extends z.ZodType>(shape: T, visit: Visit): z.infer<T> {
  const form = shape.safeParse(visit.request.body);
  if (form.success) return form.data;
  const field = form.error.issues[0]?.path.join('.') ?? '';
  throw new HttpError(
    400,
    'bad_form',
    `The field "${field}" of this form is missing or not what it should be.`,
    'Reload the page and do it again.',
  );
}

function conversationOf(visit: Visit): string {
  const { conversation } = visit.request.params as { conversation: string };
  if (isConversation(conversation)) return conversation;
  throw new HttpError(404, 'not_found', 'There is no such conversation.', 'Go back to the chat.');
}

function beforeOf(visit: Visit): string | undefined {
  const { before } = visit.request.query as { before?: unknown };
  return typeof before === 'string' && /^\d{1,15}$/.test(before) ? before : undefined;
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}

function attachment(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;
}
