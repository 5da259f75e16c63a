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
}

/** Everything that came in. A row exists before its platform may forget the event, and ends in exactly one way. */
export interface Inbox {
  /** `fresh` is false for a redelivery; then nothing was written. `readyAt`: not claimed before. */
  put(put: InboxPut, now: number, readyAt?: number): { readonly id: InboxId; readonly fresh: boolean };
  /** An input that no event can carry: kept raw, and done. */
  putRefused(input: RefusedInput, now: number): void;
  /** What a turn may take, oldest first: none before the oldest row of the session is ready, then every ready one. */
  waiting(session: SessionId, now: number): readonly WaitingMessage[];
  /** When the oldest waiting row of a session becomes ready; undefined: none waits. */
  nextReadyAt(session: SessionId): number | undefined;
  /** Later pieces of one paste move the whole of it back, at most 10 s after its first. */
  defer(session: SessionId, joinKey: string, readyAt: number): void;
  take(ids: readonly InboxId[], turn: TurnId): void;
  ofTurn(turn: TurnId): readonly WaitingMessage[];
  finish(id: InboxId, end: InboxEnd, now: number, reason?: string): void;
  finishTurn(turn: TurnId, end: InboxEnd, now: number, reason?: string): void;
  /** Waiting rows of a session, or of one person in it, end together; returns how many. */
  refuseWaiting(session: SessionId, now: number, reason: string, by?: string): number;
  /** The message an edit is about, as it was stored. Undefined: it never became a row for a turn. */
  original(edited: InboundMessage): { readonly id: InboxId; readonly text: string } | undefined;
  /** A text that changed while its row still waited. False: a turn has taken it. */
  replaceText(id: InboxId, text: string): boolean;
  /** Messages of a session that wait. */
  waitingCount(session: SessionId): number;
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
}

const MAX_DEFER_MS = 10_000;

const read = (row: Row): WaitingMessage => ({
  id: row.id as InboxId,
  seq: row.seq,
  kind: row.kind,
  message: JSON.parse(row.body) as InboundMessage,
  receivedAt: row.received_at,
});

export function createInbox(db: Db): Inbox {
  const insert = db.prepare(`
    INSERT INTO inbox (id, platform, bot, event_key, kind, session, body, join_key, ready_at, sent_at, received_at, state)
    VALUES (@id, @platform, @bot, @eventKey, @kind, @session, @body, @joinKey, @readyAt, @sentAt, @now, 'new')
    ON CONFLICT (platform, bot, event_key) DO NOTHING`);
  const insertRefused = db.prepare(`
    INSERT INTO inbox (id, platform, bot, event_key, kind, body, ready_at, sent_at, received_at, state, reason, done_at)
    VALUES (@id, @platform, @bot, @eventId, 'message', @body, @now, @now, @now, 'refused', @reason, @now)
    ON CONFLICT (platform, bot, event_key) DO NOTHING`);
  const existing = db.prepare<[string, string, string], { id: string }>(
    'SELECT id FROM inbox WHERE platform = ? AND bot = ? AND event_key = ?',
  );
  const columns = 'seq, id, kind, body, received_at';
  const forTurns = `session = ? AND state = 'new' AND kind IN ('message', 'internal')`;
  const waiting = db.prepare<[string, number], Row>(
    `SELECT ${columns} FROM inbox WHERE ${forTurns} AND ready_at <= ? ORDER BY seq`,
  );
  const nextReady = db.prepare<[string], { at: number }>(
    `SELECT ready_at AS at FROM inbox WHERE ${forTurns} ORDER BY seq LIMIT 1`,
  );
  const defer = db.prepare(`
    UPDATE inbox SET ready_at = min(@readyAt, @longest + (
      SELECT min(received_at) FROM inbox WHERE session = @session AND join_key = @joinKey AND state = 'new'))
    WHERE session = @session AND join_key = @joinKey AND state = 'new'`);
  const take = db.prepare(`UPDATE inbox SET state = 'claimed', turn = ? WHERE id = ? AND state = 'new'`);
  const ofTurn = db.prepare<[string], Row>(`SELECT ${columns} FROM inbox WHERE turn = ? ORDER BY seq`);
  const finish = db.prepare(`UPDATE inbox SET state = ?, done_at = ?, reason = ? WHERE id = ? AND done_at IS NULL`);
  const finishTurn = db.prepare(
    `UPDATE inbox SET state = ?, done_at = ?, reason = ? WHERE turn = ? AND state = 'claimed'`,
  );
  const refuse = db.prepare(
    `UPDATE inbox SET state = 'refused', done_at = ?, reason = ? WHERE ${forTurns}
       AND json_extract(body, '$.by.id') = coalesce(?, json_extract(body, '$.by.id'))`,
  );
  const original = db.prepare<[string, string, string, string, string], { id: string; text: string }>(
    `SELECT id, json_extract(body, '$.text') AS text FROM inbox WHERE platform = ? AND bot = ? AND kind = 'message'
       AND json_extract(body, '$.address.chat') = ? AND json_extract(body, '$.messageId') = ?
       AND json_extract(body, '$.by.id') = ? ORDER BY seq DESC LIMIT 1`,
  );
  const replace = db.prepare(`UPDATE inbox SET body = json_set(body, '$.text', ?) WHERE id = ? AND state = 'new'`);
  const waitingCount = db.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM inbox WHERE ${forTurns}`);
  const sessions = db.prepare<[], { session: string }>(
    `SELECT session FROM inbox WHERE state = 'new' AND kind IN ('message', 'internal') AND session IS NOT NULL
     GROUP BY session ORDER BY min(seq)`,
  );
  const recover = db.prepare(
    `UPDATE inbox SET state = 'new', turn = NULL WHERE state = 'claimed'
       AND turn NOT IN (SELECT id FROM turns WHERE ended_at IS NULL)`,
  );
  const open = db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM inbox WHERE state IN ('new', 'claimed')`);

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
      insertRefused.run({ id: newId<InboxId>(), platform, bot, eventId, reason, body: JSON.stringify({ raw }), now });
    },
    waiting(session, now) {
      const first = nextReady.get(session);
      return first && first.at <= now ? waiting.all(session, now).map(read) : [];
    },
    nextReadyAt: (session) => nextReady.get(session)?.at,
    defer: (session, joinKey, readyAt) => void defer.run({ session, joinKey, readyAt, longest: MAX_DEFER_MS }),
    take(ids, turn) {
      for (const id of ids) take.run(turn, id);
    },
    ofTurn: (turn) => ofTurn.all(turn).map(read),
    finish: (id, end, now, reason) => void finish.run(end, now, reason ?? null, id),
    finishTurn: (turn, end, now, reason) => void finishTurn.run(end, now, reason ?? null, turn),
    refuseWaiting: (session, now, reason, by) => refuse.run(now, reason, session, by ?? null).changes,
    original({ by, messageId, address: { platform, bot, chat } }) {
      const row = original.get(platform, bot, chat, messageId, by.id);
      return row && { id: row.id as InboxId, text: row.text };
    },
    replaceText: (id, text) => replace.run(text, id).changes === 1,
    waitingCount: (session) => waitingCount.get(session)?.n ?? 0,
    sessions: () => sessions.all().map((row) => row.session as SessionId),
    recover: () => recover.run().changes,
    open: () => open.get()?.n ?? 0,
  };
}
