import { type Db, transaction } from './open.ts';

export interface Ages {
  /** `sessions.retention_days`, ms. */
  readonly sessionMs: number;
}

/** Lets go of what is over. */
export interface Retention {
  /** One batch of each kind, each a short transaction. Returns how many rows went; 0: nothing is left to do. */
  sweep(ages: Ages, now: number): number;
}

const DAY_MS = 86_400_000;
const BATCH = 500;
const DONE_MS = 7 * DAY_MS;
const DEAD_MS = 30 * DAY_MS;
const CARD_MS = 400 * DAY_MS;
const BOOTS = 200;

export function createRetention(db: Db): Retention {
  const inbox = db.prepare(
    `DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE done_at < ? ORDER BY done_at LIMIT ${BATCH})`,
  );
  // The card of a held turn tells since when it is held, for as long as that lasts.
  const outbox = db.prepare(`
    DELETE FROM outbox WHERE seq IN (
      SELECT seq FROM outbox WHERE created_at < @done
        AND (state IN ('sent', 'superseded', 'cancelled') OR (state = 'dead' AND created_at < @dead))
        AND (key NOT LIKE 'held:%' OR created_at < @card)
      ORDER BY created_at LIMIT ${BATCH})`);
  const usage = db.prepare(
    `DELETE FROM usage WHERE seq IN (SELECT seq FROM usage WHERE at < ? ORDER BY at LIMIT ${BATCH})`,
  );
  const ended = db.prepare<[number], { id: string }>(
    'SELECT id FROM sessions WHERE ended_at < ? ORDER BY ended_at LIMIT 1',
  );
  const inSession = [
    'DELETE FROM calls WHERE rowid IN (SELECT calls.rowid FROM transcript JOIN calls ON calls.message = transcript.seq WHERE transcript.session = ? LIMIT 500)',
    'DELETE FROM transcript WHERE seq IN (SELECT seq FROM transcript WHERE session = ? LIMIT 500)',
    'DELETE FROM attempts WHERE rowid IN (SELECT rowid FROM attempts WHERE session = ? LIMIT 500)',
    'DELETE FROM turns WHERE rowid IN (SELECT rowid FROM turns WHERE session = ? LIMIT 500)',
    'DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE session = ? LIMIT 500)',
    'DELETE FROM approval_cards WHERE rowid IN (SELECT approval_cards.rowid FROM approvals JOIN approval_cards ON approval = approvals.id WHERE session = ? LIMIT 500)',
    'DELETE FROM approvals WHERE rowid IN (SELECT rowid FROM approvals WHERE session = ? LIMIT 500)',
    'DELETE FROM sessions WHERE id = ?',
  ].map((sql) => db.prepare<[string]>(sql));
  const oldest = db.prepare<[], { rowid: number }>(
    `SELECT rowid FROM boots ORDER BY rowid DESC LIMIT 1 OFFSET ${BOOTS}`,
  );
  const attempts = db.prepare(`
    DELETE FROM attempts WHERE rowid IN (
      SELECT attempts.rowid FROM attempts JOIN boots ON boots.id = attempts.boot JOIN turns ON turns.id = attempts.turn
      WHERE boots.rowid <= ? AND turns.ended_at IS NOT NULL LIMIT ${BATCH})`);
  const boots = db.prepare(`
    DELETE FROM boots WHERE rowid IN (
      SELECT rowid FROM boots WHERE rowid <= ? AND id NOT IN (SELECT boot FROM attempts) LIMIT ${BATCH})`);
  const ago = (now: number, ms: number) => now - ms;

  /** The first kind of rows that still has some; the session itself last. */
  const session = (before: number): number => {
    const found = ended.get(before);
    for (const statement of found ? inSession : []) {
      const { changes } = statement.run(found?.id ?? '');
      if (changes > 0) return changes;
    }
    return 0;
  };
  const journal = (): number => {
    const found = oldest.get();
    return found ? attempts.run(found.rowid).changes + boots.run(found.rowid).changes : 0;
  };

  return {
    sweep({ sessionMs }, now) {
      const steps = [
        () => inbox.run(ago(now, DONE_MS)).changes,
        () => outbox.run({ done: ago(now, DONE_MS), dead: ago(now, DEAD_MS), card: ago(now, CARD_MS) }).changes,
        () => usage.run(ago(now, CARD_MS)).changes,
        () => session(ago(now, sessionMs)),
        journal,
      ];
      return steps.reduce((sum, step) => sum + transaction(db, step), 0);
    },
  };
}
