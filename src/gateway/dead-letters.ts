import type { Clock } from '../contract/clock.ts';
import type { Log } from '../contract/log.ts';
import type { Address } from '../contract/message.ts';
import type { Place } from '../store/homes.ts';
import type { OutboxKind, OutboxRow } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { homes } from './home-places.ts';

export interface DeadLetterDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly time: (at: number) => string;
  /** `home.<platform>` of the configuration. */
  readonly homes: () => Readonly<Record<string, string>>;
  readonly wake: () => void;
}

const RETRY_MS = 30_000;

/** Tells people of messages that could not be delivered. What nobody could be told of heads the next answer to that person. */
export class DeadLetters {
  readonly #deps: DeadLetterDeps;
  #armed = false;

  constructor(deps: DeadLetterDeps) {
    this.#deps = deps;
  }

  /** Dead rows may wait to be told of: look soon. Those of one moment become one sentence a person. Never throws. */
  look(ms = 0): void {
    if (this.#armed) return;
    this.#armed = true;
    this.#deps.clock.after(ms, () => {
      this.#armed = false;
      this.#tell();
    });
  }

  #tell(): void {
    const { store, log, wake } = this.#deps;
    try {
      store.tx(() => {
        const groups = Map.groupBy(store.outbox.untold(), (row) => row.person ?? '');
        for (const [person, rows] of groups) this.#tellOf(person, rows);
      });
      wake();
    } catch (error) {
      log.error({ error }, 'people could not be told of undelivered messages; it is tried again');
      this.look(RETRY_MS);
    }
  }

  #tellOf(person: string, rows: readonly OutboxRow[]): void {
    const { store, clock, time } = this.#deps;
    const place = this.#placeFor(person, rows);
    const [oldest] = rows;
    if (!place || !oldest) return;
    const key = `dead:${oldest.id}`;
    const message = { text: letterText(rows, time) };
    const now = clock.now();
    store.outbox.put({ key, kind: 'notice', ...place, message, ...(person === '' ? {} : { person }) }, now);
    store.outbox.told(
      rows.map(({ id }) => id),
      now,
    );
  }

  /** A chat of the person's own, else a home; never where one of these messages could not go. */
  #placeFor(person: string, rows: readonly OutboxRow[]): Place | undefined {
    const { store } = this.#deps;
    const failed = rows.map(({ address }) => address);
    const own = person === '' ? [] : store.homes.directOf(person);
    const others = homes(store, this.#deps.homes()).filter(({ address }) =>
      failed.every(({ platform }) => platform !== address.platform),
    );
    const same = homes(store, this.#deps.homes());
    return [...own, ...others, ...same].find(({ address }) => open(store, address, failed));
  }
}

function open(store: Store, address: Address, failed: readonly Address[]): boolean {
  return !store.reach.isGone(address) && !failed.some((one) => sameChat(one, address));
}

function sameChat(a: Address, b: Address): boolean {
  return a.platform === b.platform && a.chat === b.chat;
}

const WHAT: Readonly<Record<OutboxKind, string>> = {
  final: 'An answer',
  card: 'A question',
  job: 'The output of a job',
  notice: 'A message',
  preview: 'A message',
  progress: 'A message',
};

/** One sentence about messages that could not be delivered, oldest first. */
export function letterText(rows: readonly OutboxRow[], time: (at: number) => string): string {
  const [oldest] = rows;
  if (!oldest) return '';
  const reason = (oldest.error ?? 'unknown').replace(/\.$/, '');
  const at = time(oldest.createdAt);
  if (rows.length === 1)
    return `${WHAT[oldest.kind]} of ${at} could not be delivered: ${reason}. /status undelivered shows it.`;
  return `${rows.length} messages, the first of ${at}, could not be delivered: ${reason}. /status undelivered shows them.`;
}

/** What heads the next message to a person whom nobody could tell otherwise; marks it told. Call it inside a transaction. */
export function letterHead(store: Store, person: string, now: number, time: (at: number) => string): string {
  const rows = store.outbox.untold(person);
  store.outbox.told(
    rows.map(({ id }) => id),
    now,
  );
  return letterText(rows, time);
}
