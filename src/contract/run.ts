import type { FiringId, JobId, RunId, SessionId } from './ids.ts';
import type { Actor, Address } from './message.ts';

export type CronMode = 'deny' | 'allowlist' | 'ask' | 'approve';

interface RunBase {
  readonly runId: RunId;
  /** The run at the top of a delegation; equal to `runId` at depth 0. */
  readonly rootId: RunId;
  readonly session: SessionId;
  /** 0 for a turn or firing, 1 or more for a delegated worker. Delegation keeps the kind. */
  readonly depth: number;
  readonly signal: AbortSignal;
}

export interface ChatRun extends RunBase {
  readonly kind: 'chat';
  /** The requester, never the presser of a button. */
  readonly actor: Actor;
  readonly replyTo: Address;
  readonly resumed: boolean;
}

export interface CronRun extends RunBase {
  readonly kind: 'cron';
  readonly jobId: JobId;
  readonly firingId: FiringId;
  readonly owner: Actor;
  readonly deliverTo: readonly Address[];
  /** The job's own mode; undefined follows `approvals.cron_mode`. */
  readonly approvalMode: CronMode | undefined;
  readonly trigger: 'schedule' | 'catch_up' | 'manual' | 'after';
}

export interface CliRun extends RunBase {
  readonly kind: 'cli';
  readonly terminal: string;
}

export interface UnattendedRun extends RunBase {
  readonly kind: 'unattended';
  readonly source: string;
  readonly principal: string;
}

/** One execution and on whose behalf it happens. Deeply frozen; opened only by `withRun`, from a row. */
export type RunContext = ChatRun | CronRun | CliRun | UnattendedRun;

/** Why a run's signal was aborted; it is the signal's `reason`. `shutdown` leaves a pending question pending: the turn parks. */
export type EndReason = 'stop' | 'reset' | 'interrupt' | 'idle' | 'shutdown';
