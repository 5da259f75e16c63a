import { type InboxId, newId, type SessionId, type TurnId } from '../contract/ids.ts';
import type { ButtonPress, FormAnswer, InboundMessage, StopPress } from '../contract/message.ts';
import type { RefusedInput } from '../contract/platform.ts';
import type { Db } from './open.ts';

export type InboxKind = 'message' | 'command' | 'press' | 'form' | 'stopped' | 'edited' | 'internal';
export type InboxEnd = 'answered' | 'merged' | 'refused' | 'dropped' | 'expired';

interface Bodies {
  message: InboundMessage;
  command: InboundMessage;
  edited: InboundMessage;
  internal: InboundMessage;
  press: ButtonPress;
  form: FormAnswer;
  stopped: StopPress;
}

export interface InboxPut<K extends InboxKind = InboxKind> {
  readonly kind: K;
  readonly event: Bodies[K];
  readonly session?: SessionId;
}

export interface WaitingMessage {
  readonly id: InboxId;
  readonly seq: number;
  readonly kind: InboxKind;
  readonly message: InboundMessage;
  readonly receivedAt: number;
  /** It steers the running turn, if that comes to a point where it can be taken. */
  readonly steer: boolean;
}

/** What of a session waits for a turn. */
export interface Waiting {
  /** Pieces of one paste or album count as one. */
  readonly messages: number;
  readonly bytes: number;
}

/** Everything that came in. A row exists before its platform may forget the event, and ends in exactly one way. */
export interface Inbox {
  /** `fresh` is false for a redelivery; then nothing was written. `readyAt`: not claimed before. */
  put(put: InboxPut, now: number, readyAt?: number): { readonly id: InboxId; readonly fresh: boolean };
  /** An input that no event can carry, and done; `raw` undefined: of a stranger, only that there was one. False: known already. */
  putRefused(input: Omit<RefusedInput, 'raw' | 'from'> & { readonly raw: string | undefined }, now: number): boolean;
  /**
   * What a turn may take, oldest first: none before the oldest row of the session is ready, then every ready one. What seems to
   * have come later than `now` is ready: the clock was put back meanwhile, and nobody waits for it to come round again.
   */
  waiting(session: SessionId, now: number): readonly WaitingMessage[];
  /** When the oldest waiting row of a session becomes ready; undefined: none waits. */
  nextReadyAt(session: SessionId): number | undefined;
  /** Later pieces of one paste move the whole of it back, at most 10 s after its first. */
  defer(session: SessionId, joinKey: string, readyAt: number): void;
  take(ids: readonly InboxId[], turn: TurnId): void;
  ofTurn(turn: TurnId): readonly WaitingMessage[];
  /** The last turn of a session that took words of a person and was not forgotten. */
  lastTurn(session: SessionId): TurnId | undefined;
  finish(id: InboxId, end: InboxEnd, now: number, reason?: string): void;
  finishTurn(turn: TurnId, end: InboxEnd, now: number, reason?: string): void;
  /** Waiting rows of a session, or of one person in it, end together, those that are asked about, too; returns how many. */
  refuseWaiting(session: SessionId, now: number, reason: string, by?: string): number;
  /** The message an edit is about, as it was stored. Undefined: it never became a row for a turn. */
  original(edited: InboundMessage): { readonly id: InboxId; readonly text: string } | undefined;
  /** A text that changed while its row still waited. False: a turn has taken it. */
  replaceText(id: InboxId, text: string): boolean;
  /** Messages of a session that wait. */
  waitingCount(session: SessionId): number;
  load(session: SessionId): Waiting;
  /** Messages of a session refused for one reason since then. */
  refused(session: SessionId, reason: string, since: number): number;
  /** The newest waiting piece of a paste or album of one person. */
  pieceOf(session: SessionId, joinKey: string, by: string): WaitingMessage | undefined;
  setSteer(id: InboxId): void;
  /** What may be taken into the running turn of `by`, oldest first. */
  steering(session: SessionId, by: string, now: number): readonly WaitingMessage[];
  /** The row waits for a word of its person, given on the card `card`. */
  ask(id: InboxId, card: InboxId): void;
  /** The card of a session that is open, and how many messages it asks about. */
  askedIn(session: SessionId): { readonly card: InboxId; readonly count: number } | undefined;
  /** The rows a card asks about; none: it is settled. */
  askedBy(card: InboxId): readonly (WaitingMessage & { readonly session: SessionId })[];
  /** They are taken up now, as if they had just come. */
  answerAsked(card: InboxId, now: number): void;
  /** Sessions that have waiting rows, the longest waiting first. */
  sessions(): readonly SessionId[];
  /** Claimed by a turn that no longer lives: back to new. Returns how many. */
  recover(): number;
  /** Rows without an end. */
  open(): number;
}

interface Row {
  seq: number;
  id: string;
  kind: InboxKind;
  body: string;
  received_at: number;
  steer: number;
}

