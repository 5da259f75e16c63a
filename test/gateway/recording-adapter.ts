import { SendError, type SendFailure } from '../../src/contract/errors.ts';
import type { Address, OutboundMessage, SentMessage } from '../../src/contract/message.ts';
import type { PlatformAdapter, PlatformLimits } from '../../src/contract/platform.ts';

export interface Call {
  readonly kind: 'send' | 'edit';
  readonly to: Address;
  readonly part: OutboundMessage;
  /** Of a send. */
  readonly key?: string;
  /** Of an edit. */
  readonly messageId?: string;
}

const LIMITS: PlatformLimits = {
  maxText: 20,
  maxParts: 4,
  maxButtonData: 64,
  buttons: true,
  edit: true,
  threads: true,
  forms: false,
  typingMs: 5_000,
  editEveryMs: { direct: 1_000, group: 3_000 },
  idempotency: null,
  rate: { botPerSecond: 1_000, direct: { burst: 1_000, everyMs: 1 }, group: { burst: 1_000, everyMs: 1 } },
};

/** A platform in memory: keeps every call and what each chat shows. `answer` may wait, or throw what `fails` makes. */
export class RecordingAdapter implements PlatformAdapter {
  readonly name: string;
  readonly limits: PlatformLimits;
  readonly calls: Call[] = [];
  readonly typed: string[] = [];
  /** How often a message was split into parts. */
  rendered = 0;
  /** Most calls that were in flight at once, by chat. */
  readonly overlap = new Map<string, number>();
  answer: (call: Call) => void | Promise<void> = () => {};
  readonly #shown = new Map<string, Map<string, string>>();
  readonly #inFlight = new Map<string, number>();
  #ids = 0;

  constructor(name = 'telegram', limits: Partial<PlatformLimits> = {}) {
    this.name = name;
    this.limits = { ...LIMITS, ...limits };
  }

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  parts({ text, buttons, files, ...rest }: OutboundMessage): readonly OutboundMessage[] {
    this.rendered++;
    if (text.trim() === '') return [];
    const { maxText, maxParts } = this.limits;
    const pieces = text.match(new RegExp(`[^]{1,${maxText}}`, 'g')) ?? [];
    if (pieces.length > maxParts) return [{ ...rest, text: pieces[0] as string, files: [{ name: 'answer.md', text }] }];
    return pieces.map((piece, i) => {
      const last = i === pieces.length - 1;
      return { ...rest, text: piece, ...(last && buttons ? { buttons } : {}), ...(last && files ? { files } : {}) };
    });
  }

  async send(to: Address, part: OutboundMessage, { key }: { key: string; signal: AbortSignal }): Promise<SentMessage> {
    await this.#call({ kind: 'send', to, part, key });
    const messageId = `m${++this.#ids}`;
    this.#chat(to.chat).set(messageId, part.text);
    return { messageId, at: to };
  }

  async edit(to: Address, messageId: string, part: OutboundMessage): Promise<void> {
    await this.#call({ kind: 'edit', to, part, messageId });
    this.#chat(to.chat).set(messageId, part.text);
  }

  async typing(to: Address): Promise<void> {
    this.typed.push(to.chat);
  }

  /** What a person sees in a chat, oldest first. */
  shown(chat: string): readonly string[] {
    return [...this.#chat(chat).values()];
  }

  /** `send Hello`, `edit Hello you`: the calls so far. */
  get log(): readonly string[] {
    return this.calls.map(({ kind, part }) => `${kind} ${part.text}`);
  }

  #chat(chat: string): Map<string, string> {
    const there = this.#shown.get(chat) ?? new Map<string, string>();
    this.#shown.set(chat, there);
    return there;
  }

  async #call(call: Call): Promise<void> {
    const { chat } = call.to;
    const now = (this.#inFlight.get(chat) ?? 0) + 1;
    this.#inFlight.set(chat, now);
    this.overlap.set(chat, Math.max(now, this.overlap.get(chat) ?? 0));
    this.calls.push(call);
    try {
      await this.answer(call);
    } finally {
      this.#inFlight.set(chat, (this.#inFlight.get(chat) ?? 1) - 1);
    }
  }
}

export function fails(failure: SendFailure | Exclude<SendFailure['kind'], 'wait' | 'moved'>): never {
  throw new SendError(typeof failure === 'string' ? { kind: failure } : failure, 'the platform said no');
}

/** A promise that a test settles: a call that takes as long as it likes. */
export function door(): { readonly wait: Promise<void>; open: () => void } {
  let open: () => void = () => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}
