import { createHash } from 'node:crypto';
import type { OutboundMessage } from '../../contract/message.ts';
import { componentsOf } from './components.ts';
import type { DiscordConfig } from './config.ts';
import { escapeText } from './escape.ts';
import { MAX_CONTENT } from './limits.ts';
import { isId } from './place.ts';

const NO_PREVIEWS = 4;
const SILENT = 4096;
const MAX_NONCE = 25;

/** Nothing a model writes pings anybody. It is said in every body: one without it would ping everybody. */
const NOBODY = { parse: [], replied_user: false } as const;

export interface MessageBody {
  readonly content: string;
}

/** A part as the body of a new message; `key` becomes the nonce that Discord takes once. Throws SendError on bad buttons. */
export function newBody(part: OutboundMessage, content: string, key: string, config: DiscordConfig): MessageBody {
  const components = componentsOf(part.buttons);
  // A question pings the person it replies to.
  const asked = components.length > 0 && part.replyTo !== undefined;
  return {
    content,
    ...(components.length > 0 ? { components } : {}),
    ...(isId(part.replyTo) ? { message_reference: { message_id: part.replyTo, fail_if_not_exists: false } } : {}),
    flags: flagsOf(part, config),
    allowed_mentions: { ...NOBODY, replied_user: asked },
    nonce: createHash('sha256').update(key).digest('base64url').slice(0, MAX_NONCE),
    enforce_nonce: true,
  } as MessageBody;
}

/** What replaces the words and buttons of a message. */
export function changedBody(part: OutboundMessage, content: string, config: DiscordConfig): MessageBody {
  const body = {
    content,
    components: componentsOf(part.buttons),
    flags: flagsOf(part, config),
    allowed_mentions: NOBODY,
  };
  return body as MessageBody;
}

function flagsOf(part: OutboundMessage, { linkPreviews }: DiscordConfig): number {
  const previews = linkPreviews && part.as === undefined && !part.buttons;
  const silent = part.silent === true || part.as === 'progress';
  return (previews ? 0 : NO_PREVIEWS) | (silent ? SILENT : 0);
}

/** The same message without its files, opening with the sentence that says why, where there is room for it. */
export function withoutFiles(body: MessageBody, note: string): MessageBody {
  const whole = `${escapeText(note)}\n\n${body.content}`;
  return whole.length <= MAX_CONTENT ? { ...body, content: whole } : body;
}
