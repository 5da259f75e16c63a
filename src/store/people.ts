import { newId, type PairingId } from '../contract/ids.ts';
import type { Address } from '../contract/message.ts';
import type { Db } from './open.ts';

export type Role = 'admin' | 'member';

/** Somebody who was let in by a code. */
export interface PersonRow {
  /** `platform:id`. */
  readonly person: string;
  readonly name: string;
  readonly role: Role;
  /** The direct chat they asked in. */
  readonly address: Address;
  readonly approvedBy: string;
  readonly approvedAt: number;
}

/** Somebody who asked to be let in. The code itself is nowhere. */
export interface PairingRow {
  readonly id: PairingId;
  readonly person: string;
  readonly platform: string;
  readonly name: string;
  readonly address: Address;
  readonly salt: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Who was let in beside the configuration, and who waits to be. */
export interface People {
  roleOf(person: string): Role | undefined;
  list(): readonly PersonRow[];
  hasAdmin(): boolean;
  admit(person: PersonRow): void;
  /** False: they were not in. */
  remove(person: string): boolean;
  /** An earlier code of the same person is worth nothing any more. */
  ask(pairing: Omit<PairingRow, 'id'>): PairingRow;
  get(id: PairingId): PairingRow | undefined;
  /** Codes that still count, of one platform or of all, oldest first. */
  pending(now: number, platform?: string): readonly PairingRow[];
  /** When somebody last got a code, and what became of it. */
  lastOf(person: string): { readonly at: number; readonly state: string } | undefined;
  /** False: it was decided before, or is too old. */
  decide(id: PairingId, state: 'approved' | 'refused', by: string, now: number): boolean;
  /** A wrong code was tried. */
  missed(now: number): void;
  /** When wrong codes were tried since then, oldest first. */
  misses(since: number): readonly number[];
  forgive(): void;
}

interface PersonRecord {
  person: string;
  name: string;
  role: Role;
  address: string;
  approved_by: string;
  approved_at: number;
}

interface PairingRecord {
  id: string;
  person: string;
  platform: string;
  name: string;
  address: string;
  salt: string;
  hash: string;
  created_at: number;
  expires_at: number;
}

const readPerson = ({ approved_by, approved_at, address, ...row }: PersonRecord): PersonRow => ({
  ...row,
  address: JSON.parse(address) as Address,
  approvedBy: approved_by,
  approvedAt: approved_at,
});

const readPairing = ({ id, created_at, expires_at, address, ...row }: PairingRecord): PairingRow => ({
  id: id as PairingId,
  person: row.person,
  platform: row.platform,
  name: row.name,
  salt: row.salt,
  hash: row.hash,
  address: JSON.parse(address) as Address,
  createdAt: created_at,
  expiresAt: expires_at,
});

export function createPeople(db: Db): People {
  const role = db.prepare<[string], { role: Role }>('SELECT role FROM people WHERE person = ?');
  const list = db.prepare<[], PersonRecord>('SELECT * FROM people ORDER BY approved_at, rowid');
  const hasAdmin = db.prepare(`SELECT 1 FROM people WHERE role = 'admin' LIMIT 1`);
  const admit = db.prepare(`
    INSERT INTO people (person, name, role, address, approved_by, approved_at)
    VALUES (@person, @name, @role, @address, @approvedBy, @approvedAt)
    ON CONFLICT (person) DO UPDATE SET name = excluded.name, role = excluded.role, address = excluded.address,
      approved_by = excluded.approved_by, approved_at = excluded.approved_at`);
  const remove = db.prepare('DELETE FROM people WHERE person = ?');
  const replace = db.prepare(`UPDATE pairings SET state = 'replaced' WHERE person = ? AND state = 'pending'`);
  const ask = db.prepare<object, PairingRecord>(`
    INSERT INTO pairings (id, person, platform, name, address, salt, hash, state, created_at, expires_at)
    VALUES (@id, @person, @platform, @name, @address, @salt, @hash, 'pending', @createdAt, @expiresAt) RETURNING *`);
  const byId = db.prepare<[string], PairingRecord>('SELECT * FROM pairings WHERE id = ?');
  const pendingAll = db.prepare<[number], PairingRecord>(
    `SELECT * FROM pairings INDEXED BY pairings_pending WHERE state = 'pending' AND expires_at > ? ORDER BY created_at`,
  );
  const pending = db.prepare<[string, number], PairingRecord>(
    `SELECT * FROM pairings WHERE state = 'pending' AND platform = ? AND expires_at > ? ORDER BY created_at`,
  );
  const last = db.prepare<[string], { at: number; state: string }>(
    'SELECT created_at AS at, state FROM pairings WHERE person = ? ORDER BY created_at DESC, rowid DESC LIMIT 1',
  );
  const decide = db.prepare(`
    UPDATE pairings SET state = ?, decided_by = ?, decided_at = ? WHERE id = ? AND state = 'pending' AND expires_at > ?`);
  const missed = db.prepare('INSERT INTO pairing_tries (at) VALUES (?)');
  const misses = db.prepare<[number], { at: number }>('SELECT at FROM pairing_tries WHERE at > ? ORDER BY at');
  const forgive = db.prepare('DELETE FROM pairing_tries');

  return {
    roleOf: (person) => role.get(person)?.role,
    list: () => list.all().map(readPerson),
    hasAdmin: () => hasAdmin.get() !== undefined,
    admit: (row) => void admit.run({ ...row, address: JSON.stringify(row.address) }),
    remove: (person) => remove.run(person).changes === 1,
    ask(pairing) {
      replace.run(pairing.person);
      const row = ask.get({ ...pairing, id: newId<PairingId>(), address: JSON.stringify(pairing.address) });
      return readPairing(row as PairingRecord);
    },
    get(id) {
      const row = byId.get(id);
      return row && readPairing(row);
    },
    pending: (now, platform) =>
      (platform === undefined ? pendingAll.all(now) : pending.all(platform, now)).map(readPairing),
    lastOf: (person) => last.get(person),
    decide: (id, state, by, now) => decide.run(state, by, now, id, now).changes === 1,
    missed: (now) => void missed.run(now),
    misses: (since) => misses.all(since).map((row) => row.at),
    forgive: () => void forgive.run(),
  };
}
