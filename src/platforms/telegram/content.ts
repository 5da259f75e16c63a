import type { Message, MessageEntity } from 'grammy/types';
import type { Attachment } from '../../contract/message.ts';
import { cleanName } from '../wire/file-name.ts';
import { flattenRich } from './rich-inbound.ts';

export interface Content {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly attachments: readonly Attachment[];
}

/** What a message says: its words or caption, its files, or one bracketed line for what is neither. Nothing for service messages. */
export function contentOf(message: Message): Content {
  const attachments = attachmentsOf(message);
  const words = message.text ?? message.caption ?? (message.rich_message ? flattenRich(message.rich_message) : '');
  const text = [words, bracketed(message)].filter(Boolean).join('\n');
  return { text, entities: message.entities ?? message.caption_entities ?? [], attachments };
}

interface FileLike {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
  readonly mime_type?: string;
}

function attachmentsOf(message: Message): readonly Attachment[] {
  const found: Attachment[] = [];
  const add = (kind: Attachment['kind'], file: FileLike | undefined, fallback: string) => {
    if (file) found.push(descriptor(kind, file, fallback));
  };
  add('image', message.photo?.at(-1), 'photo.jpg');
  add('audio', message.voice, 'voice.ogg');
  add('audio', message.audio, 'audio.mp3');
  add('file', message.video, 'video.mp4');
  add('file', message.video_note, 'video-note.mp4');
  if (message.animation) add('file', message.animation, 'animation.mp4');
  else add(kindOf(message.document?.mime_type), message.document, 'document');
  return found;
}

function kindOf(mime: string | undefined): Attachment['kind'] {
  if (mime?.startsWith('image/')) return 'image';
  return mime?.startsWith('audio/') ? 'audio' : 'file';
}

function descriptor(kind: Attachment['kind'], file: FileLike, fallback: string): Attachment {
  return {
    kind,
    name: cleanName(file.file_name ?? `${file.file_unique_id}-${fallback}`),
    ...(file.file_size === undefined ? {} : { size: file.file_size }),
    ...(file.mime_type === undefined ? {} : { mime: file.mime_type }),
    ref: file.file_id,
  };
}

function bracketed(message: Message): string {
  const { venue, location, contact, poll, dice, sticker, checklist } = message;
  if (venue) return line('venue', `${venue.title}, ${venue.address}`, point(venue.location));
  if (location) return line('location', point(location));
  if (contact)
    return line('contact', [contact.first_name, contact.last_name].filter(Boolean).join(' '), contact.phone_number);
  if (poll) return line('poll', `${poll.question} (${poll.options.map((option) => option.text).join(' / ')})`);
  if (dice) return line('dice', `${dice.emoji} ${dice.value}`);
  if (sticker) return line('sticker', sticker.emoji ?? sticker.set_name ?? '');
  if (checklist)
    return line('checklist', `${checklist.title} (${checklist.tasks.map((task) => task.text).join(' / ')})`);
  if (message.story) return line('story', message.story.chat.username ?? '');
  return '';
}

function line(what: string, ...details: readonly string[]): string {
  const said = details.filter(Boolean).join(', ').replace(/\s+/g, ' ').slice(0, 500);
  return said ? `[${what}: ${said}]` : `[${what}]`;
}

function point({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}
