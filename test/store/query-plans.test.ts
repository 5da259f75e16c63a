import { describe, expect, it } from 'vitest';
import { createApprovals } from '../../src/store/approvals.ts';
import { createAttempts } from '../../src/store/attempts.ts';
import { createAudit } from '../../src/store/audit.ts';
import { createBoots } from '../../src/store/boots.ts';
import { createChatSettings } from '../../src/store/chat-settings.ts';
import { createFetchedFiles } from '../../src/store/fetched-files.ts';
import { createFirings } from '../../src/store/firings.ts';
import { createGrants } from '../../src/store/grants.ts';
import { createHomes } from '../../src/store/homes.ts';
import { createInbox } from '../../src/store/inbox.ts';
import { createJobCards } from '../../src/store/job-cards.ts';
import { createJobs } from '../../src/store/jobs.ts';
import { createMoves } from '../../src/store/moves.ts';
import { type Db, openDatabase } from '../../src/store/open.ts';
import { createOutbox } from '../../src/store/outbox.ts';
import { createPageSessions } from '../../src/store/page-sessions.ts';
import { createPenalties } from '../../src/store/penalties.ts';
import { createPeople } from '../../src/store/people.ts';
import { createReach } from '../../src/store/reach.ts';
import { createRestartNotices } from '../../src/store/restart-notices.ts';
import { createRetention } from '../../src/store/retention.ts';
import { createScheduleOwner } from '../../src/store/schedule-owner.ts';
import { createSearch } from '../../src/store/search.ts';
import { createSessions } from '../../src/store/sessions.ts';
import { createTimeZones } from '../../src/store/time-zones.ts';
import { createTranscript } from '../../src/store/transcript.ts';
import { createTurns } from '../../src/store/turns.ts';
import { createUsage } from '../../src/store/usage.ts';
import { createWebMessages } from '../../src/store/web-messages.ts';

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
  'UPDATE boots SET interrupted',
  "SELECT * FROM approvals WHERE state <> 'pending' AND begun_at IS NULL",
  'SELECT * FROM approval_event WHERE event = ?',
  // A chat got a new id.
  "UPDATE sessions SET address = json_set(address, '$.chat'",
  "UPDATE approval_cards SET address = json_set(address, '$.chat'",
  'UPDATE outbox SET chat = @to',
  'UPDATE jobs SET origin',
  'SELECT DISTINCT jobs.id, deliver',
  // A home that only the configuration names.
  "SELECT json_remove(address, '$.thread') AS address, direct FROM sessions",
  // Retention, once an hour; inbox rows live seven days.
  'DELETE FROM inbox WHERE seq IN (SELECT seq FROM inbox WHERE session = ?',
  'DELETE FROM sessions WHERE id = ?',
  'DELETE FROM attempts',
  // Asked for by a person: the whole record, the list of conversations of the page.
  'SELECT * FROM approval_event ORDER BY seq',
  'SELECT m.conversation, m.created_at AS last_at',
];

/** Bounded by what they are about: boots kept, people let in, platforms, signed-in browsers, chats with a limit. */
const SMALL = ['boots', 'homes', 'page_sessions', 'penalties', 'people', 'schedule_owner'];

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
  const open = sql.replace(/'[^']*'/g, "''");
  const names = [...new Set(open.match(/[@:]\w+/g) ?? [])].map((name) => [name.slice(1), 1]);
  const places = (open.match(/\?/g) ?? []).map(() => 1);
  const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const rows = names.length > 0 ? plan.all(Object.fromEntries(names)) : plan.all(...places);
  return (
    rows
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (?!.* USING )/.test(detail) && !/^SCAN (\(|CONSTANT)/.test(detail))
      .filter((detail) => !SMALL.includes(detail.slice('SCAN '.length)) && !/ VIRTUAL TABLE .*:M/.test(detail))
      // By row number, and no further than the limit.
      .filter(() => !/^SELECT [^?@]* ORDER BY (?:rowid|seq) DESC LIMIT \S+$/.test(sql))
  );
}

describe('no statement of every day reads a whole table', () => {
  it.each([
    ['approvals', createApprovals],
    ['attempts', createAttempts],
    ['audit', createAudit],
    ['boots', createBoots],
    ['chat-settings', createChatSettings],
    ['fetched-files', createFetchedFiles],
    ['firings', createFirings],
    ['grants', createGrants],
    ['homes', createHomes],
    ['inbox', createInbox],
    ['job-cards', createJobCards],
    ['jobs', createJobs],
    ['moves', createMoves],
    ['outbox', createOutbox],
    ['page-sessions', createPageSessions],
    ['penalties', createPenalties],
    ['people', createPeople],
    ['reach', createReach],
    ['restart-notices', createRestartNotices],
    ['retention', createRetention],
    ['schedule-owner', createScheduleOwner],
    ['search', createSearch],
    ['sessions', createSessions],
    ['time-zones', createTimeZones],
    ['transcript', createTranscript],
    ['turns', createTurns],
    ['usage', createUsage],
    ['web-messages', createWebMessages],
  ] as const)('%s', (_, create) => {
    const { db, statements } = statementsOf(create);
    expect(statements.length).toBeGreaterThan(0);
    const daily = statements.filter((sql) => !SELDOM.some((start) => sql.startsWith(start)));
    expect(daily.flatMap((sql) => scans(db, sql).map((detail) => `${detail}: ${sql}`))).toEqual([]);
  });
});
