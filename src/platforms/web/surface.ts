import type { PrivateReply } from '../../contract/message.ts';
import type { ConversationSummary, WebMessage } from './messages.ts';

/** What the page shows next. `typing` is not stored: who was not looking has missed nothing. */
export type WebEvent =
  | { readonly type: 'message' | 'changed'; readonly message: WebMessage }
  | { readonly type: 'typing'; readonly conversation: string; readonly forMs: number };

/** The page's side of the web platform. The caller has made sure who is speaking: it is always `web:operator`. */
export interface WebSurface {
  /**
   * Keeps what the person wrote and offers it to core. Resolves once core has it, or with `taken: false` when core could
   * not store it yet; then it is offered again. A second call with one `clientId` changes nothing. Rejects when the message
   * itself could not be kept.
   */
  say(
    conversation: string,
    text: string,
    clientId: string,
  ): Promise<{ readonly message: WebMessage; readonly taken: boolean }>;
  /** Rejects when core could not store the press. `text`: the words of a form. */
  press(press: WebPress): Promise<PrivateReply | undefined>;
  /** The last messages, or those before one; oldest first, `more` when there are earlier ones. */
  history(conversation: string, before?: string): { readonly messages: readonly WebMessage[]; readonly more: boolean };
  message(id: string): WebMessage | undefined;
  conversations(): readonly ConversationSummary[];
  file(messageId: string, index: number): { readonly name: string; readonly bytes: Uint8Array } | undefined;
  /** Called for every event until the returned function is called. */
  subscribe(listener: (event: WebEvent) => void): () => void;
}

export interface WebPress {
  readonly conversation: string;
  readonly messageId: string;
  readonly data: string;
  /** One press of one person, however often it is posted. */
  readonly clientId: string;
  readonly text?: string;
}
