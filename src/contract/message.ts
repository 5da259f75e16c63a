import type { TurnId } from './ids.ts';

/** Where text goes: one chat, or one thread of it, seen by one bot of one platform. `via` is opaque and sent back as received. */
export interface Address {
  readonly platform: string;
  /** The bot's own id on the platform, so two bots never share rows. */
  readonly bot: string;
  readonly chat: string;
  readonly thread?: string;
  readonly via?: string;
}

/** A person on a platform. Only `platform` and `id` ever decide anything; names are for display. */
export interface Actor {
  readonly platform: string;
  readonly id: string;
  readonly name: string;
  /** Another program; never allowed, never an approver. */
  readonly bot?: boolean;
  /** An anonymous admin or a channel speaking: nobody we could identify. */
  readonly standIn?: boolean;
  /** Role ids of the server this very event came from. */
  readonly roles?: readonly string[];
}

export interface Inbound {
  /** Unique per (platform, bot); a redelivery carries the same one. Compared for presence, never for order. */
  readonly eventId: string;
  readonly by: Actor;
  readonly address: Address;
  /** A conversation with one person. */
  readonly direct: boolean;
  /** UTC ms at which the person sent it, by the platform's clock. */
  readonly sentAt: number;
}

/** The lane merges waiting rows of one key into one turn, `waitMs` after the last of them. */
export interface JoinHint {
  readonly key: string;
  readonly waitMs: number;
  /** How this piece continues the one before: with a newline, or with nothing (a text cut in two). */
  readonly glue?: '\n' | '';
}

/** A descriptor that fits a row; the adapter fetches the bytes by `ref`. */
export interface Attachment {
  readonly kind: 'image' | 'audio' | 'file';
  readonly name: string;
  readonly size?: number;
  readonly mime?: string;
  /** Seconds of sound. */
  readonly durationS?: number;
  readonly ref: string;
}

export interface InboundMessage extends Inbound {
  readonly messageId: string;
  readonly text: string;
  readonly command?: { readonly name: string; readonly args: string };
  readonly attachments: readonly Attachment[];
  readonly replyTo?: { readonly messageId: string; readonly quoted: string };
  readonly forwardedFrom?: string;
  readonly mentionsBot: boolean;
  readonly join?: JoinHint;
}

export interface ButtonPress extends Inbound {
  readonly data: string;
  /** The message that carried the button, where the platform says so. */
  readonly messageId?: string;
}

export interface FormAnswer extends Inbound {
  readonly data: string;
  readonly text: string;
  readonly messageId?: string;
}

export interface StopPress extends Inbound {
  readonly turn: TurnId;
}

export interface Reaction extends Inbound {
  readonly messageId: string;
  readonly emoji: string;
}

export interface Button {
  readonly label: string;
  /** ASCII, at most 64 bytes, opaque to adapters but for the version and a last field `r` (opens a form where there are forms). */
  readonly data: string;
  readonly style?: 'success' | 'primary' | 'danger';
}

export type OutboundFile = { readonly name: string } & ({ readonly path: string } | { readonly text: string });

/** What core wants said. `text` is Markdown; the adapter renders and splits it. */
export interface OutboundMessage {
  readonly text: string;
  readonly buttons?: readonly (readonly Button[])[];
  readonly files?: readonly OutboundFile[];
  /** The platform's id of the message this answers. */
  readonly replyTo?: string;
  readonly silent?: boolean;
  /**
   * What it is to the reader; absent: words that stand. `draft`: an answer that still grows, an edit replaces it. `progress`:
   * what tools are doing. Adapters may draw these quieter, without link previews or sound.
   */
  readonly as?: 'draft' | 'progress';
  /**
   * Only on what an adapter's `parts` returned: its own JSON, opaque to core, which stores it with the part. `text` of such a
   * part is what will be seen; core may put words before it, nothing else.
   */
  readonly rendered?: unknown;
}

export interface SentMessage {
  /** The platform's own id: the only proof of delivery. */
  readonly messageId: string;
  /** Where it really went, which may differ from where it was meant to go. */
  readonly at: Address;
}

/** A sentence for the person who pressed, to them alone where the platform can do that. */
export interface PrivateReply {
  readonly text: string;
}
