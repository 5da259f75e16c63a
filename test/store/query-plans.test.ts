import { describe, expect, it } from 'vitest';
import { createFirings } from '../../src/store/firings.ts';
import { createInbox } from '../../src/store/inbox.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { type Db, openDatabase } from '../../src/store/open.ts';
import { createOutbox } from '../../src/store/outbox.ts';
import { createSessions } from '../../src/store/sessions.ts';
import { createTranscript } from '../../src/store/transcript.ts';
import { createTurns } from '../../src/store/turns.ts';

/** Run at boot, when a token was refused, or when somebody asks for numbers: these may read their whole table. */
const SELDOM = [
  "UPDATE outbox SET state = 'cancelled' WHERE state = 'sending'",
  "UPDATE outbox SET state = 'pending', due_at = ? WHERE state = 'sending'",
  "UPDATE outbox SET state = 'ambiguous'",
  "UPDATE outbox SET state = 'pending', due_at = ? WHERE platform = ? AND state = 'held'",
  "UPDATE outbox SET state = 'dead' WHERE platform = ? AND state = 'held'",
  'SELECT state, count(*) AS n FROM outbox GROUP BY state',
  "UPDATE inbox SET state = 'new'",
  'UPDATE attempts',
  'UPDATE sessions SET yolo_until = NULL',
  "UPDATE outbox SET state = 'held'",
  'UPDATE outbox SET part = part + ?',
  // Its plan names the tables that refer to it; they are read only while a foreign key is broken.
  'INSERT INTO sessions',
  "SELECT * FROM jobs WHERE state <> 'deleted'",
];

function statementsOf(create: (db: Db) => unknown): { db: Db; statements: string[] } {
  const db = openDatabase(':memory:');
  const { prepare } = db;
  const statements: string[] = [];
  db.prepare = ((sql: string) => {
    statements.push(sql.replace(/\s+/g, ' ').trim());
    return prepare.call(db, sql);
  }) as typeof prepare;
  create(db);
  return { db, statements };
}

function scans(db: Db, sql: string): string[] {
  const names = [...new Set(sql.match(/[@:]\w+/g) ?? [])].map((name) => [name.slice(1), 1]);
  const places = (sql.match(/\?/g) ?? []).map(() => 1);
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const rows = names.length > 0 ? plan.all(Object.fromEntries(names)) : plan.all(...places);
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => /^SCAN (?!.* USING )/.test(detail) && !/^SCAN (\(|CONSTANT)/.test(detail));
}

describe('no statement of every day reads a whole table', () => {
  it.each([
    ['firings', createFirings],
    ['inbox', createInbox],
    ['jobs', createJobs],
    ['outbox', createOutbox],
    ['sessions', createSessions],
    ['transcript', createTranscript],
    ['turns', createTurns],
  ] as const)('%s', (_, create) => {
    const { db, statements } = statementsOf(create);
    expect(statements.length).toBeGreaterThan(5);
    const daily = statements.filter((sql) => !SELDOM.some((start) => sql.startsWith(start)));
    expect(daily.flatMap((sql) => scans(db, sql).map((detail) => `${detail}: ${sql}`))).toEqual([]);
  });
});
