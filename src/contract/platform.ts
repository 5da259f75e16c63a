import type { z } from 'zod';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type {
  Actor,
  Address,
  Attachment,
  ButtonPress,
  FormAnswer,
  InboundMessage,
  OutboundMessage,
  PrivateReply,
  Reaction,
  SentMessage,
  StopPress,
} from './message.ts';

/** Numbers and abilities of a platform: core asks these, never a platform's name. */
export interface PlatformLimits {
  /** UTF-16 units of rendered text a part. */
  readonly maxText: number;
  /** More parts than this become the first part plus `answer.md`. */
  readonly maxParts: number;
  /** Bytes. */
  readonly maxButtonData: number;
  readonly buttons: boolean;
  readonly edit: boolean;
  readonly threads: boolean;
  readonly forms: boolean;
  /** Life of one typing action; 0: none. */
  readonly typingMs: number;
  readonly editEveryMs: { readonly direct: number; readonly group: number };
  /** How long the platform refuses a second copy of one key; null: it never does. */
  readonly idempotency: { readonly lifeMs: number } | null;
  /** Sends, edits and typing together: `bot` calls a second, and for each chat a bucket of `burst` refilled every `everyMs`. */
  readonly rate: {
    readonly botPerSecond: number;
    readonly direct: { readonly burst: number; readonly everyMs: number };
    readonly group: { readonly burst: number; readonly everyMs: number };
  };
}

export interface Health {
  readonly state: 'starting' | 'connected' | 'degraded' | 'fatal';
  readonly reason: string;
  /** UTC ms of the last finished poll or acknowledged heartbeat. */
  readonly proofAt: number | null;
}

/**
 * What an adapter tells core. Each promise resolves after the row is committed, and only then may the adapter acknowledge
 * upstream; it rejects when nothing was stored, and then the event must come again. None waits for a turn, a model or a person.
 */
export interface PlatformEvents {
  message(message: InboundMessage): Promise<void>;
  /** As `message`, for a command whose sender can be answered alone; the reply is Markdown. Absent: `message` takes it. */
  command?(message: InboundMessage): Promise<PrivateReply | undefined>;
  /** The reply is what the presser reads; it is there within the platform's window or undefined. */
  press(press: ButtonPress): Promise<PrivateReply | undefined>;
  form(form: FormAnswer): Promise<PrivateReply | undefined>;
  edited(message: InboundMessage): Promise<void>;
  stopped(stop: StopPress): Promise<void>;
  reaction(reaction: Reaction): Promise<void>;
  reach(address: Address, reachable: boolean): Promise<void>;
  moved(from: Address, to: Address): Promise<void>;
  health(health: Health): void;
  /** An input that no event can carry: stored, so that it can be acknowledged and looked at. */
  refused?(input: RefusedInput): Promise<void>;
}

export interface RefusedInput {
  readonly platform: string;
  readonly bot: string;
  readonly eventId: string;
  /** Half a sentence. */
  readonly reason: string;
  /** JSON as received; kept only where core knows who sent it and lets them talk. */
  readonly raw: string;
  /** Whose it seems to be, where that much can be read. */
  readonly from?: { readonly by: Actor; readonly address: Address; readonly direct: boolean };
}

/** A network's eyes and hands. It has never heard of sessions, approvals or agents. */
export interface PlatformAdapter {
  readonly name: string;
  readonly limits: PlatformLimits;
  /** Resolves once connected; rejects when the platform cannot be reached. Twice: the same connection. Called outside any run. */
  start(events: PlatformEvents, signal: AbortSignal): Promise<void>;
  /** Resolves within 2 s; no event comes afterwards. Twice: harmless. */
  stop(): Promise<void>;
  /** Pure: splits a message into what single sends carry; called once a row. Nothing to say gives no part. */
  parts(message: OutboundMessage): readonly OutboundMessage[];
  /**
   * One call upstream, no waiting longer than 2 s before it; rejects with SendError only. `repeat`: an earlier call under this
   * key may have gone through; where the platform can be asked, its copy is looked for first and its id returned.
   */
  send(
    to: Address,
    part: OutboundMessage,
    options: { readonly key: string; readonly signal: AbortSignal; readonly repeat?: true },
  ): Promise<SentMessage>;
  /** Unchanged text is no error. Rejects with SendError only. */
  edit?(to: Address, messageId: string, part: OutboundMessage): Promise<void>;
  /** Best effort, never rejects. */
  typing?(to: Address): Promise<void>;
  react?(to: Address, messageId: string, mark: 'working' | 'done' | 'failed'): Promise<void>;
  /**
   * Writes what a person sent to the new file `path` and gives its bytes; leaves no half of it. Rejects with SendError: `size`
   * is a sentence for that person, `missing` says that only they can send it again, all else may be tried again.
   */
  fetch?(attachment: Attachment, path: string, signal: AbortSignal): Promise<number>;
  /** The direct chat with a person; rejects when there is none. */
  directAddress?(actor: Actor): Promise<Address>;
}

/** Small durable state of one platform (hashes, watermarks). Writes are committed when `set` returns. */
export interface KeyValue {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

export interface PlatformDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly state: KeyValue;
}

export interface Platform<C> {
  readonly name: string;
  readonly config: z.ZodType<C>;
  create(config: C, deps: PlatformDeps): PlatformAdapter;
}
