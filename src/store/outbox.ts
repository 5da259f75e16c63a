import { newId, type OutboxId, type TurnId } from '../contract/ids.ts';
import type { Address, OutboundMessage, SentMessage } from '../contract/message.ts';
import type { Db } from './open.ts';
import type { Chat } from './penalties.ts';

export type OutboxKind = 'final' | 'card' | 'notice' | 'job' | 'preview' | 'progress';
export type OutboxState = 'pending' | 'sending' | 'sent' | 'ambiguous' | 'held' | 'dead' | 'superseded' | 'cancelled';

export interface OutboxPut {
  /** Unique for ever: the second put of one key changes nothing. */
  readonly key: string;
  readonly kind: OutboxKind;
  readonly address: Address;
  readonly direct: boolean;
  readonly message: OutboundMessage;
  readonly turn?: TurnId;
  /** Key of the row whose message this one replaces. Sent: its message is edited; never sent: this goes out in its place. */
  readonly edits?: string;
  /** Not sent after this, UTC ms. */
  readonly expiresAt?: number;
  /** It is one part already: not split again. */
  readonly whole?: true;
  /** Whom it is for, `platform:id`; absent: the requester of its turn, if it has one. */
  readonly person?: string;
}

export interface OutboxRow extends OutboxPut {
  readonly seq: number;
  readonly id: OutboxId;
  readonly state: OutboxState;
  /** `seq` of its first part; null: it is the first. */
  readonly base: number | null;
  /** 0-based place among `parts`; null: not split yet. */
  readonly part: number | null;
  readonly parts: number | null;
  readonly attempts: number;
  readonly dueAt: number;
  readonly error: string | null;
  readonly messageId: string | null;
  /** Where it went, or where it is to go since its chat moved or its topic is gone. */
  readonly sentTo: Address | null;
  /** It is a smaller form already. */
  readonly smaller: boolean;
  readonly createdAt: number;
}

/** Everything that goes out. Rows of one address leave in order; only a platform's id proves delivery. */
export interface Outbox {
  /** Returns null when the key exists. Call inside the transaction of what it tells. */
  put(row: OutboxPut, now: number): OutboxRow | null;
  get(key: string): OutboxRow | undefined;
  /**
   * The oldest waiting row of every chat of a platform, whether due or not, highest kind first. A chat with a row in
   * `sending` has none: one call a chat at a time.
   */
  heads(platform: string): readonly OutboxRow[];
  /** Whether a row that waits replaces this one: then this one need not leave at all. */
  replaced(row: OutboxRow): boolean;
  /** Replaces an unsplit row by its parts (`key`, then `key#1`, `key#2` ...). No parts: the row is done, nothing to say. */
  split(row: OutboxRow, parts: readonly OutboundMessage[]): void;
  /** Compare-and-set to `sending`, counting the attempt; false: somebody else took it or it is no longer wanted. */
  claim(id: OutboxId): boolean;
  sent(id: OutboxId, sent: SentMessage, now: number): void;
  /** Back to waiting. `ambiguous`: it may have arrived. `free` takes the attempt back (a limit refused it). */
  retry(id: OutboxId, dueAt: number, error: string, how: 'pending' | 'ambiguous', free: boolean): void;
  /** Ends a row that is not sent. */
  close(id: OutboxId, state: 'dead' | 'superseded' | 'cancelled', error?: string): void;
  /** The row and its later parts wait for `release`. */
  hold(id: OutboxId, error: string): void;
  /** The message of this row is gone upstream: nothing may try to edit it any more. */
  forget(key: string): void;
  /** Held rows of a platform wait again: it is back. Those written before `notBefore` are dead. Call inside a transaction. */
  release(platform: string, now: number, notBefore: number): void;
  /** This row goes somewhere else; its other parts go there too. */
  moveTo(id: OutboxId, address: Address, dueAt: number): void;
  /** Other words for a part that waits. */
  rewrite(id: OutboxId, message: OutboundMessage): void;
  /** Another message in a row that waits and is one part at most; it is split again. */
  reword(id: OutboxId, message: OutboundMessage): void;
  /** Puts smaller pieces in the place of a row, which is waiting again. `how` as in `retry`. */
  shrink(row: OutboxRow, pieces: readonly OutboundMessage[], dueAt: number, how: 'pending' | 'ambiguous'): void;
  /** The chat refuses us: all that waits for it is dead. Returns those rows. */
  drop(chat: Chat, error: string): readonly OutboxRow[];
  /** What has waited since before `before` is dead, on every platform. Returns those rows. */
  expire(before: number): readonly OutboxRow[];
  /** Dead letters nobody has been told of, oldest first. Of one person, or of everybody. */
  untold(person?: string): readonly OutboxRow[];
  told(ids: readonly OutboxId[], now: number): void;
  /** Dead letters, newest first. Of one person, or of everybody. */
  dead(person: string | undefined, limit: number): readonly OutboxRow[];
  /** A final of a later turn of the same session has been sent. */
  overtaken(turn: TurnId): boolean;
  /** No final, preview or progress of a stopped turn leaves any more. */
  cancelTurn(turn: TurnId): void;
  /** A turn ends: previews and progress that still wait have nothing left to say. */
  dropLive(turn: TurnId): void;
  /** Rows a dead boot was sending: nobody knows whether they arrived. Returns how many. Call inside a transaction. */
  recover(now: number): number;
  counts(): Readonly<Record<string, number>>;
}

