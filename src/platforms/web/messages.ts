import type { Button, OutboundMessage } from '../../contract/message.ts';

/** A file that came with a message of hermod; its bytes are kept with the row. */
export interface WebFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** One line of a conversation, as the page shows it. */
export interface WebMessage {
  /** The row id: the platform's message id and the only order there is. */
  readonly id: string;
  readonly conversation: string;
  readonly side: 'person' | 'hermod';
  /** Plain text of a person, Markdown of hermod. */
  readonly text: string;
  readonly buttons: readonly (readonly Button[])[];
  /** It has, or once had, buttons: a question that stays recognisable after it is settled. */
  readonly card: boolean;
  readonly as?: OutboundMessage['as'];
  readonly files: readonly WebFile[];
  readonly createdAt: number;
  readonly editedAt: number | null;
}

export interface NewWebMessage {
  readonly conversation: string;
  readonly side: WebMessage['side'];
  /** A second row with one key is never written. */
  readonly key: string;
  readonly content: OutboundMessage;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

export interface ConversationSummary {
  readonly conversation: string;
  /** The first words of the person there. */
  readonly title: string;
  readonly lastAt: number;
}

/** The rows of the page's conversations. Every write is committed when the call returns. */
export interface WebMessages {
  /** The row of `key`: written now, or the one that is there already, unchanged. */
  add(message: NewWebMessage, now: number): { readonly message: WebMessage; readonly fresh: boolean };
  /** Replaces text and buttons; files stay. Undefined: there is no such message of hermod. */
  edit(id: string, content: OutboundMessage, now: number): WebMessage | undefined;
  get(id: string): WebMessage | undefined;
  /** The last `limit` before a message, or of all; oldest first. */
  page(conversation: string, limit: number, before?: string): readonly WebMessage[];
  /** Conversations with the newest message first. */
  conversations(limit: number): readonly ConversationSummary[];
  file(id: string, index: number): { readonly name: string; readonly bytes: Uint8Array } | undefined;
  /** A person's messages core has not taken yet, in order. */
  untaken(conversation?: string): readonly WebMessage[];
  /** Core has the message in its inbox. */
  taken(id: string, now: number): void;
}
