import { type ApprovalId, type GrantId, type JobId, newId, type SessionId } from '../contract/ids.ts';
import type { Db } from './open.ts';

export type GrantKind = 'session' | 'timed' | 'always' | 'job';

/** What a yes would cover: one finding of one inner command, or one script or call by its digest. */
export interface GrantTemplate {
  readonly rule: string;
  /** Of the inner command, every word literal; empty for a digest. */
  readonly argv: readonly string[];
  /** `prefix`: more words after these are covered too. */
  readonly shape: 'exact' | 'prefix';
  readonly cwd: string;
  readonly backend: string;
  /** Identities of the wrappers, outermost first: `sudo:root`. */
  readonly wrappers: readonly string[];
  readonly assignments: readonly (readonly [name: string, value: string])[];
  /** Scripts and tool calls: SHA-256, hex. */
  readonly digest: string | null;
}

export interface GrantRow extends GrantTemplate {
  readonly id: GrantId;
  readonly kind: GrantKind;
  readonly session: SessionId | null;
  readonly job: JobId | null;
  /** An Always that jobs may use too. */
  readonly jobs: boolean;
  /** `platform:id` of who said yes; for a job grant the owner. */
  readonly actor: string;
  readonly approval: ApprovalId | null;
  readonly uses: number;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export type NewGrant = Omit<GrantRow, 'id' | 'uses' | 'revokedAt'>;

/** Remembered yeses. A revoked one stays as a row and covers nothing. */
export interface Grants {
  add(grant: NewGrant): GrantRow;
  get(id: GrantId): GrantRow | undefined;
  /** Not revoked and not expired, for one rule. */
  live(rule: string, now: number): readonly GrantRow[];
  /** Not revoked and not expired, newest first. */
  list(now: number): readonly GrantRow[];
  used(id: GrantId): void;
  /** Only an Always reaches jobs. False: there is none with this id. */
  setJobs(id: GrantId, on: boolean): boolean;
  revoke(id: GrantId, now: number): boolean;
  /** Session and timed grants end with their session. Returns how many. */
  revokeSession(session: SessionId, now: number): number;
  revokeJob(job: JobId, now: number): number;
  revokeActor(actor: string, now: number): number;
}

interface Row {
  id: string;
  kind: GrantKind;
  rule: string;
  argv: string;
  shape: 'exact' | 'prefix';
  cwd: string;
  backend: string;
  wrappers: string;
  assignments: string;
  digest: string | null;
  session: string | null;
  job: string | null;
  jobs: number;
  actor: string;
  approval: string | null;
  uses: number;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

const read = (row: Row): GrantRow => ({
  id: row.id as GrantId,
  kind: row.kind,
  rule: row.rule,
  argv: JSON.parse(row.argv) as string[],
  shape: row.shape,
  cwd: row.cwd,
  backend: row.backend,
  wrappers: JSON.parse(row.wrappers) as string[],
  assignments: JSON.parse(row.assignments) as [string, string][],
  digest: row.digest,
  session: row.session as SessionId | null,
  job: row.job as JobId | null,
  jobs: row.jobs === 1,
  actor: row.actor,
  approval: row.approval as ApprovalId | null,
  uses: row.uses,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});

const LIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)';

export function createGrants(db: Db): Grants {
  const insert = db.prepare<[object], Row>(`
    INSERT INTO grants (id, kind, rule, argv, shape, cwd, backend, wrappers, assignments, digest, session, job, jobs, actor,
      approval, created_at, expires_at)
    VALUES (@id, @kind, @rule, @argv, @shape, @cwd, @backend, @wrappers, @assignments, @digest, @session, @job, @jobs, @actor,
      @approval, @createdAt, @expiresAt) RETURNING *`);
  const byId = db.prepare<[string], Row>('SELECT * FROM grants WHERE id = ?');
  const live = db.prepare<[string, number], Row>(`SELECT * FROM grants WHERE rule = ? AND ${LIVE} ORDER BY created_at`);
  const list = db.prepare<[number], Row>(`SELECT * FROM grants WHERE ${LIVE} ORDER BY created_at DESC, rowid DESC`);
  const used = db.prepare('UPDATE grants SET uses = uses + 1 WHERE id = ?');
  const jobs = db.prepare(`UPDATE grants SET jobs = ? WHERE id = ? AND kind = 'always' AND revoked_at IS NULL`);
  const revoke = db.prepare('UPDATE grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const revokeSession = db.prepare(
    `UPDATE grants SET revoked_at = ? WHERE session = ? AND kind IN ('session', 'timed') AND revoked_at IS NULL`,
  );
  const revokeJob = db.prepare('UPDATE grants SET revoked_at = ? WHERE job = ? AND revoked_at IS NULL');
  const revokeActor = db.prepare('UPDATE grants SET revoked_at = ? WHERE actor = ? AND revoked_at IS NULL');

  return {
    add(grant) {
      const row = insert.get({
        ...grant,
        id: newId<GrantId>(),
        argv: JSON.stringify(grant.argv),
        wrappers: JSON.stringify(grant.wrappers),
        assignments: JSON.stringify(grant.assignments),
        jobs: grant.jobs ? 1 : 0,
      });
      return read(row as Row);
    },
    get(id) {
      const row = byId.get(id);
      return row && read(row);
    },
    live: (rule, now) => live.all(rule, now).map(read),
    list: (now) => list.all(now).map(read),
    used: (id) => void used.run(id),
    setJobs: (id, on) => jobs.run(on ? 1 : 0, id).changes === 1,
    revoke: (id, now) => revoke.run(now, id).changes === 1,
    revokeSession: (session, now) => revokeSession.run(now, session).changes,
    revokeJob: (job, now) => revokeJob.run(now, job).changes,
    revokeActor: (actor, now) => revokeActor.run(now, actor).changes,
  };
}
