import { newId, type SessionId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { Db } from './open.ts';

export interface SessionRow {
  readonly id: SessionId;
  /** Where and whose: see gateway.md section 10. */
  readonly key: string;
  /** `platform:id` of the person who opened it. */
  readonly owner: string;
  readonly address: Address;
  readonly direct: boolean;
  readonly title: string | null;
  /** The folder the session's shell stands in; null: the workspace. */
  readonly cwd: string | null;
  readonly yoloUntil: number | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** Conversations with memory. At most one open session a key; an ended one never opens again by itself. */
export interface Sessions {
  /** The open session of a key, made when there is none. */
  open(key: string, owner: Actor, address: Address, direct: boolean, now: number): SessionRow;
  current(key: string): SessionRow | undefined;
  get(id: SessionId): SessionRow | undefined;
  /** The direct chat of a person (`platform:id`) they used last. */
  directOf(owner: string): Address | undefined;
  /** Ends the open session of a key. Nothing to end: undefined. */
  end(key: string, now: number): SessionRow | undefined;
  setTitle(id: SessionId, title: string): void;
  setCwd(id: SessionId, cwd: string): void;
  setYolo(id: SessionId, until: number | null): void;
  /** No session yolo survives a restart. */
  clearYolo(): void;
}

interface Row {
  id: string;
  key: string;
  owner: string;
  address: string;
  direct: number;
  title: string | null;
  cwd: string | null;
  yolo_until: number | null;
  created_at: number;
  ended_at: number | null;
}

const read = (row: Row): SessionRow => ({
  id: row.id as SessionId,
  key: row.key,
  owner: row.owner,
  address: JSON.parse(row.address) as Address,
  direct: row.direct === 1,
  title: row.title,
  cwd: row.cwd,
  yoloUntil: row.yolo_until,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});

export function createSessions(db: Db): Sessions {
  const current = db.prepare<[string], Row>('SELECT * FROM sessions WHERE key = ? AND ended_at IS NULL');
  const byId = db.prepare<[string], Row>('SELECT * FROM sessions WHERE id = ?');
  const direct = db.prepare<[string], Row>(
    'SELECT * FROM sessions WHERE owner = ? AND direct = 1 ORDER BY created_at DESC, rowid DESC LIMIT 1',
  );
  const insert = db.prepare<[string, string, string, string, number, number], Row>(
    `INSERT INTO sessions (id, key, owner, address, direct, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
  );
  const end = db.prepare<[number, string], Row>(
    'UPDATE sessions SET ended_at = ? WHERE key = ? AND ended_at IS NULL RETURNING *',
  );
  const title = db.prepare('UPDATE sessions SET title = ? WHERE id = ?');
  const cwd = db.prepare('UPDATE sessions SET cwd = ? WHERE id = ?');
  const yolo = db.prepare('UPDATE sessions SET yolo_until = ? WHERE id = ?');
  const clearYolo = db.prepare('UPDATE sessions SET yolo_until = NULL WHERE yolo_until IS NOT NULL');

  return {
    open(key, owner, address, direct, now) {
      const there = current.get(key);
      if (there) return read(there);
      const id = newId<SessionId>();
      const actor = `${owner.platform}:${owner.id}`;
      return read(insert.get(id, key, actor, JSON.stringify(address), direct ? 1 : 0, now) as Row);
    },
    current(key) {
      const row = current.get(key);
      return row && read(row);
    },
    get(id) {
      const row = byId.get(id);
      return row && read(row);
    },
    directOf(owner) {
      const row = direct.get(owner);
      return row && read(row).address;
    },
    end(key, now) {
      const row = end.get(now, key);
      return row && read(row);
    },
    setTitle: (id, text) => void title.run(text, id),
    setCwd: (id, path) => void cwd.run(path, id),
    setYolo: (id, until) => void yolo.run(until, id),
    clearYolo: () => void clearYolo.run(),
  };
}
