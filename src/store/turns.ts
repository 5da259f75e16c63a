import { type AttemptId, type BootId, newId, type SessionId, type TurnId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { AttemptKind } from './attempts.ts';
import type { Db } from './open.ts';

export type TurnState = 'running' | 'parked' | 'held' | 'answered' | 'failed' | 'stopped' | 'abandoned' | 'superseded';
export type TurnEnd = Exclude<TurnState, 'running' | 'parked' | 'held'>;

export interface TurnRow {
  readonly id: TurnId;
  readonly session: SessionId;
  /** The requester. */
  readonly actor: Actor;
  readonly address: Address;
  readonly direct: boolean;
  /** The platform's id of the message it answers. */
  readonly replyTo: string | null;
  readonly state: TurnState;
  /** The rule that holds or ended it. */
  readonly rule: string | null;
  /** The last sign of life of the boot that its last attempt was cut off in. */
  readonly interruptedAt: number | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** One claim of messages to one reply, and every time it was dispatched. An attempt is a row before a model or tool is touched. */
export interface Turns {
  create(
    turn: Omit<TurnRow, 'id' | 'state' | 'rule' | 'interruptedAt' | 'createdAt' | 'endedAt'>,
    now: number,
  ): TurnRow;
  get(id: TurnId): TurnRow | undefined;
  unfinished(): readonly TurnRow[];
  unfinishedOf(session: SessionId): readonly TurnRow[];
  begin(turn: TurnRow, kind: AttemptKind, boot: BootId, now: number): AttemptId;
  endAttempt(id: AttemptId, outcome: 'ended' | 'parked', now: number): void;
  end(id: TurnId, state: TurnEnd, now: number, rule?: string): void;
  setState(id: TurnId, state: 'running' | 'parked' | 'held', rule?: string): void;
  /**
   * Open attempts of other boots were cut off; a turn that was only waiting for a person is parked instead, and one that was
   * ended meanwhile had its end. Returns the cut ones.
   */
  recover(boot: BootId, now: number): readonly TurnId[];
  attempts(id: TurnId): number;
  /** A question or approval of it is pending. */
  awaitsPerson(id: TurnId): boolean;
  /** What it asked last, a person has answered. */
  isAnswered(id: TurnId): boolean;
}

interface Row {
  id: string;
  session: string;
  actor: string;
  address: string;
  direct: number;
  reply_to: string | null;
  state: TurnState;
  rule: string | null;
  interrupted_at: number | null;
  created_at: number;
  ended_at: number | null;
}

const read = (row: Row): TurnRow => ({
  id: row.id as TurnId,
  session: row.session as SessionId,
  actor: JSON.parse(row.actor) as Actor,
  address: JSON.parse(row.address) as Address,
  direct: row.direct === 1,
  replyTo: row.reply_to,
  state: row.state,
  rule: row.rule,
  interruptedAt: row.interrupted_at,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});

export function createTurns(db: Db): Turns {
  const insert = db.prepare<[object], Row>(`
    INSERT INTO turns (id, session, actor, address, direct, reply_to, state, created_at)
    VALUES (@id, @session, @actor, @address, @direct, @replyTo, 'running', @now) RETURNING *`);
  const byId = db.prepare<[string], Row>('SELECT * FROM turns WHERE id = ?');
  const unfinished = db.prepare<[], Row>('SELECT * FROM turns WHERE ended_at IS NULL ORDER BY created_at, rowid');
  const ofSession = db.prepare<[string], Row>(
    'SELECT * FROM turns WHERE session = ? AND ended_at IS NULL ORDER BY created_at, rowid',
  );
  const begin = db.prepare(
    'INSERT INTO attempts (id, turn, session, boot, kind, started_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const endAttempt = db.prepare('UPDATE attempts SET outcome = ?, ended_at = ? WHERE id = ? AND outcome IS NULL');
  const end = db.prepare('UPDATE turns SET state = ?, ended_at = ?, rule = ? WHERE id = ? AND ended_at IS NULL');
  const setState = db.prepare('UPDATE turns SET state = ?, rule = ? WHERE id = ? AND ended_at IS NULL');
  const asks = `SELECT turn FROM approvals WHERE state = 'pending' AND kind <> 'offer' AND depth = 0`;
  // Not after now, whatever stands in those rows.
  const bootEnd =
    'coalesce((SELECT min(?, max(attempts.started_at, boots.ended_at)) FROM boots WHERE boots.id = attempts.boot), ?)';
  const cut = db.prepare<[number, number, string], { turn: string; ended_at: number }>(
    `UPDATE attempts SET outcome = 'interrupted', ended_at = ${bootEnd} WHERE outcome IS NULL AND boot <> ? RETURNING turn, ended_at`,
  );
  const park = db.prepare<[number, number, string], { turn: string }>(`
    UPDATE attempts SET outcome = 'parked', ended_at = ${bootEnd}
    WHERE outcome IS NULL AND boot <> ? AND turn IN (${asks}) RETURNING turn`);
  const over = db.prepare(`
    UPDATE attempts SET outcome = 'ended', ended_at = (SELECT ended_at FROM turns WHERE turns.id = attempts.turn)
    WHERE outcome IS NULL AND boot <> ? AND turn IN (SELECT id FROM turns WHERE ended_at IS NOT NULL)`);
  const answered = db.prepare<[string], { yes: number }>(`
    SELECT decided_by IS NOT NULL AS yes FROM approvals WHERE turn = ? AND kind <> 'offer' AND depth = 0
    ORDER BY rowid DESC LIMIT 1`);
  const awaits = db.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM (${asks}) WHERE turn = ?`);
  const interrupted = db.prepare('UPDATE turns SET interrupted_at = ? WHERE id = ? AND ended_at IS NULL');
  const attempts = db.prepare<[string], { n: number }>('SELECT count(*) AS n FROM attempts WHERE turn = ?');

  return {
    create(turn, now) {
      const row = insert.get({
        id: newId<TurnId>(),
        session: turn.session,
        actor: JSON.stringify(turn.actor),
        address: JSON.stringify(turn.address),
        direct: turn.direct ? 1 : 0,
        replyTo: turn.replyTo,
        now,
      });
      return read(row as Row);
    },
    get(id) {
      const row = byId.get(id);
      return row && read(row);
    },
    unfinished: () => unfinished.all().map(read),
    unfinishedOf: (session) => ofSession.all(session).map(read),
    begin(turn, kind, boot, now) {
      const id = newId<AttemptId>();
      begin.run(id, turn.id, turn.session, boot, kind, now);
      setState.run('running', null, turn.id);
      return id;
    },
    endAttempt: (id, outcome, now) => void endAttempt.run(outcome, now, id),
    end: (id, state, now, rule) => void end.run(state, now, rule ?? null, id),
    setState: (id, state, rule) => void setState.run(state, rule ?? null, id),
    recover(boot, now) {
      over.run(boot);
      for (const { turn } of park.all(now, now, boot)) setState.run('parked', 'awaiting_person', turn);
      const rows = cut.all(now, now, boot);
      for (const { turn, ended_at } of rows) interrupted.run(ended_at, turn);
      return rows.map((row) => row.turn as TurnId);
    },
    attempts: (id) => attempts.get(id)?.n ?? 0,
    awaitsPerson: (id) => (awaits.get(id)?.n ?? 0) > 0,
    isAnswered: (id) => answered.get(id)?.yes === 1,
  };
}
