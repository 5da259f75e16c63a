import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { InboundMessage } from '../../contract/message.ts';
import type { PlatformEvents } from '../../contract/platform.ts';
import { conversationAddress, OPERATOR, readCommand } from './conversation.ts';
import type { WebMessage, WebMessages } from './messages.ts';

const RETRY_MS = [1_000, 2_000, 5_000, 15_000, 30_000];

export interface Intake {
  /** Offers a conversation's untaken messages, in order. Resolves when all are taken or one was refused; never rejects. */
  offer(conversation: string): Promise<void>;
  /** Offers everything an earlier process left. */
  offerAll(): void;
  /** No event after this resolves. */
  stop(): Promise<void>;
}

/** Hands the person's rows to core until core has them: one conversation in order, several side by side. */
export function createIntake(deps: {
  readonly messages: WebMessages;
  readonly events: PlatformEvents;
  readonly clock: Clock;
  readonly log: Log;
}): Intake {
  const running = new Map<string, Promise<void>>();
  const retries = new Map<string, () => void>();
  const failures = new Map<string, number>();
  let stopped = false;

  async function handOver(conversation: string): Promise<void> {
    for (let next = first(conversation); next && !stopped; next = first(conversation)) {
      await deps.events.message(inbound(next));
      deps.messages.taken(next.id, deps.clock.now());
      failures.delete(conversation);
    }
  }

  const first = (conversation: string) => deps.messages.untaken(conversation)[0];

  function retry(conversation: string, error: unknown): void {
    const failed = failures.get(conversation) ?? 0;
    failures.set(conversation, failed + 1);
    const wait = RETRY_MS[Math.min(failed, RETRY_MS.length - 1)] as number;
    deps.log.warn(
      { conversation, err: error, wait },
      'A message of the page was not stored; it is kept and offered again.',
    );
    retries.get(conversation)?.();
    retries.set(
      conversation,
      deps.clock.after(wait, () => void offer(conversation)),
    );
  }

  function offer(conversation: string): Promise<void> {
    const before = running.get(conversation) ?? Promise.resolve();
    const mine = before.then(async () => {
      if (stopped) return;
      await handOver(conversation).catch((error: unknown) => {
        if (!stopped) retry(conversation, error);
      });
    });
    running.set(conversation, mine);
    return mine.finally(() => {
      if (running.get(conversation) === mine) running.delete(conversation);
    });
  }

  return {
    offer,
    offerAll() {
      for (const conversation of new Set(deps.messages.untaken().map((message) => message.conversation)))
        void offer(conversation);
    },
    async stop() {
      stopped = true;
      for (const cancel of retries.values()) cancel();
      await Promise.all(running.values());
    },
  };
}

function inbound(message: WebMessage): InboundMessage {
  const command = readCommand(message.text);
  return {
    eventId: `m:${message.id}`,
    messageId: message.id,
    by: OPERATOR,
    address: conversationAddress(message.conversation),
    direct: true,
    sentAt: message.createdAt,
    text: message.text,
    ...(command && { command }),
    attachments: [],
    mentionsBot: true,
  };
}
