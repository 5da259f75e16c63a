import type { Address } from '../../contract/message.ts';

export const PLATFORM = 'discord';

const EPOCH_MS = 1_420_070_400_000;
const DIRECT = /^user:(\d{17,20})$/;

/** A direct chat, a guild's channel, or a thread of one. */
export function addressOf(bot: string, chat: string, thread?: string): Address {
  return { platform: PLATFORM, bot, chat, ...(thread === undefined ? {} : { thread }) };
}

/** The person of an address that names no channel yet: `user:<id>`. */
export function personOf({ chat }: Address): string | undefined {
  return DIRECT.exec(chat)?.[1];
}

export function isId(text: string | undefined): text is string {
  return text !== undefined && /^\d{17,20}$/.test(text);
}

/** UTC ms at which an id was made. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH_MS;
}

/** Order of ids, which is order in time. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** The id just before `id`: everything from `id` on comes after it. */
export function before(id: string): string {
  return String(BigInt(id) - 1n);
}
