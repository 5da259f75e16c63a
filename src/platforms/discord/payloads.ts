/** The parts of Discord's JSON that are read here. Whatever is optional at Discord, or has ever been missing, is optional here. */
export interface RawUser {
  readonly id: string;
  readonly username?: string;
  readonly global_name?: string | null;
  readonly bot?: boolean;
}

export interface RawMember {
  readonly user?: RawUser;
  readonly nick?: string | null;
  readonly roles?: readonly string[];
}

export interface RawChannel {
  readonly id: string;
  readonly type: number;
  readonly guild_id?: string;
  readonly parent_id?: string | null;
  readonly name?: string | null;
  readonly owner_id?: string;
  readonly last_message_id?: string | null;
  /** Of a thread: we are in it. */
  readonly member?: object | null;
}

export interface RawGuild {
  readonly id: string;
  readonly unavailable?: boolean;
  readonly channels?: readonly RawChannel[];
  readonly threads?: readonly RawChannel[];
}

export interface RawAttachment {
  readonly id: string;
  readonly filename?: string;
  readonly size?: number;
  readonly url?: string;
  readonly content_type?: string | null;
  /** Seconds, of a voice message. */
  readonly duration_secs?: number;
}

export interface RawContent {
  readonly content?: string;
  readonly flags?: number;
  readonly attachments?: readonly RawAttachment[];
  readonly sticker_items?: readonly { readonly name?: string }[];
  readonly poll?: {
    readonly question?: { readonly text?: string };
    readonly answers?: readonly { readonly poll_media?: { readonly text?: string } }[];
  } | null;
}

export interface RawMessage extends RawContent {
  readonly id: string;
  readonly channel_id: string;
  /** Absent in direct messages and in everything that REST tells. */
  readonly guild_id?: string;
  readonly channel_type?: number;
  readonly author?: RawUser;
  readonly member?: RawMember | null;
  readonly webhook_id?: string;
  readonly type?: number;
  readonly edited_timestamp?: string | null;
  readonly mentions?: readonly RawUser[];
  readonly message_reference?: {
    /** 1: what is shown is another message, passed on. */
    readonly type?: number;
    readonly message_id?: string;
    readonly channel_id?: string;
  } | null;
  readonly referenced_message?: RawMessage | null;
  readonly message_snapshots?: readonly { readonly message?: RawContent }[];
}

export interface RawComponent {
  readonly custom_id?: string;
  readonly value?: string;
  readonly label?: string;
  readonly component?: RawComponent;
  readonly components?: readonly RawComponent[];
}

export interface RawInteraction {
  readonly id: string;
  readonly type: number;
  readonly token: string;
  readonly application_id?: string;
  readonly channel_id?: string;
  readonly channel?: RawChannel;
  readonly guild_id?: string;
  readonly member?: RawMember | null;
  readonly user?: RawUser;
  readonly message?: { readonly id: string; readonly components?: readonly RawComponent[] };
  readonly attachment_size_limit?: number;
  readonly data?: {
    readonly name?: string;
    readonly custom_id?: string;
    readonly options?: readonly { readonly name: string; readonly value?: unknown }[];
    readonly components?: readonly RawComponent[];
  };
}

export interface RawReaction {
  readonly user_id: string;
  readonly channel_id: string;
  readonly message_id: string;
  readonly guild_id?: string;
  readonly member?: RawMember | null;
  readonly emoji: { readonly id?: string | null; readonly name?: string | null };
}

export interface RawReady {
  readonly user: RawUser;
  readonly application: { readonly id: string };
  readonly guilds?: readonly { readonly id: string }[];
}
