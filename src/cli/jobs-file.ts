import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HermodError } from '../contract/errors.ts';
import type { Host } from '../host.ts';
import { readRunFile } from '../process/single-instance.ts';
import { Outputs } from '../schedule/outputs.ts';
import { createFirings, type Firings } from '../store/firings.ts';
import { createJobs, type JobRow, type Jobs } from '../store/jobs.ts';
import { openReadOnly } from '../store/open.ts';
import { createTimeZones, type TimeZones } from '../store/time-zones.ts';
import { homeOf } from './daemon-client.ts';

/** The jobs of a home, read beside a running daemon or without one; nothing is written, not even a lock. */
export interface JobsFile {
  readonly jobs: Jobs;
  readonly firings: Firings;
  readonly timeZones: TimeZones;
  readonly outputs: Outputs;
  close(): void;
}

/** Opens, uses and closes. Throws HermodError where there is nothing to read. */
export async function withJobsFile<T>(host: Host, use: (file: JobsFile) => T | Promise<T>): Promise<T> {
  const home = jobsHome(host);
  const db = openReadOnly(join(home, 'hermod.db'));
  try {
    const file = { jobs: createJobs(db), firings: createFirings(db), timeZones: createTimeZones(db) };
    return await use({ ...file, outputs: new Outputs(join(home, 'results', 'jobs')), close: () => db.close() });
  } catch (error) {
    if (error instanceof Error && /no such table/.test(error.message))
      throw new HermodError('operator', 'This home was written by an older hermod. Start it once with npm start.');
    throw error;
  } finally {
    db.close();
  }
}

/** Where the daemon runs; else the home itself, else its practice home. */
export function jobsHome(host: Host): string {
  const base = homeOf(host);
  const homes = [base, join(base, 'practice')];
  return (
    homes.find((home) => readRunFile(home) !== undefined) ??
    homes.find((home) => existsSync(join(home, 'hermod.db'))) ??
    base
  );
}

/** The job a word names, or a sentence. */
export function jobNamed(word: string, { jobs }: Pick<JobsFile, 'jobs'>): JobRow | string {
  const found = jobs.find(word);
  const live = found.filter(({ state }) => state !== 'deleted');
  const [job, ...more] = live.length > 0 ? live : found;
  if (!job) return `I know no job "${word}". hermod jobs list names them.`;
  return more.length === 0 ? job : `Which one? ${[job, ...more].map(({ id }) => id).join(', ')}`;
}
