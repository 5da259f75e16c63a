import { badRequest } from './telegram-refusal.ts';
import type { Payload, WireEntity, WireKeyboard } from './telegram-wire.ts';

export const MAX_TEXT = 4096;
export const MAX_CAPTION = 1024;
const MAX_ENTITIES = 100;

const ENTITY_TYPES = new Set(
  (
    'mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler ' +
    'blockquote expandable_blockquote code pre text_link text_mention custom_emoji'
  ).split(' '),
);

export interface CheckedText {
  readonly text: string;
  readonly entities: readonly WireEntity[];
}

/** The text as the server keeps it (cleaned and trimmed, at most 100 entities), or the refusal it answers with. */
export function checkText(payload: Payload, field: 'text' | 'caption'): CheckedText {
  if (payload['parse_mode']) throw badRequest(`can't parse entities: the fake does not take parse_mode`);
  const given = payload[field] ?? '';
  if (typeof given !== 'string') throw badRequest(`field "${field}" must be a String`);
  if (/[\ud800-\udfff]/u.test(given)) throw badRequest('text must be encoded in UTF-8');
  const entities = checkEntities(given, payload[field === 'text' ? 'entities' : 'caption_entities']);
  const kept = trimmed(given.replaceAll('\r', ''), entities);
  if (field === 'text' && kept.text === '') throw badRequest('message text is empty');
  if (field === 'text' && kept.text.length > MAX_TEXT) throw badRequest('message is too long');
  if (field === 'caption' && kept.text.length > MAX_CAPTION) throw badRequest('message caption is too long');
  return kept;
}

function checkEntities(text: string, given: unknown): readonly WireEntity[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw badRequest("can't parse entities: expected an Array");
  for (const entity of given as WireEntity[]) checkEntity(text, entity);
  return [...(given as WireEntity[])].sort((a, b) => a.offset - b.offset || b.length - a.length).slice(0, MAX_ENTITIES);
}

function checkEntity(text: string, { type, offset, length, url }: WireEntity): void {
  const end = offset + length;
  if (!ENTITY_TYPES.has(type)) throw badRequest(`can't parse entities: unsupported type "${type}"`);
  if (!Number.isInteger(offset) || offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`);
  if (!Number.isInteger(length) || length <= 0) throw badRequest(`receive an entity with incorrect length ${length}`);
  if (offset >= text.length) throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  if (end > text.length) {
    throw badRequest(
      `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${end}`,
    );
  }
  if (insidePair(text, offset)) {
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${bytes(text, offset)}`);
  }
  if (insidePair(text, end)) {
    const where = `ends in a middle of a UTF-16 symbol at byte offset ${bytes(text, end)}`;
    throw badRequest(`entity beginning at UTF-16 offset ${offset} ${where}`);
  }
  if (type === 'text_link' && !goodUrl(url)) throw badRequest('wrong message entity: Wrong HTTP URL');
}

function insidePair(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '');
}

function bytes(text: string, at: number): number {
  return Buffer.byteLength(text.slice(0, at), 'utf8');
}

function goodUrl(url: string | undefined): boolean {
  if (!url || /\s/.test(url)) return false;
  if (/^tg:\/?\/?\w/i.test(url)) return true;
  const host = /^(?:https?:\/\/)?(?:[^/?#@]*@)?(\[[0-9a-f:.]+\]|[^/?#:[\]]+)(?::\d+)?(?:[/?#]|$)/i.exec(url)?.[1];
  return host !== undefined && (host.startsWith('[') || /[^.]\.[^.]/.test(host));
}

/** The server drops spaces at the end, and at the start as far as the first entity; entities shrink with them. */
function trimmed(text: string, entities: readonly WireEntity[]): CheckedText {
  const first = entities[0]?.offset ?? text.length;
  const lead = Math.min(text.length - text.trimStart().length, first);
  const kept = text.slice(lead).trimEnd();
  const moved = entities.map((entity) => {
    const offset = entity.offset - lead;
    return { ...entity, offset, length: Math.min(entity.length, kept.length - offset) };
  });
  return { text: kept, entities: moved.filter((entity) => entity.length > 0) };
}

export function checkKeyboard(given: unknown): WireKeyboard | undefined {
  if (given === undefined) return undefined;
  const rows = (given as WireKeyboard).inline_keyboard;
  if (!Array.isArray(rows)) throw badRequest("can't parse reply keyboard markup JSON object");
  const buttons = (rows as WireKeyboard['inline_keyboard']).flat();
  if (buttons.length > 100) throw badRequest('reply markup is too long');
  for (const { text, callback_data, style } of buttons) {
    if (!text) throw badRequest('text buttons are unallowed in the inline keyboard');
    const size = Buffer.byteLength(callback_data ?? '', 'utf8');
    if (size < 1 || size > 64) throw badRequest('BUTTON_DATA_INVALID');
    if (style !== undefined && !['success', 'primary', 'danger'].includes(style))
      throw badRequest('BUTTON_STYLE_INVALID');
  }
  return buttons.length > 0 ? { inline_keyboard: rows } : undefined;
}

const LEGAL_REACTIONS = new Set(
  (
    '❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 ' +
    '👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡'
  ).split(' '),
);

export function checkReaction(emoji: string): void {
  if (!LEGAL_REACTIONS.has(emoji)) throw badRequest('REACTION_INVALID');
}

/** What the server itself marks in a person's plain text: commands and names. */
export function clientEntities(text: string): WireEntity[] {
  const found: WireEntity[] = [];
  for (const match of text.matchAll(/(?<![\w/@])(\/[a-z0-9_]{1,32}(?:@\w{3,32})?|@\w{3,32})(?![\w-]*@)/gi)) {
    const type = match[0].startsWith('/') ? 'bot_command' : 'mention';
    found.push({ type, offset: match.index, length: match[0].length });
  }
  return found;
}
