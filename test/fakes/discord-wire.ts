/** The parts of Discord's JSON that the fake makes and reads; everything else passes through untouched. */
export interface WireUser {
  readonly id: string;
  readonly username: string;
  readonly global_name: string | null;
  readonly discriminator: string;
  readonly avatar: null;
  readonly bot?: true;
}

export interface WireMember {
  readonly roles: readonly string[];
  readonly nick: string | null;
  readonly joined_at: string;
  readonly user?: WireUser;
  readonly [more: string]: unknown;
}

export const CHANNEL = { text: 0, dm: 1, voice: 2, announcement: 5, thread: 11, forum: 15 } as const;

export interface WireChannel {
  readonly id: string;
  readonly type: number;
  readonly guild_id?: string;
  readonly parent_id?: string | null;
  readonly name?: string;
  readonly owner_id?: string;
  last_message_id?: string | null;
  thread_metadata?: {
    archived: boolean;
    locked: boolean;
    readonly auto_archive_duration: number;
    readonly archive_timestamp: string;
  };
  readonly recipients?: readonly WireUser[];
  member?: object;
  readonly [more: string]: unknown;
}

export interface WireAttachment {
  readonly id: string;
  readonly filename: string;
  readonly size: number;
  readonly url: string;
  readonly proxy_url: string;
  readonly content_type?: string;
  readonly [more: string]: unknown;
}

export interface WireButton {
  readonly type: number;
  readonly style?: number;
  readonly label?: string;
  readonly custom_id?: string;
}

export interface WireRow {
  readonly type: number;
  readonly components: readonly WireButton[];
}

export interface WireMessage {
  readonly id: string;
  readonly channel_id: string;
  readonly author: WireUser;
  content: string;
  readonly timestamp: string;
  edited_timestamp: string | null;
  readonly tts: boolean;
  readonly mention_everyone: boolean;
  readonly mentions: readonly WireUser[];
  readonly mention_roles: readonly string[];
  attachments: readonly WireAttachment[];
  readonly embeds: readonly object[];
  readonly pinned: boolean;
  readonly type: number;
  flags: number;
  components: readonly WireRow[];
  readonly nonce?: string;
  readonly webhook_id?: string;
  readonly message_reference?: { readonly message_id?: string; readonly channel_id?: string; readonly type?: number };
  readonly referenced_message?: WireMessage | null;
  readonly [more: string]: unknown;
}

export type Body = Readonly<Record<string, unknown>>;

/** An uploaded file of a multipart body. */
export interface Upload {
  readonly key: string;
  readonly name: string;
  readonly bytes: Buffer;
}