const MAX_DEFER_MS = 10_000;

const read = (row: Row): WaitingMessage => ({
  id: row.id as InboxId,
  seq: row.seq,
  kind: row.kind,
  message: JSON.parse(row.body) as InboundMessage,
  receivedAt: row.received_at,
  steer: row.steer === 1,
});

export function createInbox(db: Db): Inbox {
  const insert = db.prepare(`
    INSERT INTO inbox (id, platform, bot, event_key, kind, session, body, join_key, ready_at, sent_at, received_at, boot, state)
    VALUES (@id, @platform, @bot, @eventKey, @kind, @session, @body, @joinKey, @readyAt, @sentAt, @now,
      (SELECT id FROM boots ORDER BY rowid DESC LIMIT 1), 'new')
    ON CONFLICT (platform, bot, event_key) DO NOTHING`);
  const insertRefused = db.prepare(`
    INSERT INTO inbox (id, platform, bot, event_key, kind, body, ready_at, sent_at, received_at, state, reason, done_at)
    VALUES (@id, @platform, @bot, @eventId, 'message', @body, @now, @now, @now, 'refused', @reason, @now)
    ON CONFLICT (platform, bot, event_key) DO NOTHING`);
  const existing = db.prepare<[string, string, string], { id: string }>(
    'SELECT id FROM inbox WHERE platform = ? AND bot = ? AND event_key = ?',
  );
  const columns = 'seq, id, kind, body, received_at, steer';
  const open = `session = ? AND state = 'new' AND kind IN ('message', 'internal')`;
  const forTurns = `${open} AND asked IS NULL`;
  const isReady = '(ready_at <= ? OR received_at > ?)';
  const waiting = db.prepare<[string, number, number], Row>(
    `SELECT ${columns} FROM inbox WHERE ${forTurns} AND ${isReady} ORDER BY seq`,
  );
  const nextReady = db.prepare<[string], { at: number; came: number }>(
    `SELECT ready_at AS at, received_at AS came FROM inbox WHERE ${forTurns} ORDER BY seq LIMIT 1`,
  );
  const defer = db.prepare(`
    UPDATE inbox SET ready_at = min(@readyAt, @longest + (
      SELECT min(received_at) FROM inbox WHERE session = @session AND join_key = @joinKey AND state = 'new'))
    WHERE session = @session AND join_key = @joinKey AND state = 'new'`);
  const take = db.prepare(`UPDATE inbox SET state = 'claimed', turn = ? WHERE id = ? AND state = 'new'`);
  const ofTurn = db.prepare<[string], Row>(`SELECT ${columns} FROM inbox WHERE turn = ? ORDER BY seq`);
  const lastTurn = db.prepare<[string], { turn: string }>(`
    SELECT turn FROM inbox WHERE session = ? AND kind = 'message'
      AND EXISTS (SELECT 1 FROM transcript WHERE transcript.turn = inbox.turn AND hidden = 0) ORDER BY seq DESC LIMIT 1`);
  const finish = db.prepare(`UPDATE inbox SET state = ?, done_at = ?, reason = ? WHERE id = ? AND done_at IS NULL`);
  const finishTurn = db.prepare(
    `UPDATE inbox SET state = ?, done_at = ?, reason = ? WHERE turn = ? AND state = 'claimed'`,
  );
  const refuse = db.prepare(
    `UPDATE inbox SET state = 'refused', done_at = ?, reason = ? WHERE ${open}
       AND json_extract(body, '$.by.id') = coalesce(?, json_extract(body, '$.by.id'))`,
  );
  const original = db.prepare<[string, string, string, string, string], { id: string; text: string }>(
    `SELECT id, json_extract(body, '$.text') AS text FROM inbox WHERE platform = ? AND bot = ? AND kind = 'message'
       AND json_extract(body, '$.address.chat') = ? AND json_extract(body, '$.messageId') = ?
       AND json_extract(body, '$.by.id') = ? ORDER BY seq DESC LIMIT 1`,
  );
  const replace = db.prepare(`UPDATE inbox SET body = json_set(body, '$.text', ?) WHERE id = ? AND state = 'new'`);
  const waitingCount = db.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM inbox WHERE ${forTurns}`);
  const load = db.prepare<[string], Waiting>(
    `SELECT count(DISTINCT coalesce(join_key, seq)) AS messages, coalesce(sum(octet_length(body)), 0) AS bytes FROM inbox WHERE ${forTurns}`,
  );
  const refused = db.prepare<[string, number, string], { n: number }>(
    `SELECT count(*) AS n FROM inbox WHERE kind = 'message' AND session = ? AND received_at >= ?
       AND state = 'refused' AND reason = ?`,
  );
  const byPerson = `json_extract(body, '$.by.id') = ?`;
  const piece = db.prepare<[string, string, string], Row>(
    `SELECT ${columns} FROM inbox WHERE ${forTurns} AND join_key = ? AND ${byPerson} ORDER BY seq DESC LIMIT 1`,
  );
  const steer = db.prepare('UPDATE inbox SET steer = 1 WHERE id = ?');
  const steering = db.prepare<[string, string, number, number], Row>(
    `SELECT ${columns} FROM inbox WHERE ${forTurns} AND steer = 1 AND ${byPerson} AND ${isReady} ORDER BY seq`,
  );
  const ask = db.prepare('UPDATE inbox SET asked = ? WHERE id = ?');
  const askedIn = db.prepare<[string], { card: InboxId; count: number }>(
    `SELECT asked AS card, count(*) AS count FROM inbox
     WHERE session = ? AND asked IS NOT NULL AND state = 'new' GROUP BY asked`,
  );
  const sessionOf = db.prepare<[string], { session: string }>('SELECT session FROM inbox WHERE id = ?');
  const askedBy = db.prepare<[string, string], Row>(
    `SELECT ${columns} FROM inbox WHERE session = ? AND asked = ? AND state = 'new' ORDER BY seq`,
  );
  const answerAsked = db.prepare(
    `UPDATE inbox SET asked = NULL, ready_at = ? WHERE session = ? AND asked = ? AND state = 'new'`,
  );
  const sessions = db.prepare<[], { session: string }>(
    `SELECT session FROM inbox WHERE state = 'new' AND kind IN ('message', 'internal') AND asked IS NULL AND session IS NOT NULL
     GROUP BY session ORDER BY min(seq)`,
  );
  const recover = db.prepare(
    `UPDATE inbox SET state = 'new', turn = NULL WHERE state = 'claimed'
       AND turn NOT IN (SELECT id FROM turns WHERE ended_at IS NULL)`,
  );
  const without = db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM inbox WHERE state IN ('new', 'claimed')`);

  return {
    put({ kind, event, session }, now, readyAt = now) {
      const { platform, bot } = event.address;
      const id = newId<InboxId>();
      const fresh = insert.run({
        id,
        platform,
        bot,
        eventKey: event.eventId,
        kind,
        session: session ?? null,
        body: JSON.stringify(event),
        joinKey: 'join' in event ? (event.join?.key ?? null) : null,
        readyAt,
        sentAt: event.sentAt,
        now,
      }).changes;
      if (fresh === 1) return { id, fresh: true };
      return { id: existing.get(platform, bot, event.eventId)?.id as InboxId, fresh: false };
    },
    putRefused({ platform, bot, eventId, reason, raw }, now) {
      const body = JSON.stringify(raw === undefined ? {} : { raw });
      return insertRefused.run({ id: newId<InboxId>(), platform, bot, eventId, reason, body, now }).changes === 1;
    },
    waiting(session, now) {
      const first = nextReady.get(session);
      return first && (first.at <= now || first.came > now) ? waiting.all(session, now, now).map(read) : [];
    },
    nextReadyAt: (session) => nextReady.get(session)?.at,
    defer: (session, joinKey, readyAt) => void defer.run({ session, joinKey, readyAt, longest: MAX_DEFER_MS }),
    take(ids, turn) {
      for (const id of ids) take.run(turn, id);
    },
    lastTurn: (session) => lastTurn.get(session)?.turn as TurnId | undefined,
    ofTurn: (turn) => ofTurn.all(turn).map(read),
    finish: (id, end, now, reason) => void finish.run(end, now, reason ?? null, id),
    finishTurn: (turn, end, now, reason) => void finishTurn.run(end, now, reason ?? null, turn),
    refuseWaiting: (session, now, reason, by) => refuse.run(now, reason, session, by ?? null).changes,
    original({ by, messageId, address: { platform, bot, chat } }) {
      const row = original.get(platform, bot, chat, messageId, by.id);
      return row && { id: row.id as InboxId, text: row.text };
    },
    replaceText: (id, text) => replace.run(text, id).changes === 1,
    load: (session) => load.get(session) ?? { messages: 0, bytes: 0 },
    refused: (session, reason, since) => refused.get(session, since, reason)?.n ?? 0,
    pieceOf(session, joinKey, by) {
      const row = piece.get(session, joinKey, by);
      return row && read(row);
    },
    setSteer: (id) => void steer.run(id),
    steering: (session, by, now) => steering.all(session, by, now, now).map(read),
    ask: (id, card) => void ask.run(card, id),
    askedIn: (session) => askedIn.get(session),
    askedBy(card) {
      const session = sessionOf.get(card)?.session;
      if (session === undefined) return [];
      return askedBy.all(session, card).map((row) => ({ ...read(row), session: session as SessionId }));
    },
    answerAsked(card, now) {
      const session = sessionOf.get(card)?.session;
      if (session !== undefined) answerAsked.run(now, session, card);
    },
    waitingCount: (session) => waitingCount.get(session)?.n ?? 0,
    sessions: () => sessions.all().map((row) => row.session as SessionId),
    recover: () => recover.run().changes,
    open: () => without.get()?.n ?? 0,
  };
}
