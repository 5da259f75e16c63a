import { type BootId, type CallId, newId, type SessionId, type TurnId } from '../contract/ids.ts';
import type { Db } from './open.ts';

export type CallState = 'planned' | 'asked' | 'begun' | 'done' | 'failed' | 'refused' | 'skipped' | 'unknown';
export type CallEnd = Exclude<CallState, 'planned' | 'asked' | 'begun'>;

export interface CallRow {
  readonly id: CallId;
  readonly turn: TurnId;
  /** `seq` of the assistant message that made it. */
  readonly message: number;
  readonly position: number;
  /** The provider's own id; may be empty or doubled. */
  readonly providerId: string;
  readonly name: string;
  /** Argument text, repaired to the JSON of an object where that was possible. */
  readonly raw: string;
  readonly state: CallState;
  /** The gate had a finding about it. */
  readonly flagged: boolean;
  readonly result: string | null;
  readonly untrusted: string | null;
}

export interface MessageRow {
  readonly seq: number;
  readonly turn: TurnId;
  readonly step: number;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** `daemon`: words of hermod, not of the person; `overheard`: of others in a group; `partial`: cut off by a stop. */
  readonly mark: string | null;
  readonly model: string | null;
  readonly keep: unknown;
  readonly createdAt: number;
  readonly calls: readonly CallRow[];
}

export interface NewMessage {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly step: number;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly mark?: string;
  readonly model?: string;
  readonly keep?: unknown;
  /** Kept, but no part of the conversation: what a worker says and calls. */
  readonly hidden?: true;
  readonly calls?: readonly { readonly providerId: string; readonly name: string; readonly raw: string }[];
}

/** What was said and called, append-only. Calls move planned -> (asked) -> begun -> an end, and never back. */
export interface Transcript {
  /** One message and its calls as `planned`. Call it inside a transaction with what belongs to it. */
  append(message: NewMessage, now: number): MessageRow;
  read(session: SessionId): readonly MessageRow[];
  /** The newest turns of a session, whole ones, of about so many characters; `cut`: there are older ones. */
  newest(session: SessionId, size: number): { readonly rows: readonly MessageRow[]; readonly cut: boolean };
  /** What stands behind a row. */
  after(session: SessionId, seq: number): readonly MessageRow[];
  /** Told of each turn whose earlier rows are not what they were. */
  watch(listener: (turn: TurnId) => void): void;
  /** The person's words of a turn are no part of the conversation any more: better ones follow. */
  hideWords(turn: TurnId): void;
  /** The last `turns` exchanges of a session are no part of the conversation any more. Returns how many there were. */
  undo(session: SessionId, turns: number): number;
  ofTurn(turn: TurnId): readonly MessageRow[];
  call(id: CallId): CallRow | undefined;
  /** Where the first untrusted text of a turn came from; undefined: it has none. */
  untrustedIn(turn: TurnId): string | undefined;
  asked(id: CallId): void;
  /** False: the call has no row. */
  flag(id: CallId, digest: string): boolean;
  /** False: it was not planned or asked any more. Commit before the first byte of effect. */
  begin(id: CallId, boot: BootId, now: number): boolean;
  finish(id: CallId, end: CallEnd, result: string, now: number, untrusted?: string): void;
  /** What a turn had planned or asked and will not do any more. */
  skipOpen(turn: TurnId, why: string, now: number): void;
  /** Calls a dead boot had begun: their outcome is unknown. Returns them. */
  recover(boot: BootId, now: number): readonly CallRow[];
}

interface MessageRecord {
  seq: number;
  turn: string;
  step: number;
  role: 'user' | 'assistant';
  content: string;
  mark: string | null;
  model: string | null;
  keep: string | null;
  created_at: number;
}

interface CallRecord {
  id: string;
  turn: string;
  message: number;
  position: number;
  provider_id: string;
  name: string;
  raw: string;
  state: CallState;
  flagged: number;
  result: string | null;
  untrusted: string | null;
}

const readCall = (row: CallRecord): CallRow => ({
  id: row.id as CallId,
  turn: row.turn as TurnId,
  message: row.message,
  position: row.position,
  providerId: row.provider_id,
  name: row.name,
  raw: row.raw,
  state: row.state,
  flagged: row.flagged === 1,
  result: row.result,
  untrusted: row.untrusted,
});

