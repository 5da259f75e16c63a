import { type BootId, newId } from '../contract/ids.ts';
import { type Db, transaction } from './open.ts';

/** How a process life ended; gateway.md section 3 says what each counts for. */
export type BootEnd =
  | 'stopped'
  | 'restarted'
  | 'signal'
  | 'forced'
  | 'crash'
  | 'watchdog'
  | 'overrun'
  | 'vanished'
  | 'start_failed';

export interface BootRow {
  readonly id: BootId;
  readonly startedAt: number;
  readonly readyAt: number | null;
  readonly endedAt: number | null;
  readonly how: BootEnd | null;
}

/** The journal of process lives. A boot is a row before anything that can crash. */
export interface Boots {
  /** Earlier boots without an end get their class and, as end, their last sign of life; then this one is inserted. */
  begin(pid: number, now: number): BootRow;
  ready(id: BootId, now: number): void;
  /** A sign of life, each 10 s: how old an interruption is counts from the last one. */
  beat(id: BootId, now: number): void;
  stopBegan(id: BootId, signal: string | null, now: number): void;
  end(id: BootId, how: BootEnd, now: number): void;
  recent(limit: number): readonly BootRow[];
}

interface Row {
  id: string;
  started_at: number;
  ready_at: number | null;
  ended_at: number | null;
  how: BootEnd | null;
}

const read = (row: Row): BootRow => ({
  id: row.id as BootId,
  startedAt: row.started_at,
  readyAt: row.ready_at,
  endedAt: row.ended_at,
  how: row.how,
});

export function createBoots(db: Db): Boots {
  const classify = db.prepare(
    `UPDATE boots SET how = CASE WHEN ready_at IS NULL THEN 'start_failed' ELSE 'vanished' END,
       ended_at = max(started_at, coalesce(ready_at, 0), coalesce(heartbeat_at, 0), coalesce(stop_began_at, 0))
     WHERE ended_at IS NULL`,
  );
  const insert = db.prepare<[string, number, number], Row>(
    'INSERT INTO boots (id, pid, started_at) VALUES (?, ?, ?) RETURNING *',
  );
  const ready = db.prepare('UPDATE boots SET ready_at = ? WHERE id = ?');
  const beat = db.prepare('UPDATE boots SET heartbeat_at = ? WHERE id = ?');
  const stopBegan = db.prepare('UPDATE boots SET stop_began_at = ?, signal = ? WHERE id = ?');
  const end = db.prepare('UPDATE boots SET ended_at = ?, how = ? WHERE id = ? AND ended_at IS NULL');
  const recent = db.prepare<[number], Row>('SELECT * FROM boots ORDER BY started_at DESC, rowid DESC LIMIT ?');

  return {
    begin: (pid, now) =>
      transaction(db, () => {
        classify.run();
        return read(insert.get(newId<BootId>(), pid, now) as Row);
      }),
    ready: (id, now) => void ready.run(now, id),
    beat: (id, now) => void beat.run(now, id),
    stopBegan: (id, signal, now) => void stopBegan.run(now, signal, id),
    end: (id, how, now) => void end.run(now, how, id),
    recent: (limit) => recent.all(limit).map(read),
  };
}
