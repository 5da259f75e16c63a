/** The parts of Telegram's JSON that the fake makes and reads; everything else passes through untouched. */
export interface WireUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
}

export interface WireChat {
  readonly id: number;
  readonly type: 'private' | 'group' | 'supergroup' | 'channel';
  readonly title?: string;
  readonly first_name?: string;
  readonly is_forum?: true;
}

export interface WireEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: WireUser;
}

export interface WireButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly style?: string;
}

export interface WireKeyboard {
  readonly inline_keyboard: readonly (readonly WireButton[])[];
}

export interface WireFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
  readonly [more: string]: unknown;
}

export interface WireMessage {
  readonly message_id: number;
  readonly chat: WireChat;
  readonly date: number;
  readonly from?: WireUser;
  readonly sender_chat?: WireChat;
  readonly text?: string;
  readonly entities?: readonly WireEntity[];
  readonly caption?: string;
  readonly caption_entities?: readonly WireEntity[];
  readonly photo?: readonly WireFile[];
  readonly document?: WireFile;
  readonly reply_to_message?: WireMessage;
  readonly quote?: { readonly text: string };
  readonly message_thread_id?: number;
  readonly is_topic_message?: true;
  readonly media_group_id?: string;
  readonly reply_markup?: WireKeyboard;
  readonly edit_date?: number;
  readonly [more: string]: unknown;
}

export interface WireUpdate {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

export type Payload = Readonly<Record<string, unknown>>;

/** An uploaded file of a multipart body. */
export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}
