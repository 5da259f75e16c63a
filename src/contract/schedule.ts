import type { JobId } from './ids.ts';

/** One instant. */
export interface At {
  readonly kind: 'at';
  /** UTC ms. */
  readonly at: number;
  /** Where it was meant; for people to read. */
  readonly tz: string;
}

/** `anchor + k × period`, k >= 1. `PT…` is elapsed time; `PnD` keeps the anchor's wall clock in `tz`. */
export interface Every {
  readonly kind: 'every';
  readonly period: string;
  readonly anchorAt: number;
  readonly tz: string;
}

/** Five fields on the wall clock of `tz`; only text that `readCron` accepted. */
export interface CronLine {
  readonly kind: 'cron';
  readonly expr: string;
  readonly tz: string;
}

/** Starts when the other job's firing ends `ok`. */
export interface After {
  readonly kind: 'after';
  readonly job: JobId;
}

/** When a job runs, as far as a clock can tell. */
export type Timed = At | Every | CronLine;
export type Schedule = Timed | After;
