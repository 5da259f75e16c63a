import type { Attachment } from '../../contract/message.ts';
import { cleanName } from '../wire/file-name.ts';
import type { RawAttachment, RawContent, RawMessage, RawUser } from './payloads.ts';

export interface Content {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly forwarded: boolean;
}

const VOICE = 8192;
const FORWARD = 1;
const LONG_PASTE = 'message.txt';
const LONG_PASTE_BYTES = 100 * 1024;

/** What a message says: its words, or those it passes on, its files, or one bracketed line for what is neither. */
export function contentOf(raw: RawMessage, me: string): Content {
  const snapshot = raw.message_reference?.type === FORWARD ? raw.message_snapshots?.[0]?.message : undefined;
  const shown: RawContent = snapshot ?? raw;
  const voice = ((shown.flags ?? 0) & VOICE) !== 0;
  const where = { channel: raw.channel_id, message: raw.id };
  return {
    text: [spoken(shown.content ?? '', raw.mentions ?? [], me), bracketed(shown)].filter(Boolean).join('\n'),
    attachments: (shown.attachments ?? []).map((file) => descriptor(file, where, voice)),
    forwarded: snapshot !== undefined,
  };
}

/** The words without the mention that called us, unless they are nothing else; people by their names. */
function spoken(content: string, mentions: readonly RawUser[], me: string): string {
  const rest = content.replace(new RegExp(`^(?:\\s*<@!?${me}>)+[\\s,:]*`), '');
  return named(rest.trim() === '' ? content : rest, mentions).trim();
}

function named(content: string, mentions: readonly RawUser[]): string {
  return content.replace(/<@!?(\d+)>/g, (whole, id: string) => {
    const user = mentions.find((mention) => mention.id === id);
    return user ? `@${user.global_name || user.username || id}` : whole;
  });
}

function bracketed({ sticker_items, poll }: RawContent): string {
  const stickers = (sticker_items ?? []).map(({ name }) => `[sticker: ${name ?? ''}]`);
  const answers = (poll?.answers ?? []).map(({ poll_media }) => poll_media?.text ?? '').filter(Boolean);
  const asked = poll?.question?.text ? [`[poll: ${poll.question.text} (${answers.join(' / ')})]`] : [];
  return [...stickers, ...asked].join('\n').slice(0, 500);
}

function descriptor(file: RawAttachment, where: { channel: string; message: string }, voice: boolean): Attachment {
  const mime = file.content_type ?? undefined;
  return {
    kind: voice || mime?.startsWith('audio/') ? 'audio' : mime?.startsWith('image/') ? 'image' : 'file',
    name: cleanName(file.filename ?? 'file'),
    ref: `${where.channel}/${where.message}/${file.id}`,
    ...(file.size === undefined ? {} : { size: file.size }),
    ...(mime === undefined ? {} : { mime }),
    ...(file.duration_secs === undefined ? {} : { durationS: file.duration_secs }),
  };
}

/** The file a client makes of a text that is too long for a message: it is the text. */
export function longPasteOf({ content, attachments = [] }: RawContent): RawAttachment | undefined {
  const [only, ...more] = attachments;
  if (!only || more.length > 0 || content || only.filename !== LONG_PASTE) return undefined;
  const plain = only.content_type?.startsWith('text/plain') === true;
  return plain && (only.size ?? Number.POSITIVE_INFINITY) <= LONG_PASTE_BYTES ? only : undefined;
}