interface Row {
  seq: number;
  id: string;
  key: string;
  kind: OutboxKind;
  address: string;
  direct: number;
  turn: string | null;
  base: number | null;
  part: number | null;
  parts: number | null;
  body: string;
  edits: string | null;
  state: OutboxState;
  attempts: number;
  due_at: number;
  expires_at: number | null;
  error: string | null;
  message_id: string | null;
  sent_to: string | null;
  person: string | null;
  smaller: number;
  created_at: number;
}

function read(row: Row): OutboxRow {
  return {
    seq: row.seq,
    id: row.id as OutboxId,
    key: row.key,
    kind: row.kind,
    address: JSON.parse(row.address) as Address,
    direct: row.direct === 1,
    message: JSON.parse(row.body) as OutboundMessage,
    ...(row.turn === null ? {} : { turn: row.turn as TurnId }),
    ...(row.edits === null ? {} : { edits: row.edits }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.person === null ? {} : { person: row.person }),
    state: row.state,
    base: row.base,
    part: row.part,
    parts: row.parts,
    attempts: row.attempts,
    dueAt: row.due_at,
    error: row.error,
    messageId: row.message_id,
    sentTo: row.sent_to === null ? null : (JSON.parse(row.sent_to) as Address),
    smaller: row.smaller === 1,
    createdAt: row.created_at,
  };
}

// Words of the partial index `outbox_waiting`.
const WAITING = `state IN ('pending', 'ambiguous', 'sending')`;
// What a dead process was sending is repeated this long after the boot: its request can only still be in the hands of the
// platform, and everything said in that chat since waits behind it.
const AMBIGUOUS_MS = 5_000;
// A card or final never waits behind progress of its own chat.
const RANK = `CASE kind WHEN 'final' THEN 0 WHEN 'card' THEN 0 WHEN 'notice' THEN 1 WHEN 'job' THEN 1 ELSE 2 END`;

const REQUESTER = `(SELECT json_extract(actor, '$.platform') || ':' || json_extract(actor, '$.id') FROM turns WHERE id = @turn)`;
// Of an approval the broker tells what became of it; of a letter about letters nobody is told.
const LETTERS = `state = 'dead' AND kind NOT IN ('preview', 'progress') AND NOT (kind = 'card' AND edits IS NOT NULL) AND key NOT LIKE 'card%' AND key NOT LIKE 'dead:%' AND key NOT LIKE 'pair:%'`;

// A pairing code is nobody's business any more once it was said, or will not be said.
const SPENT = `iif(key LIKE 'pair:%', '{"text":"(a pairing code)"}', body)`;

interface Place {
  readonly base: number | null;
  readonly part: number | null;
  readonly parts: number | null;
}

const UNSPLIT: Place = { base: null, part: null, parts: null };
const WHOLE: Place = { base: null, part: 0, parts: 1 };

