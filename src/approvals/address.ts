import type { Address } from '../contract/message.ts';

/** One chat, whatever the thread: messages of a thread may be sent beside it when the thread is gone. */
export function sameChat(a: Address, b: Address): boolean {
  return a.platform === b.platform && a.bot === b.bot && a.chat === b.chat;
}
