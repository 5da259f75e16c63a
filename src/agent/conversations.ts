import type { Clock } from '../contract/clock.ts';
import type { SessionId, TurnId } from '../contract/ids.ts';
import type { Store } from '../store/store.ts';
import type { MessageRow } from '../store/transcript.ts';

export interface ConversationsDeps {
  readonly store: Pick<Store, 'transcript'>;
  readonly clock: Clock;
  /** `sessions.memory_mb`, bytes: of all conversations together. */
  readonly bytes: () => number;
}

interface Kept {
  rows: readonly MessageRow[];
  turns: Set<TurnId>;
  /** Of the newest row that was looked at. */
  lastSeq: number;
  bytes: number;
  /** Older rows than these are left out. */
  cut: boolean;
  usedAt: number;
}

/** More than the windows of common models hold. Beyond it a conversation loses its oldest quarter, so that its beginning stays the same for long. */
const WINDOW_BYTES = 640 * 1024;
const KEPT_BYTES = (WINDOW_BYTES * 3) / 4;
const IDLE_MS = 600_000;
const LOOK_MS = 60_000;
const ROW_BYTES = 300;

const LEFT_OUT = 'Earlier messages of this conversation are left out here: it is longer than what a model can be sent.';

/**
 * What was said in a session, newest part first read, kept in memory while people talk. Rows of the turn that is asked for are
 * always read anew; those of earlier turns change seldom, and what changes is forgotten.
 */
export class Conversations {
  readonly #deps: ConversationsDeps;
  /** The longest unused first. */
  readonly #kept = new Map<SessionId, Kept>();
  #bytes = 0;
  #cancel: (() => void) | undefined;

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
    deps.store.transcript.watch((turn) => this.#changed(turn));
  }

  /** Bytes in memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All rows a model may be sent, this turn's included, oldest first. */
  read(session: SessionId, turn: TurnId): readonly MessageRow[] {
    const { transcript } = this.#deps.store;
    if (this.#kept.get(session)?.turns.has(turn)) this.forget(session);
    const known = this.#kept.get(session);
    const start = known ?? this.#begin(session, turn);
    const fresh = transcript.after(session, start.lastSeq);
    const current = fresh.findIndex((row) => row.turn === turn);
    const kept = this.#grow(session, start, current === -1 ? fresh : fresh.slice(0, current));
    const rest = current === -1 ? [] : fresh.slice(current);
    return [...opening(kept), ...kept.rows, ...rest];
  }

  forget(session: SessionId): void {
    this.#bytes -= this.#kept.get(session)?.bytes ?? 0;
    this.#kept.delete(session);
  }

  /** Memory is needed for something else. */
  empty(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #begin(session: SessionId, turn: TurnId): Kept {
    const { rows, cut } = this.#deps.store.transcript.newest(session, KEPT_BYTES);
    const current = rows.findIndex((row) => row.turn === turn);
    const earlier = current === -1 ? rows : rows.slice(0, current);
    const lastSeq = earlier.at(-1)?.seq ?? (rows[0]?.seq ?? 1) - 1;
    return { ...measured(earlier), lastSeq, cut, usedAt: 0 };
  }

  /** Takes rows of earlier turns in, and makes this the last used. */
  #grow(session: SessionId, before: Kept, more: readonly MessageRow[]): Kept {
    this.forget(session);
    const all = more.length === 0 ? before : { ...before, ...measured([...before.rows, ...more]) };
    const kept: Kept = {
      ...shortened(all),
      lastSeq: more.at(-1)?.seq ?? before.lastSeq,
      usedAt: this.#deps.clock.now(),
    };
    this.#kept.set(session, kept);
    this.#bytes += kept.bytes;
    for (const [oldest] of this.#kept) {
      if (this.#bytes <= this.#deps.bytes()) break;
      this.forget(oldest);
    }
    this.#arm();
    return kept;
  }

  #changed(turn: TurnId): void {
    for (const [session, { turns }] of [...this.#kept]) if (turns.has(turn)) this.forget(session);
  }

  #arm(): void {
    this.#cancel ??= this.#deps.clock.after(LOOK_MS, () => {
      this.#cancel = undefined;
      const now = this.#deps.clock.now();
      for (const [session, { usedAt }] of [...this.#kept]) if (now - usedAt >= IDLE_MS) this.forget(session);
      if (this.#kept.size > 0) this.#arm();
    });
  }
}

function measured(rows: readonly MessageRow[]): Pick<Kept, 'rows' | 'turns' | 'bytes'> {
  return {
    rows,
    turns: new Set(rows.map((row) => row.turn)),
    bytes: rows.reduce((sum, row) => sum + rowBytes(row), 0),
  };
}

/** Too long: whole turns go, the oldest first, until a quarter of the window is free. */
function shortened(kept: Kept): Kept {
  if (kept.bytes <= WINDOW_BYTES) return kept;
  let left = kept.bytes;
  let first = 0;
  while (left > KEPT_BYTES && first < kept.rows.length - 1) left -= rowBytes(kept.rows[first++] as MessageRow);
  while (first < kept.rows.length && kept.rows[first]?.turn === kept.rows[first - 1]?.turn) first++;
  return { ...kept, ...measured(kept.rows.slice(first)), cut: true };
}

/** About what a row takes in memory and in a request. */
function rowBytes({ content, calls }: Pick<MessageRow, 'content' | 'calls'>): number {
  return calls.reduce(
    (sum, { raw, result }) => sum + ROW_BYTES + raw.length + (result?.length ?? 0),
    ROW_BYTES + content.length,
  );
}

/** Says to the model that this is not the beginning. */
function opening({ rows, cut }: Kept): readonly MessageRow[] {
  const [first] = rows;
  if (!cut || !first) return [];
  return [
    {
      ...first,
      seq: 0,
      step: 0,
      role: 'user',
      content: LEFT_OUT,
      mark: 'daemon',
      model: null,
      keep: undefined,
      calls: [],
    },
  ];
}
