import { outsideRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { Address, Inbound, InboundMessage, PrivateReply } from '../contract/message.ts';
import type { PlatformAdapter, PlatformEvents } from '../contract/platform.ts';
import type { Place } from '../store/homes.ts';
import type { AccessVerdict } from './access.ts';

export const STORE_TEXT =
  'I cannot read my database, so I did not keep your message. The operator must run hermod doctor. Please send it again later.';

export interface StoreTroubleDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly judge: (event: Pick<Inbound, 'by' | 'address' | 'direct'>) => AccessVerdict;
  /** Writes down that these chats are to read `AGAIN_TEXT`; throws as long as nothing can be written. Absent: nothing will be. */
  readonly recovered?: (places: readonly Place[]) => void;
}

export const AGAIN_TEXT =
  'I can keep messages again. What stays without an answer I did not get: please send it again.';

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;

const QUIET_MS = 600_000;
const MOST_CHATS = 10_000;
const SEND_MS = 10_000;

/**
 * Tells people that nothing can be kept: the one direct send in the program, once a chat in ten minutes. What could not be
 * stored is not acknowledged, so the platform keeps it.
 */
export class StoreTrouble {
  readonly #deps: StoreTroubleDeps;
  readonly #told = new Map<string, number>();
  /** Whom the end of this trouble concerns. */
  #waiting: Place[] = [];

  constructor(deps: StoreTroubleDeps) {
    this.#deps = deps;
  }

  /** The ears of an adapter that also tell the person when what they said could not be stored. */
  guard(events: PlatformEvents, adapter: PlatformAdapter): PlatformEvents {
    const told = (event: InboundMessage, error: unknown) => {
      if (event.direct || event.mentionsBot) outsideRun(() => this.#tell(adapter, event, error));
    };
    return {
      ...events,
      message: (message) =>
        events.message(message).catch((error) => {
          told(message, error);
          throw error;
        }),
      press: (press) => events.press(press).catch((error) => this.#answered(error, press)),
      form: (form) => events.form(form).catch((error) => this.#answered(error, form)),
    };
  }

  /** A press has its answer in private; it counts for nothing and may be repeated. */
  #answered(error: unknown, event: Inbound): PrivateReply | undefined {
    this.#deps.log.error({ error }, 'a press could not be stored');
    return this.#deps.judge(event).kind === 'allow' ? { text: STORE_TEXT } : undefined;
  }

  #tell(adapter: PlatformAdapter, event: Inbound, error: unknown): void {
    const { clock, log, judge } = this.#deps;
    const now = clock.now();
    if (judge(event).kind !== 'allow' || !this.#due(event.address, now)) return;
    log.error({ platform: adapter.name, error }, 'a message could not be stored; its platform keeps it');
    this.#await({ address: event.address, direct: event.direct });
    const stop = new AbortController();
    const cancel = clock.after(SEND_MS, () => stop.abort('late'));
    void adapter
      .send(event.address, { text: STORE_TEXT }, { key: `store:${event.eventId}`, signal: stop.signal })
      .catch((cause) => log.warn({ platform: adapter.name, error: cause }, 'nobody could be told that nothing is kept'))
      .finally(cancel);
  }

  /** Tries to write, again and again, until it works; then whoever was told is told. */
  #await(place: Place): void {
    if (!this.#deps.recovered) return;
    this.#waiting.push(place);
    if (this.#waiting.length === 1) this.#later(RETRY_MS);
  }

  #later(ms: number): void {
    this.#deps.clock.after(ms, () => {
      try {
        this.#deps.recovered?.(this.#waiting);
        this.#waiting = [];
      } catch {
        this.#later(Math.min(2 * ms, RETRY_MAX_MS));
      }
    });
  }

  #due({ platform, bot, chat }: Address, now: number): boolean {
    const key = JSON.stringify([platform, bot, chat]);
    if (now - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return false;
    if (this.#told.size >= MOST_CHATS) this.#told.delete(this.#told.keys().next().value as string);
    this.#told.set(key, now);
    return true;
  }
}
