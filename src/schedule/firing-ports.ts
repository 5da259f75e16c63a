import type { ModelFailure } from '../contract/model.ts';
import type { CronRun, EndReason } from '../contract/run.ts';
import type { JobRow } from '../store/jobs.ts';
import type { NewMessage } from '../store/transcript.ts';
import type { TurnRow } from '../store/turns.ts';

/** What the agent tells while it works. Nothing here throws or blocks. */
export interface FiringSink {
  text(delta: string): void;
  restart(): void;
  step(): void;
  tool(line: string): void;
  notice(line: string): void;
  waiting(on: boolean): void;
}

/** How the agent's turn ended; the same shapes as those of a chat's turn. */
export type TurnOutcome =
  | { readonly kind: 'replied'; readonly text: string; readonly message: NewMessage | undefined }
  | { readonly kind: 'stopped'; readonly by: EndReason; readonly partial: string }
  | { readonly kind: 'parked' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly text: string };

export type ScriptOutcome =
  | { readonly kind: 'ended'; readonly code: number; readonly output: string }
  /** The file is not what was allowed; `sha256`: what it is. */
  | { readonly kind: 'changed'; readonly why: string; readonly sha256: string }
  | { readonly kind: 'missing'; readonly why: string }
  | { readonly kind: 'killed' };

/** What firings need of the layers above: handed in by app.ts. */
export interface FiringPorts {
  /** Runs a turn of the agent. Awaited inside the run. Ends within 100 ms of the run's signal. */
  turn(order: { readonly turn: TurnRow; readonly run: CronRun }, sink: FiringSink): Promise<TurnOutcome>;
  /** A tool or model the job names that is not there, as a sentence; undefined: all is there. */
  missing(job: JobRow, run: CronRun): string | undefined;
  /** Too much was refused in this run: nothing more of it may be tried. */
  blocked(run: CronRun): boolean;
  /** The firing is over: its owner is offered what it was refused. Outside any run. */
  ended(run: CronRun, job: { readonly name: string; readonly slot: string }): void;
  /** The script of a job, by argv, without a shell. Awaited inside the run; ends with its signal. */
  script(job: JobRow, run: CronRun): Promise<ScriptOutcome>;
}
