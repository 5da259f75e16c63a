import type { JobId } from '../contract/ids.ts';
import type { Actor, Address } from '../contract/message.ts';
import type { CronMode } from '../contract/run.ts';
import type { JobTarget } from '../store/jobs.ts';
import type { Structured } from './read-schedule.ts';

/** Who asks for something about jobs, and where. */
export interface Requester {
  readonly by: Actor;
  readonly admin: boolean;
  readonly address: Address;
  readonly direct: boolean;
}

/** What somebody wants of a job; absent: as it is, or the default. */
export interface JobOrder {
  /** The person's phrase; if it can be read, it decides. */
  readonly when?: string | undefined;
  readonly structured?: Structured | undefined;
  /** A zone beside the phrase. */
  readonly tz?: string | undefined;
  /** The job it follows. */
  readonly after?: JobId | undefined;
  readonly prompt?: string | undefined;
  readonly name?: string | undefined;
  readonly deliver?: readonly JobTarget[] | undefined;
  readonly repeat?: 'forever' | 'once' | number | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly contextFrom?: readonly JobId[] | undefined;
  readonly continuity?: boolean | undefined;
  readonly misfire?: 'once' | 'skip' | 'run' | 'drop' | undefined;
  // Set by people only.
  readonly approvalMode?: CronMode | undefined;
  readonly model?: string | undefined;
  readonly workdir?: string | undefined;
  readonly script?: { readonly path: string; readonly sha256: string } | undefined;
  readonly agent?: boolean | undefined;
}

/** Circumstances of a creation or edit. */
export interface OrderOptions {
  /** The turn that asks read text of strangers: the job waits for a yes. */
  readonly tainted?: boolean | undefined;
  /** Made paused, until somebody resumes it. */
  readonly paused?: string | undefined;
  /** No card: whoever asks says it in their own way. */
  readonly quiet?: boolean | undefined;
  /** Chosen by the caller; absent: a fresh one. */
  readonly id?: JobId | undefined;
  /** A job like it was deleted lately, and the person wants it again. */
  readonly again?: boolean | undefined;
}

/** Why something was not done: a word for the log, a sentence for people. */
export class JobProblem extends Error {
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}