function readMessage(row: MessageRecord, calls: readonly CallRow[]): MessageRow {
  return {
    seq: row.seq,
    turn: row.turn as TurnId,
    step: row.step,
    role: row.role,
    content: row.content,
    mark: row.mark,
    model: row.model,
    keep: row.keep === null ? undefined : JSON.parse(row.keep),
    createdAt: row.created_at,
    calls,
  };
}

const PAGE = 200;

function sizeOf({ content, calls }: MessageRow): number {
  return calls.reduce((sum, { raw, result }) => sum + raw.length + (result?.length ?? 0), content.length);
}

export function createTranscript(db: Db): Transcript {
  const insert = db.prepare<[object], MessageRecord>(`
    INSERT INTO transcript (session, turn, step, role, content, mark, model, keep, hidden, created_at)
    VALUES (@session, @turn, @step, @role, @content, @mark, @model, @keep, @hidden, @now) RETURNING *`);
  const insertCall = db.prepare<[object], CallRecord>(`
    INSERT INTO calls (id, session, turn, message, position, provider_id, name, raw, state, created_at)
    VALUES (@id, @session, @turn, @message, @position, @providerId, @name, @raw, 'planned', @now) RETURNING *`);
  const bySession = db.prepare<[string], MessageRecord>(
    'SELECT * FROM transcript WHERE session = ? AND hidden = 0 ORDER BY seq',
  );
  const hideWords = db.prepare(
    `UPDATE transcript SET hidden = 1 WHERE turn = ? AND role = 'user' AND mark IS NOT 'overheard'`,
  );
  const lastTurns = db.prepare<[string, number], { turn: string }>(
    'SELECT turn FROM transcript WHERE session = ? AND hidden = 0 GROUP BY turn ORDER BY max(seq) DESC LIMIT ?',
  );
  const hideTurn = db.prepare('UPDATE transcript SET hidden = 1 WHERE turn = ?');
  const byTurn = db.prepare<[string], MessageRecord>('SELECT * FROM transcript WHERE turn = ? ORDER BY seq');
  const callsOfSession = db.prepare<[string], CallRecord>(
    `SELECT calls.* FROM transcript JOIN calls ON calls.message = transcript.seq
     WHERE transcript.session = ? AND transcript.hidden = 0 ORDER BY calls.message, calls.position`,
  );
  const bySessionAfter = db.prepare<[string, number], MessageRecord>(
    'SELECT * FROM transcript WHERE session = ? AND seq > ? AND hidden = 0 ORDER BY seq',
  );
  const bySessionBefore = db.prepare<[string, number, number], MessageRecord>(
    'SELECT * FROM transcript WHERE session = ? AND seq < ? AND hidden = 0 ORDER BY seq DESC LIMIT ?',
  );
  const callsBetween = db.prepare<[string, number, number], CallRecord>(
    `SELECT * FROM calls WHERE message IN (SELECT seq FROM transcript WHERE session = ? AND seq BETWEEN ? AND ? AND hidden = 0)
     ORDER BY message, position`,
  );
  const callsOfTurn = db.prepare<[string], CallRecord>('SELECT * FROM calls WHERE turn = ? ORDER BY message, position');
  const callById = db.prepare<[string], CallRecord>('SELECT * FROM calls WHERE id = ?');
  const untrusted = db.prepare<object, { untrusted: string | null }>(
    `SELECT coalesce(
       (SELECT untrusted FROM calls WHERE turn = @turn AND untrusted IS NOT NULL ORDER BY message, position LIMIT 1),
       (SELECT 'others in the group' FROM transcript WHERE turn = @turn AND mark = 'overheard' LIMIT 1)) AS untrusted`,
  );
  const asked = db.prepare(`UPDATE calls SET state = 'asked' WHERE id = ? AND state = 'planned'`);
  const flag = db.prepare('UPDATE calls SET flagged = 1, digest = ? WHERE id = ?');
  const begin = db.prepare(
    `UPDATE calls SET state = 'begun', begun_at = ?, boot = ? WHERE id = ? AND state IN ('planned', 'asked')`,
  );
  const finish = db.prepare<unknown[], { turn: string }>(
    `UPDATE calls SET state = ?, result = ?, untrusted = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL RETURNING turn`,
  );
  const skip = db.prepare(
    `UPDATE calls SET state = 'skipped', result = ?, ended_at = ? WHERE turn = ? AND state IN ('planned', 'asked')`,
  );
  const recover = db.prepare<[number, string], CallRecord>(`
    UPDATE calls SET state = 'unknown', ended_at = ?, result = 'interrupted; outcome unknown, check before repeating'
    WHERE state = 'begun' AND boot <> ? RETURNING *`);

  const withCalls = (rows: readonly MessageRecord[], calls: readonly CallRecord[]) => {
    const byMessage = Map.groupBy(calls.map(readCall), (call) => call.message);
    return rows.map((row) => readMessage(row, byMessage.get(row.seq) ?? []));
  };

  /** Rows in order, of one session. */
  const complete = (session: string, rows: readonly MessageRecord[]) => {
    const [first, last] = [rows[0], rows.at(-1)];
    return first && last ? withCalls(rows, callsBetween.all(session, first.seq, last.seq)) : [];
  };
  let listening: (turn: TurnId) => void = () => {};
  const told = (turn: string) => listening(turn as TurnId);

  return {
    append(message, now) {
      const row = insert.get({
        session: message.session,
        turn: message.turn,
        step: message.step,
        role: message.role,
        content: message.content,
        mark: message.mark ?? null,
        model: message.model ?? null,
        keep: message.keep === undefined ? null : JSON.stringify(message.keep),
        hidden: message.hidden ? 1 : 0,
        now,
      }) as MessageRecord;
      const calls = (message.calls ?? []).map((call, position) => {
        const id = newId<CallId>();
        const { session, turn } = message;
        return readCall(insertCall.get({ id, session, turn, message: row.seq, position, ...call, now }) as CallRecord);
      });
      return readMessage(row, calls);
    },
    read: (session) => withCalls(bySession.all(session), callsOfSession.all(session)),
    newest(session, size) {
      let rows: MessageRow[] = [];
      for (let left = size; ; ) {
        const page = bySessionBefore.all(session, rows[0]?.seq ?? Number.MAX_SAFE_INTEGER, PAGE).reverse();
        const more = complete(session, page);
        rows = [...more, ...rows];
        left -= more.reduce((sum, row) => sum + sizeOf(row), 0);
        if (page.length < PAGE) return { rows, cut: false };
        if (left <= 0) break;
      }
      // The oldest turn of them may have begun before.
      const whole = rows.findIndex((row) => row.turn !== rows[0]?.turn);
      return { rows: rows.slice(Math.max(0, whole)), cut: true };
    },
    after: (session, seq) => complete(session, bySessionAfter.all(session, seq)),
    watch(listener) {
      listening = listener;
    },
    hideWords(turn) {
      hideWords.run(turn);
      told(turn);
    },
    undo(session, turns) {
      const found = lastTurns.all(session, turns);
      for (const { turn } of found) {
        hideTurn.run(turn);
        told(turn);
      }
      return found.length;
    },
    ofTurn: (turn) => withCalls(byTurn.all(turn), callsOfTurn.all(turn)),
    call(id) {
      const row = callById.get(id);
      return row && readCall(row);
    },
    asked: (id) => void asked.run(id),
    untrustedIn: (turn) => untrusted.get({ turn })?.untrusted ?? undefined,
    flag: (id, digest) => flag.run(digest, id).changes === 1,
    begin: (id, boot, now) => begin.run(now, boot, id).changes === 1,
    finish(id, end, result, now, untrusted) {
      const row = finish.get(end, result, untrusted ?? null, now, id);
      if (row) told(row.turn);
    },
    skipOpen(turn, why, now) {
      if (skip.run(why, now, turn).changes > 0) told(turn);
    },
    recover(boot, now) {
      const found = recover.all(now, boot).map(readCall);
      for (const { turn } of found) told(turn);
      return found;
    },
  };
}
