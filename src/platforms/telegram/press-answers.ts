import type { Clock } from '../../contract/clock.ts';
import type { Log } from '../../contract/log.ts';
import type { PrivateReply } from '../../contract/message.ts';
import type { BotClient } from './bot-client.ts';
import { TelegramError } from './failure.ts';
import { clipped } from './keyboard.ts';
import { MAX_PRESS_ANSWER } from './limits.ts';

const PATIENCE_MS = 1_000;
const REMEMBERED = 1_000;

/** Answers each press exactly once: with the decision's words, or empty when they take longer than a second. */
export class PressAnswers {
  readonly #client: BotClient;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #answered = new Set<string>();

  constructor(client: BotClient, clock: Clock, log: Log) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts the second for one press; the decision settles it. A press that was not stored stays unanswered: it comes again. */
  follow(query: string, decided: Promise<PrivateReply | undefined>): void {
    const cancel = this.#clock.after(PATIENCE_MS, () => this.answer(query));
    decided.then(
      (reply) => {
        cancel();
        this.answer(query, reply?.text);
      },
      () => cancel(),
    );
  }

  answer(query: string, text?: string): void {
    if (this.#answered.has(query)) return;
    this.#remember(query);
    const payload = { callback_query_id: query, ...(text ? { text: clipped(text, MAX_PRESS_ANSWER) } : {}) };
    this.#client.call('answerCallbackQuery', payload, { beside: true }).catch((error: unknown) => {
      if (error instanceof TelegramError && error.reason === 'old_query') return;
      this.#log.debug(
        { platform: 'telegram', error: String(error) },
        'A press could not be answered; it was decided all the same.',
      );
    });
  }

  #remember(query: string): void {
    this.#answered.add(query);
    const oldest = this.#answered.values().next().value;
    if (this.#answered.size > REMEMBERED && oldest !== undefined) this.#answered.delete(oldest);
  }
}
