import { plain } from '../approvals/markdown.ts';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { Address, Inbound } from '../contract/message.ts';
import type { RefusedInput } from '../contract/platform.ts';
import type { OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import type { AccessVerdict } from './access.ts';
import { homes } from './home-places.ts';
import { movedKey } from './session-key.ts';

export interface Refusal {
  /** What was given up with it. */
  readonly dead: readonly OutboxRow[];
  /** It was not known before. */
  readonly news: boolean;
}

/** A chat refuses us: whatever waits for it is dead at once, and it is marked. Call it inside a transaction. */
export function chatGone(store: Store, address: Address, why: string, now: number): Refusal {
  return { dead: store.outbox.drop(address, why), news: store.reach.mark(address, why, now) };
}

/** A chat has a new id: everything that is kept points there from now on. Call it inside a transaction. */
export function chatMoved(store: Store, from: Address, to: Address, now: number): void {
  const move = { platform: from.platform, from: from.chat, to: to.chat };
  store.moves.apply(move, now, (key) => movedKey(key, from.chat, to.chat));
}

export interface ChatNewsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly judge: (event: Pick<Inbound, 'by' | 'address' | 'direct'>) => AccessVerdict;
  /** `home.<platform>` of the configuration. */
  readonly homes: () => Readonly<Record<string, string>>;
  /** Rows that were given up; called after the commit. */
  readonly gaveUp: (rows: readonly OutboxRow[]) => void;
  readonly wake: () => void;
}

const HOUR_MS = 3_600_000;

/** What networks tell of chats rather than of people's words. */
export class ChatNews {
  readonly #deps: ChatNewsDeps;

  constructor(deps: ChatNewsDeps) {
    this.#deps = deps;
  }

  reach(address: Address, reachable: boolean): void {
    const { store, clock, log, gaveUp } = this.#deps;
    const { platform, chat, thread } = address;
    log.info({ platform, chat, ...(thread !== undefined && { thread }), reachable }, 'a chat changed its reach');
    // Of a thread the chat around it is left: what waits for the thread goes there.
    if (thread !== undefined && !reachable) return;
    const dead = store.tx(() => {
      if (!reachable) return chatGone(store, address, 'The chat no longer takes messages.', clock.now()).dead;
      store.reach.clear(address);
      return [];
    });
    if (dead.length > 0) gaveUp(dead);
  }

  /** Kept as it came only of those who may talk; the home chat hears that something was not understood, once an hour. */
  unreadable({ from, raw, ...input }: RefusedInput): void {
    const { store, clock, wake, homes: configured } = this.#deps;
    const now = clock.now();
    const known = from !== undefined && this.#deps.judge(from).kind === 'allow';
    store.tx(() => {
      if (!store.inbox.putRefused({ ...input, raw: known ? raw : undefined }, now)) return;
      const [home] = known ? homes(store, configured(), input.platform) : [];
      if (!home) return;
      const text = `Somebody sent me something on ${input.platform} that I could not read: ${plain(input.reason)}. The log knows more.`;
      const key = `unreadable:${input.platform}:${Math.floor(now / HOUR_MS)}`;
      store.outbox.put({ key, kind: 'notice', ...home, message: { text } }, now);
    });
    wake();
  }

  moved(from: Address, to: Address): void {
    const { store, clock, log, wake } = this.#deps;
    log.info({ platform: from.platform, from: from.chat, to: to.chat }, 'a chat moved');
    store.tx(() => chatMoved(store, from, to, clock.now()));
    wake();
  }
}
