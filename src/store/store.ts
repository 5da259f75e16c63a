import type { WebMessages } from '../platforms/web/messages.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { type Audit, createAudit } from './audit.ts';
import { type Boots, createBoots } from './boots.ts';
import { createGrants, type Grants } from './grants.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { createHomes, type Homes } from './homes.ts';
import { type Db, openDatabase, transaction } from './open.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createMoves, type Moves } from './moves.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createPageSessions, type PageSessions } from './page-sessions.ts';
import { createRestartNotices, type RestartNotices } from './restart-notices.ts';
import { createPenalties, type Penalties } from './penalties.ts';
import { createReach, type Reach } from './reach.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createTranscript, type Transcript } from './transcript.ts';
import { createTurns, type Turns } from './turns.ts';
import { createWebMessages } from './web-messages.ts';

/** The one SQLite file, a table family each. What `tx` runs commits as a whole or not at all. */
export interface Store {
  readonly db: Db;
  readonly boots: Boots;
  readonly sessions: Sessions;
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly attempts: Attempts;
  readonly transcript: Transcript;
  readonly outbox: Outbox;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly audit: Audit;
  readonly penalties: Penalties;
  readonly reach: Reach;
  readonly moves: Moves;
  readonly homes: Homes;
  readonly restartNotices: RestartNotices;
  readonly webMessages: WebMessages;
  readonly pageSessions: PageSessions;
  tx<T>(fn: () => T): T;
  /** Last, once; nothing is written afterwards. */
  close(): void;
}

export function openStore(path: string): Store {
  const db = openDatabase(path);
  return {
    db,
    boots: createBoots(db),
    sessions: createSessions(db),
    inbox: createInbox(db),
    turns: createTurns(db),
    attempts: createAttempts(db),
    transcript: createTranscript(db),
    outbox: createOutbox(db),
    approvals: createApprovals(db),
    grants: createGrants(db),
    audit: createAudit(db),
    restartNotices: createRestartNotices(db),
    webMessages: createWebMessages(db),
    pageSessions: createPageSessions(db),
    tx: (fn) => transaction(db, fn),
    penalties: createPenalties(db),
    reach: createReach(db),
    moves: createMoves(db),
    homes: createHomes(db),
    close: () => db.close(),
  };
}
