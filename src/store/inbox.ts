import { type InboxId, newId, type SessionId, type TurnId } from '../contract/ids.ts';
import type { ButtonPress, FormAnswer, InboundMessage, StopPress } from '../contract/message.ts';
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
  /** Rows of a session that no turn has taken and whose time has come, oldest first. */
  waiting(session: SessionId, now: number): readonly WaitingMessage[];
  /** When the oldest waiting row of a session becomes ready; undefined: none waits. */
  nextReadyAt(session: SessionId): number | undefined;
  /** Later pieces of one paste move the whole of it back. */
  defer(session: SessionId, joinKey: string, readyAt: number): void;
  take(ids: readonly InboxId[], turn: TurnId): void;
  ofTurn(turn: TurnId): readonly WaitingMessage[];
  finish(id: InboxId, end: InboxEnd, now: number, reason?: string): void;
  finishTurn(turn: TurnId, end: InboxEnd, now: number, reason?: string): void;
  /** Waiting rows of a session end together; returns how many. */
  refuseWaiting(session: SessionId, now: number, reason: string): number;
  /** A text that changed while its row still waited. False: the row is gone from the queue. */
  replaceWaiting(platform: string, bot: string, chat: string, messageId: string, event: InboundMessage): boolean;
  /** Whether this message ever became a row. */
  knows(platform: string, bot: string, chat: string, messageId: string): boolean;
  /** Messages of a session that wait. */
  waitingCount(session: SessionId): number;
  /** Sessions that have waiting rows. */
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
  const existing = db.prepare<[string, string, string], { id: string }>(
    'SELECT id FROM inbox WHERE platform = ? AND bot = ? AND event_key = ?',
  );
  const columns = 'seq, id, kind, body, received_at';
  const waiting = db.prepare<[string, number], Row>(
    `SELECT ${columns} FROM inbox WHERE session = ? AND state = 'new' AND kind IN ('message', 'internal') AND ready_at <= ? ORDER BY seq`,
  );
  const nextReady = db.prepare<[string], { at: number | null }>(
    `SELECT min(ready_at) AS at FROM inbox WHERE session = ? AND state = 'new' AND kind IN ('message', 'internal')`,
  );
  const defer = db.prepare(`UPDATE inbox SET ready_at = ? WHERE session = ? AND join_key = ? AND state = 'new'`);
  const take = db.prepare(`UPDATE inbox SET state = 'claimed', turn = ? WHERE id = ? AND state = 'new'`);
  const ofTurn = db.prepare<[string], Row>(`SELECT ${columns} FROM inbox WHERE turn = ? ORDER BY seq`);
  const finish = db.prepare(`UPDATE inbox SET state = ?, done_at = ?, reason = ? WHERE id = ? AND done_at IS NULL`);
  const finishTurn = db.prepare(
    `UPDATE inbox SET state = ?, done_at = ?, reason = ? WHERE turn = ? AND state = 'claimed'`,
  );
  const refuse = db.prepare(
    `UPDATE inbox SET state = 'refused', done_at = ?, reason = ? WHERE session = ? AND state = 'new' AND kind IN ('message', 'internal')`,
  );
  const replace = db.prepare(
    `UPDATE inbox SET body = ? WHERE platform = ? AND bot = ? AND state = 'new' AND kind = 'message'
       AND json_extract(body, '$.address.chat') = ? AND json_extract(body, '$.messageId') = ?`,
  );
  const knows = db.prepare(
    `SELECT 1 FROM inbox WHERE platform = ? AND bot = ? AND kind = 'message'
       AND json_extract(body, '$.address.chat') = ? AND json_extract(body, '$.messageId') = ?`,
  );
  const waitingCount = db.prepare<[string], { n: number }>(
    `SELECT count(*) AS n FROM inbox WHERE session = ? AND state = 'new' AND kind IN ('message', 'internal')`,
  );
  const sessions = db.prepare<[], { session: string }>(
    `SELECT DISTINCT session FROM inbox WHERE state = 'new' AND kind IN ('message', 'internal') AND session IS NOT NULL`,
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
    waiting: (session, now) => waiting.all(session, now).map(read),
    nextReadyAt: (session) => nextReady.get(session)?.at ?? undefined,
    defer: (session, joinKey, readyAt) => void defer.run(readyAt, session, joinKey),
    take(ids, turn) {
      for (const id of ids) take.run(turn, id);
    },
    ofTurn: (turn) => ofTurn.all(turn).map(read),
    finish: (id, end, now, reason) => void finish.run(end, now, reason ?? null, id),
    finishTurn: (turn, end, now, reason) => void finishTurn.run(end, now, reason ?? null, turn),
    refuseWaiting: (session, now, reason) => refuse.run(now, reason, session).changes,
    replaceWaiting: (platform, bot, chat, messageId, event) =>
      replace.run(JSON.stringify(event), platform, bot, chat, messageId).changes === 1,
    knows: (platform, bot, chat, messageId) => knows.get(platform, bot, chat, messageId) !== undefined,
    waitingCount: (session) => waitingCount.get(session)?.n ?? 0,
    sessions: () => sessions.all().map((row) => row.session as SessionId),
    recover: () => recover.run().changes,
    open: () => open.get()?.n ?? 0,
  };
}
