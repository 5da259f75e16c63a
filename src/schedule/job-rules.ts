import type { JobId } from '../contract/ids.ts';
import type { Schedule } from '../contract/schedule.ts';
import type { JobRow } from '../store/jobs.ts';
import { JobProblem, type Requester } from './job-order.ts';
import { scanPrompt, scanText } from './prompt-scan.ts';

const MOST_PROMPT = 8000;
const MOST_CONTEXTS = 3;
const MOST_DEPTH = 5;
const MOST_TARGETS = 5;

export const ownerKey = ({ platform, id }: Requester['by']): string => `${platform}:${id}`;

/** Own jobs, and as an admin everybody's. */
export function mayEdit(job: Pick<JobRow, 'owner'>, { by, admin }: Pick<Requester, 'by' | 'admin'>): boolean {
  return admin || ownerKey(job.owner) === ownerKey(by);
}

/** Its prompt is what is said, word for word: nobody is asked and nothing is run. */
export function isFixedText({ agent, script }: Pick<JobRow, 'agent' | 'script'>): boolean {
  return !agent && script === null;
}

const LISTED_MS = 7 * 86_400_000;

/** Completed jobs are listed for a week; by their id they are found as long as they are kept. */
export function isListed({ state, updatedAt }: Pick<JobRow, 'state' | 'updatedAt'>, now: number): boolean {
  return state !== 'completed' || now - updatedAt <= LISTED_MS;
}

/** What was written for the job. `said`: it is only ever sent as it is. */
export function checkPrompt(prompt: string, said: boolean): void {
  if (prompt.trim() === '') throw new JobProblem('prompt', 'A job needs a prompt: what shall happen then?');
  if (prompt.length > MOST_PROMPT)
    throw new JobProblem('prompt', `The prompt has ${prompt.length} characters; at most ${MOST_PROMPT} are stored.`);
  const found = said ? scanText(prompt) : scanPrompt(prompt);
  if (found) throw new JobProblem('prompt_scan', `I will not store this prompt: ${found.why} (${found.rule}).`);
}

/** Nobody is there to read what other jobs said. */
export function checkText(job: Pick<JobRow, 'agent' | 'script' | 'contextFrom' | 'continuity'>): void {
  if (isFixedText(job) && (job.contextFrom.length > 0 || job.continuity))
    throw new JobProblem(
      'text',
      'A text is sent as written; give a prompt for a job that reads what jobs said before.',
    );
}

export function checkTargets(job: Pick<JobRow, 'deliver'>): void {
  if (job.deliver.length > MOST_TARGETS) throw new JobProblem('deliver', `A job has at most ${MOST_TARGETS} targets.`);
}

/** Jobs that wait for each other would never run, or for ever. */
export function checkLinks(
  job: Pick<JobRow, 'id' | 'name' | 'schedule' | 'contextFrom'>,
  get: (id: JobId) => JobRow | undefined,
): void {
  if (job.contextFrom.length > MOST_CONTEXTS)
    throw new JobProblem('context_from', `A job reads the output of at most ${MOST_CONTEXTS} others.`);
  const upstream = job.schedule.kind === 'after' ? [job.schedule.job] : [];
  for (const id of [...upstream, ...job.contextFrom]) {
    const other = get(id);
    if (!other || other.state === 'deleted') throw new JobProblem('no_job', `I know no job "${id}".`);
    if (id === job.id || waitsFor(other, job.id, get))
      throw new JobProblem('cycle', `"${other.name}" already waits for "${job.name}".`);
  }
  if (chainLength(job.schedule, get) > MOST_DEPTH)
    throw new JobProblem('depth', `At most ${MOST_DEPTH} jobs may follow one another.`);
}

function waitsFor(job: JobRow, wanted: JobId, get: (id: JobId) => JobRow | undefined, depth = 0): boolean {
  if (depth > 50) return true;
  const upstream = job.schedule.kind === 'after' ? [job.schedule.job] : [];
  return [...upstream, ...job.contextFrom].some((id) => {
    const next = get(id);
    return id === wanted || (next !== undefined && waitsFor(next, wanted, get, depth + 1));
  });
}

function chainLength(schedule: Schedule, get: (id: JobId) => JobRow | undefined): number {
  let length = 0;
  for (
    let at: Schedule | undefined = schedule;
    at?.kind === 'after' && length <= MOST_DEPTH;
    at = get(at.job)?.schedule
  )
    length++;
  return length;
}

/** Two schedules that mean the same; when they were anchored does not matter. */
export function sameSchedule(a: Schedule, b: Schedule): boolean {
  return essence(a) === essence(b);
}

/** The same words, meant the same way: said as they are, or asked. */
export function sameWork(a: JobRow, b: JobRow): boolean {
  return a.promptHash === b.promptHash && a.agent === b.agent && a.script === b.script;
}

function essence(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'at':
      return `at ${schedule.at}`;
    case 'every':
      return `every ${schedule.period} ${schedule.tz}`;
    case 'cron':
      return `cron ${schedule.expr} ${schedule.tz}`;
    case 'after':
      return `after ${schedule.job}`;
  }
}

/** What people may let a job do without being asked each time. */
export function checkMode(mode: JobRow['approvalMode'], { admin }: Pick<Requester, 'admin'>): void {
  if ((mode === 'allowlist' || mode === 'approve') && !admin)
    throw new JobProblem('approval_mode', `Only an admin may set approval mode ${mode} for a job.`);
}
