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
  /** What this session asks instead of the configured model, `provider:model`. */
  readonly model: string | null;
  /** Whether its models think first; null: as configured. */
  readonly reasoning: 'on' | 'off' | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** Whose sessions: those of a person (`platform:id`) in direct chats, or in one group, or all of one shared place. */
export type SessionScope =
  | { readonly kind: 'direct'; readonly owner: string }
  | { readonly kind: 'chat'; readonly owner: string; readonly chat: string }
  | { readonly kind: 'shared'; readonly key: string };

export interface SessionLine extends SessionRow {
  /** When something was last said in it. */
  readonly lastAt: number;
  /** The first words of it. */
  readonly begins: string;
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
  /** Another session of this person (`platform:id`) has that title already, in any case. */
  titled(owner: string, title: string, except: SessionId): boolean;
  setModel(id: SessionId, model: string | null): void;
  setReasoning(id: SessionId, reasoning: SessionRow['reasoning']): void;
  /** Ended sessions in which something was said, the newest first. `undefined`: everybody's. */
  ended(scope: SessionScope | undefined, limit: number): readonly SessionLine[];
  /** An ended session goes on, here. The open one of the key must have ended. */
  revive(id: SessionId, key: string, address: Address, direct: boolean): void;
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
  model: string | null;
  reasoning: SessionRow['reasoning'];
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
  model: row.model,
  reasoning: row.reasoning,
  createdAt: row.created_at,
  endedAt: row.ended_at,
});

/** The condition on a row of `sessions`; its names are those of `scopeFacts`. */
export function scopeSql(kind: SessionScope['kind']): string {
  switch (kind) {
    case 'direct':
      return 'sessions.owner = @owner AND sessions.direct = 1';
    case 'chat':
      return `sessions.owner = @owner AND sessions.direct = 0 AND json_extract(sessions.address, '$.chat') = @chat`;
    case 'shared':
      return 'sessions.key = @key';
  }
}

export function scopeFacts({ kind: _, ...facts }: SessionScope): object {
  return facts;
}

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
  const titled = db.prepare<[string, string, string]>(
    'SELECT 1 FROM sessions WHERE owner = ? AND lower(title) = lower(?) AND id <> ? LIMIT 1',
  );
  const model = db.prepare('UPDATE sessions SET model = ? WHERE id = ?');
  const reasoning = db.prepare('UPDATE sessions SET reasoning = ? WHERE id = ?');
  const endedIn = (scope: string) =>
    db.prepare<object, Row & { last_at: number; begins: string }>(`
      SELECT sessions.*, max(transcript.created_at) AS last_at,
        (SELECT content FROM transcript AS first WHERE first.session = sessions.id AND first.role = 'user'
          AND first.hidden = 0 ORDER BY first.seq LIMIT 1) AS begins
      FROM sessions JOIN transcript ON transcript.session = sessions.id
      WHERE sessions.ended_at IS NOT NULL AND ${scope} GROUP BY sessions.id ORDER BY sessions.ended_at DESC LIMIT @limit`);
  const ended = {
    direct: endedIn(scopeSql('direct')),
    chat: endedIn(scopeSql('chat')),
    shared: endedIn(scopeSql('shared')),
    all: endedIn('true'),
  };
  const revive = db.prepare(
    'UPDATE sessions SET ended_at = NULL, key = ?, address = ?, direct = ? WHERE id = ? AND ended_at IS NOT NULL',
  );
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
    titled: (owner, text, except) => titled.get(owner, text, except) !== undefined,
    setModel: (id, name) => void model.run(name, id),
    setReasoning: (id, how) => void reasoning.run(how, id),
    ended(scope, limit) {
      const rows = ended[scope?.kind ?? 'all'].all({ ...(scope ? scopeFacts(scope) : {}), limit });
      return rows.map((row) => ({ ...read(row), lastAt: row.last_at, begins: row.begins ?? '' }));
    },
    revive: (id, key, address, direct) => void revive.run(key, JSON.stringify(address), direct ? 1 : 0, id),
    setCwd: (id, path) => void cwd.run(path, id),
    setYolo: (id, until) => void yolo.run(until, id),
    clearYolo: () => void clearYolo.run(),
  };
}
