import type { WebMessages } from '../platforms/web/messages.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { type Audit, createAudit } from './audit.ts';
import { type Boots, createBoots } from './boots.ts';
import { type ChatSettings, createChatSettings } from './chat-settings.ts';
import { createFetchedFiles, type FetchedFiles } from './fetched-files.ts';
import { createFirings, type Firings } from './firings.ts';
import { createGrants, type Grants } from './grants.ts';
import { createHomes, type Homes } from './homes.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { createJobCards, type JobCards } from './job-cards.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { createMoves, type Moves } from './moves.ts';
import { type Db, openDatabase, transaction } from './open.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createPageSessions, type PageSessions } from './page-sessions.ts';
import { createPenalties, type Penalties } from './penalties.ts';
import { createPeople, type People } from './people.ts';
import { createReach, type Reach } from './reach.ts';
import { createRestartNotices, type RestartNotices } from './restart-notices.ts';
import { createRetention, type Retention } from './retention.ts';
import { createScheduleOwner, type ScheduleOwner } from './schedule-owner.ts';
import { createSearch, type Search } from './search.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createTimeZones, type TimeZones } from './time-zones.ts';
import { createTranscript, type Transcript } from './transcript.ts';
import { createTurns, type Turns } from './turns.ts';
import { createUsage, type UsageLedger } from './usage.ts';
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
  readonly penalties: Penalties;
  readonly reach: Reach;
  readonly moves: Moves;
  readonly homes: Homes;
  readonly chatSettings: ChatSettings;
  readonly people: People;
  readonly usage: UsageLedger;
  readonly search: Search;
  readonly retention: Retention;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly audit: Audit;
  readonly fetchedFiles: FetchedFiles;
  readonly restartNotices: RestartNotices;
  readonly jobs: Jobs;
  readonly jobCards: JobCards;
  readonly firings: Firings;
  readonly scheduleOwner: ScheduleOwner;
  readonly timeZones: TimeZones;
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
    penalties: createPenalties(db),
    reach: createReach(db),
    moves: createMoves(db),
    homes: createHomes(db),
    chatSettings: createChatSettings(db),
    people: createPeople(db),
    usage: createUsage(db),
    search: createSearch(db),
    retention: createRetention(db),
    approvals: createApprovals(db),
    grants: createGrants(db),
    audit: createAudit(db),
    fetchedFiles: createFetchedFiles(db),
    restartNotices: createRestartNotices(db),
    jobs: createJobs(db),
    jobCards: createJobCards(db),
    firings: createFirings(db),
    scheduleOwner: createScheduleOwner(db),
    timeZones: createTimeZones(db),
    webMessages: createWebMessages(db),
    pageSessions: createPageSessions(db),
    tx: (fn) => transaction(db, fn),
    close: () => db.close(),
  };
}