export function createOutbox(db: Db): Outbox {
  const insert = db.prepare(`
    INSERT INTO outbox (id, key, kind, platform, bot, chat, address, direct, turn, person, base, part, parts, body, edits, smaller, state, due_at, expires_at, created_at)
    VALUES (@id, @key, @kind, @platform, @bot, @chat, @address, @direct, @turn, coalesce(@person, ${REQUESTER}), @base, @part, @parts, @body, @edits, @smaller, 'pending', @due, @expires, @created)
    ON CONFLICT (key) DO NOTHING`);
  const byKey = db.prepare<[string], Row>('SELECT * FROM outbox WHERE key = ?');
  const heads = db.prepare<[string], Row>(`
    SELECT * FROM (
      SELECT *, ROW_NUMBER() OVER (PARTITION BY bot, chat ORDER BY state = 'sending' DESC, ${RANK}, coalesce(base, seq), part) AS place
      FROM outbox WHERE platform = ? AND ${WAITING})
    WHERE place = 1 AND state <> 'sending' ORDER BY ${RANK}, seq`);
  const replaced = db.prepare(`SELECT 1 FROM outbox WHERE edits IN (?, ?) AND ${WAITING}`);
  const claim = db.prepare(
    `UPDATE outbox SET state = 'sending', attempts = attempts + 1 WHERE id = ? AND state IN ('pending', 'ambiguous')`,
  );
  const sent = db.prepare(
    `UPDATE outbox SET state = 'sent', message_id = ?, sent_to = ?, sent_at = ?, error = NULL, body = ${SPENT} WHERE id = ?`,
  );
  const retry = db.prepare(`UPDATE outbox SET state = ?, due_at = ?, error = ?, attempts = attempts - ? WHERE id = ?`);
  const close = db.prepare(
    `UPDATE outbox SET state = ?, error = coalesce(?, error), body = ${SPENT} WHERE id = ? AND state <> 'sent'`,
  );
  const forget = db.prepare(`UPDATE outbox SET state = 'superseded' WHERE key = ?`);
  const hold = db.prepare(`
    UPDATE outbox SET state = 'held', error = ? WHERE id = ?
      OR (base = (SELECT coalesce(base, seq) FROM outbox WHERE id = ?) AND state IN ('pending', 'ambiguous'))`);
  const release = db.prepare(`UPDATE outbox SET state = 'pending', due_at = ? WHERE platform = ? AND state = 'held'`);
  const tooOld = db.prepare(
    `UPDATE outbox SET state = 'dead' WHERE platform = ? AND state = 'held' AND created_at < ?`,
  );
  const rewrite = db.prepare('UPDATE outbox SET body = ? WHERE id = ?');
  const reword = db.prepare('UPDATE outbox SET body = ?, part = NULL, parts = NULL WHERE id = ?');
  const shrunk = db.prepare('UPDATE outbox SET body = ?, smaller = 1, state = ?, due_at = ? WHERE id = ?');
  const shift = db.prepare('UPDATE outbox SET part = part + ? WHERE coalesce(base, seq) = ? AND part > ?');
  // Each of the two has an index of its own.
  const kill = (rows: string) =>
    [`${WAITING} AND state <> 'sending'`, `state = 'held'`].map((state) =>
      db.prepare<object, Row>(
        `UPDATE outbox SET state = 'dead', error = @error, body = ${SPENT} WHERE ${rows} AND ${state} RETURNING *`,
      ),
    );
  const drop = kill('platform = @platform AND bot = @bot AND chat = @chat');
  const expire = kill('created_at < @before');
  const killed = (statements: typeof drop, facts: object) => statements.flatMap((dies) => dies.all(facts).map(read));
  const untold = db.prepare<[], Row>(
    `SELECT * FROM outbox INDEXED BY outbox_dead WHERE ${LETTERS} AND told_at IS NULL ORDER BY seq`,
  );
  const untoldOf = db.prepare<[string], Row>(
    `SELECT * FROM outbox WHERE ${LETTERS} AND told_at IS NULL AND person = ? ORDER BY seq`,
  );
  const told = db.prepare('UPDATE outbox SET told_at = ? WHERE id = ?');
  const dead = db.prepare<[number], Row>(
    `SELECT * FROM outbox INDEXED BY outbox_dead WHERE ${LETTERS} ORDER BY seq DESC LIMIT ?`,
  );
  const deadOf = db.prepare<[string, number], Row>(
    `SELECT * FROM outbox WHERE ${LETTERS} AND person = ? ORDER BY seq DESC LIMIT ?`,
  );
  const overtaken = db.prepare<[string]>(`
    SELECT 1 FROM turns AS this JOIN turns AS later ON later.session = this.session AND later.rowid > this.rowid
      JOIN outbox ON outbox.turn = later.id AND outbox.kind = 'final' AND outbox.state = 'sent'
    WHERE this.id = ? LIMIT 1`);
  const first = db.prepare('UPDATE outbox SET body = ?, part = 0, parts = ? WHERE id = ?');
  const move = db.prepare(`
    UPDATE outbox SET bot = @bot, chat = @chat, address = @address, sent_to = @address, due_at = @due,
      state = CASE state WHEN 'sending' THEN 'pending' ELSE state END
    WHERE coalesce(base, seq) = (SELECT coalesce(base, seq) FROM outbox WHERE id = @id) AND ${WAITING}`);
  const cancel = db.prepare(
    `UPDATE outbox SET state = 'cancelled' WHERE turn = ? AND kind IN ('final', 'preview', 'progress') AND state IN ('pending', 'ambiguous', 'held')`,
  );
  const dropLive = db.prepare(
    `UPDATE outbox SET state = 'cancelled' WHERE turn = ? AND kind IN ('preview', 'progress') AND state IN ('pending', 'ambiguous', 'held')`,
  );
  const dropSending = db.prepare(
    `UPDATE outbox SET state = 'cancelled' WHERE state = 'sending' AND kind IN ('preview', 'progress')`,
  );
  // The same edit twice shows the same text.
  const repeatEdits = db.prepare(`
    UPDATE outbox SET state = 'pending', due_at = ? WHERE state = 'sending'
      AND EXISTS (SELECT 1 FROM outbox AS target WHERE target.key = outbox.edits AND target.state = 'sent')`);
  const recover = db.prepare(`UPDATE outbox SET state = 'ambiguous', due_at = ? WHERE state = 'sending'`);
  const counts = db.prepare<[], { state: string; n: number }>('SELECT state, count(*) AS n FROM outbox GROUP BY state');

  const put = (row: OutboxPut, dueAt: number, createdAt: number, place: Place, smaller = false): boolean =>
    insert.run({
      id: newId<OutboxId>(),
      key: row.key,
      kind: row.kind,
      platform: row.address.platform,
      bot: row.address.bot,
      chat: row.address.chat,
      address: JSON.stringify(row.address),
      direct: row.direct ? 1 : 0,
      turn: row.turn ?? null,
      person: row.person ?? null,
      ...place,
      smaller: smaller ? 1 : 0,
      body: JSON.stringify(row.message),
      edits: row.edits ?? null,
      due: dueAt,
      expires: row.expiresAt ?? null,
      created: createdAt,
    }).changes === 1;

  return {
    put(row, now) {
      return put(row, now, now, row.whole ? WHOLE : UNSPLIT) ? read(byKey.get(row.key) as Row) : null;
    },
    get(key) {
      const row = byKey.get(key);
      return row && read(row);
    },
    heads: (platform) => heads.all(platform).map(read),
    replaced: ({ key, part }) => replaced.get(key, part ? key.slice(0, key.lastIndexOf('#')) : key) !== undefined,
    split(row, parts) {
      const [head, ...rest] = parts;
      if (head === undefined) return void close.run('cancelled', 'nothing to say', row.id);
      first.run(JSON.stringify(head), parts.length, row.id);
      rest.forEach((message, i) => {
        const edits = row.edits === undefined ? {} : { edits: `${row.edits}#${i + 1}` };
        const place = { base: row.seq, part: i + 1, parts: parts.length };
        put({ ...row, ...edits, key: `${row.key}#${i + 1}`, message }, row.dueAt, row.createdAt, place);
      });
    },
    claim: (id) => claim.run(id).changes === 1,
    sent: (id, done, now) => void sent.run(done.messageId, JSON.stringify(done.at), now, id),
    retry: (id, dueAt, error, how, free) => void retry.run(how, dueAt, error, free ? 1 : 0, id),
    close: (id, state, error) => void close.run(state, error ?? null, id),
    hold: (id, error) => void hold.run(error, id, id),
    forget: (key) => void forget.run(key),
    release(platform, now, notBefore) {
      tooOld.run(platform, notBefore);
      release.run(now, platform);
    },
    moveTo: (id, { bot, chat, ...rest }, due) =>
      void move.run({ id, bot, chat, address: JSON.stringify({ bot, chat, ...rest }), due }),
    rewrite: (id, message) => void rewrite.run(JSON.stringify(message), id),
    reword: (id, message) => void reword.run(JSON.stringify(message), id),
    shrink(row, pieces, dueAt, how) {
      const [head, ...rest] = pieces;
      const [base, part, parts] = [row.base ?? row.seq, row.part ?? 0, row.parts ?? 1];
      shrunk.run(JSON.stringify(head), how, dueAt, row.id);
      shift.run(rest.length, base, part);
      rest.forEach((message, i) => {
        const { edits: _, ...whole } = row;
        const key = `${row.part === 0 ? `${row.key}#0` : row.key}~${i + 1}`;
        put({ ...whole, key, message }, dueAt, row.createdAt, { base, part: part + i + 1, parts }, true);
      });
    },
    drop: ({ platform, bot, chat }, error) => killed(drop, { platform, bot, chat, error }),
    expire: (before) => killed(expire, { before, error: 'it waited too long' }),
    untold: (person) => (person === undefined ? untold.all() : untoldOf.all(person)).map(read),
    told(ids, now) {
      for (const id of ids) told.run(now, id);
    },
    dead: (person, limit) => (person === undefined ? dead.all(limit) : deadOf.all(person, limit)).map(read),
    overtaken: (turn) => overtaken.get(turn) !== undefined,
    cancelTurn: (turn) => void cancel.run(turn),
    dropLive: (turn) => void dropLive.run(turn),
    recover(now) {
      const dropped = dropSending.run().changes;
      const edits = repeatEdits.run(now).changes;
      return dropped + edits + recover.run(now + AMBIGUOUS_MS).changes;
    },
    counts: () => Object.fromEntries(counts.all().map((row) => [row.state, row.n])),
  };
}
