import type { Actor, Address } from '../../contract/message.ts';

/** The one person of the page: whoever holds the home and signed in with a code from it. */
export const OPERATOR: Actor = { platform: 'web', id: 'operator', name: 'you' };

/** Where notices for the page's person go. */
export const MAIN_CONVERSATION = 'main';

const SHAPE = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Whether a string may name a conversation: it becomes part of addresses, keys and paths. */
export function isConversation(name: string): boolean {
  return SHAPE.test(name);
}

export function conversationAddress(conversation: string): Address {
  return { platform: 'web', bot: 'page', chat: conversation };
}

const COMMAND = /^\/([a-z][a-z0-9_]*)(?:\s+([\s\S]*))?$/i;

/** `/name arguments` at the start of a text. A path is a message. */
export function readCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  const match = COMMAND.exec(text);
  return match ? { name: (match[1] as string).toLowerCase(), args: (match[2] ?? '').trim() } : undefined;
}
