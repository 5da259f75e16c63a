import { loadConfig } from '../config/load.ts';
import { systemClock } from '../context/system-clock.ts';
import { HermodError } from '../contract/errors.ts';
import type { Host } from '../host.ts';
import { REAL_RUNS } from '../schedule/claims.ts';
import { checkAccounts } from '../schedule/doctor.ts';
import { nextOf } from '../schedule/echo.ts';
import { isListed } from '../schedule/job-rules.ts';
import { historyText, listText, nextText, showText } from '../schedule/job-texts.ts';
import { instantText } from '../schedule/time-words.ts';
import type { JobRow } from '../store/jobs.ts';
import { readArguments } from './arguments.ts';
import { homeOf } from './daemon-client.ts';
import { type JobsFile, jobNamed, withJobsFile } from './jobs-file.ts';
import { jobsPreview, tellRuns } from './jobs-preview.ts';

const NOT_FOUND = 4;
const NOT_WELL = 3;
const OPERATOR = 'cli:operator';
const KEPT = 200;

/** `hermod jobs list [--json]` */
export function jobsList(host: Host, args: readonly string[]): Promise<number> {
  return reading(host, args, 0, (file, _words, json) => {
    const now = systemClock.now();
    const jobs = file.jobs.all().filter((job) => isListed(job, now));
    host.out.write(json ? lines(jobs.map((job) => view(job, file))) : `${listText(jobs, file, facts(file))}\n`);
    return 0;
  });
}

/** `hermod jobs show JOB [--json]` */
export const jobsShow = (host: Host, args: readonly string[]): Promise<number> =>
  aboutJob(
    host,
    args,
    (job, file) => showText(job, file, facts(file, job)),
    (job, file) => view(job, file),
  );

/** `hermod jobs history JOB [--json]` */
export const jobsHistory = (host: Host, args: readonly string[]): Promise<number> =>
  aboutJob(
    host,
    args,
    (job, file) => historyText(job, file, facts(file, job)),
    (job, file) => ({
      job: job.id,
      firings: file.firings.ofJob(job.id, KEPT),
      gaps: file.firings.gapsOf(job.id, KEPT),
    }),
  );

/** `hermod jobs next JOB|PHRASE [--tz ZONE]`; what names no job is a phrase, read in the zone of whoever sits here. */
export async function jobsNext(host: Host, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { flags: ['json'] });
  if (typeof given === 'string' || given.words.length === 0) return jobsPreview(host, args);
  const word = given.words.join(' ');
  const { known, tz } = await lookUp(host, word);
  if (known)
    return aboutJob(
      host,
      args,
      (job, file) => nextText(job, facts(file, job), 10),
      (job, file) => ({ job: job.id, next: nextOf(job, facts(file).now, 10).map((at) => new Date(at).toISOString()) }),
    );
  const fallback = tz === undefined ? undefined : ({ tz, source: 'config' } as const);
  return tellRuns(host, word, given.flags.has('json'), { now: systemClock.now(), fallback });
}

/** Whether a word names a job here, and the zone of phrases without one. A home that nobody has used yet has neither. */
async function lookUp(host: Host, word: string): Promise<{ readonly known: boolean; readonly tz: string | undefined }> {
  const loaded = loadConfig({ home: homeOf(host), env: host.env, set: [] });
  const tz = loaded.ok ? loaded.config.cron.timezone : undefined;
  try {
    return await withJobsFile(host, ({ jobs, timeZones }) => ({
      known: jobs.find(word).length > 0,
      tz: timeZones.ofPerson(OPERATOR) ?? tz,
    }));
  } catch (error) {
    if (error instanceof HermodError) return { known: false, tz };
    throw error;
  }
}

/** `hermod jobs doctor`: 0 all slots have their record, 3 not. */
export function jobsDoctor(host: Host, args: readonly string[]): Promise<number> {
  return reading(host, args, 0, (file, _words, json) => {
    const all = file.jobs.all();
    const faults = all.flatMap((job) => checkAccounts(job, file, REAL_RUNS, KEPT));
    if (json) host.out.write(lines([{ v: 1, jobs: all.length, faults }]));
    else if (faults.length === 0) host.out.write(`ok, ${all.length} jobs, every slot has its record\n`);
    for (const { job, slotAt, what } of json ? [] : faults) {
      const tz = all.find(({ id }) => id === job)?.tz ?? 'UTC';
      host.err.write(`${job}: ${what} of the slot ${instantText(tz, slotAt)}\n`);
    }
    return faults.length === 0 ? 0 : NOT_WELL;
  });
}

function aboutJob(
  host: Host,
  args: readonly string[],
  text: (job: JobRow, file: JobsFile) => string,
  json: (job: JobRow, file: JobsFile) => object,
): Promise<number> {
  return reading(host, args, 1, (file, words, asJson) => {
    const job = jobNamed(words.join(' '), file);
    if (typeof job === 'string') {
      host.err.write(`${job}\n`);
      return NOT_FOUND;
    }
    host.out.write(asJson ? lines([json(job, file)]) : `${text(job, file)}\n`);
    return 0;
  });
}

async function reading(
  host: Host,
  args: readonly string[],
  least: number,
  use: (file: JobsFile, words: readonly string[], json: boolean) => number,
): Promise<number> {
  const given = readArguments(args, { flags: ['json'] });
  if (typeof given === 'string' || given.words.length < least) {
    host.err.write(`${typeof given === 'string' ? given : 'Which job?'}\n`);
    return 64;
  }
  try {
    return await withJobsFile(host, (file) => use(file, given.words, given.flags.has('json')));
  } catch (error) {
    if (!(error instanceof HermodError)) throw error;
    host.err.write(`${error.message}\n`);
    return 1;
  }
}

/** One JSON object a line, with its version. */
function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify({ v: 1, ...row })}\n`).join('');
}

function view(job: JobRow, file: JobsFile): object {
  const { nextRunAt } = job;
  const last = file.firings.lastEnded(job.id);
  return { ...job, next: nextRunAt === null ? null : new Date(nextRunAt).toISOString(), last: last ?? null };
}

function facts(file: JobsFile, job?: JobRow) {
  return { now: systemClock.now(), tz: file.timeZones.ofPerson(OPERATOR) ?? job?.tz ?? 'UTC' };
}
