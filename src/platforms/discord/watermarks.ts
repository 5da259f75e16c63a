import type { Clock } from '../../contract/clock.ts';
import type { KeyValue } from '../../contract/platform.ts';
import { before, compareIds, isId } from './place.ts';

const STATE = 'watermarks';
const MAX_MARKS = 500;
/** Being behind costs a request and nothing else: what was stored once is recognised. */
const WRITE_AFTER_MS = 2_000;

export interface Mark {
  readonly channel: string;
  readonly guild?: string;
  /** The newest message that needs no second look. */
  readonly last: string;
  /** Something said there has been told; others are only known to exist. */
  readonly used?: true;
}

/** Up to where each channel has been heard and stored. Never ahead of the truth, over restarts neither. */
export class Watermarks {
  readonly #state: KeyValue;
  readonly #clock: Clock;
  readonly #marks: Map<string, Mark>;
  readonly #gaps = new Set<string>();
  #cancelWrite: (() => void) | undefined;

  constructor(state: KeyValue, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
    this.#marks = new Map(stored(state.get(STATE)).map((mark) => [mark.channel, mark]));
  }

  get(channel: string): Mark | undefined {
    return this.#marks.get(channel);
  }

  /** Newest first. */
  all(): readonly Mark[] {
    return [...this.#marks.values()].sort((a, b) => compareIds(b.last, a.last));
  }

  /** A channel as it was when we first saw it: nothing before that is ours. */
  seed(mark: Mark): void {
    if (!this.#marks.has(mark.channel)) this.#set(mark);
  }

  /** Before the first event of a channel: from here on nothing may get lost, whatever happens to us. Throws as the state does. */
  begin(channel: string, guild: string | undefined, message: string): void {
    const mark = this.#marks.get(channel);
    if (mark?.used) return;
    const fresh = { channel, last: before(message), ...(guild === undefined ? {} : { guild }) };
    this.#set({ ...(mark ?? fresh), used: true });
    this.write();
  }

  /** Everything up to this message is stored, or means nothing. */
  advance(channel: string, guild: string | undefined, message: string): void {
    const mark = this.#marks.get(channel) ?? {
      channel,
      last: before(message),
      ...(guild === undefined ? {} : { guild }),
    };
    if (this.#gaps.has(channel) || compareIds(message, mark.last) <= 0) return;
    this.#set({ ...mark, last: message });
  }

  /** What lies behind the mark could not be looked at yet: it stays where it is until `close`. */
  open(channel: string): void {
    this.#gaps.add(channel);
  }

  close(channel: string): void {
    this.#gaps.delete(channel);
  }

  forget(channel: string): void {
    this.#gaps.delete(channel);
    if (this.#marks.delete(channel)) this.#writeSoon();
  }

  /** Throws as the state does. */
  write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#state.set(STATE, JSON.stringify(this.all()));
  }

  /** Writes what is still to be written. Never throws: at worst the next start looks twice. */
  end(): void {
    if (!this.#cancelWrite) return;
    try {
      this.write();
    } catch {
      // The store is closed or full; see above.
    }
  }

  #set(mark: Mark): void {
    this.#marks.set(mark.channel, mark);
    if (this.#marks.size > MAX_MARKS) this.#dropOldest();
    this.#writeSoon();
  }

  /** Places where people talked to us go last. */
  #dropOldest(): void {
    const marks = this.all();
    const oldest = marks.findLast(({ used }) => !used) ?? marks.at(-1);
    if (oldest) this.#marks.delete(oldest.channel);
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#clock.after(WRITE_AFTER_MS, () => this.end());
  }
}

function stored(json: string | undefined): readonly Mark[] {
  try {
    const marks: unknown = JSON.parse(json ?? '[]');
    if (!Array.isArray(marks)) return [];
    return marks.filter((mark: Partial<Mark> | null): mark is Mark => isId(mark?.channel) && isId(mark?.last));
  } catch {
    return [];
  }
}
