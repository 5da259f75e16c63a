import type { JobId } from '../contract/ids.ts';
import type { Button } from '../contract/message.ts';
import type { JobRow } from '../store/jobs.ts';

export const JOB_VERBS = [
  'pause',
  'resume',
  'run',
  'delete',
  'undo',
  'next',
  'show',
  'drop',
  'mute',
  'confirm',
  'accept',
] as const;
export type JobVerb = (typeof JOB_VERBS)[number];

/** Kind `jo` of the button data: which job, as it was when the button was drawn, and what to do. */
export interface JobPress {
  readonly job: JobId;
  readonly rev: number;
  readonly verb: JobVerb;
}

/** Never `r`: adapters open a form for it. */
const LETTERS: Readonly<Record<JobVerb, string>> = {
  ...{ pause: 'p', resume: 'a', run: 'g', delete: 'd', undo: 'u', next: 'n', show: 's', drop: 'x', mute: 'm' },
  ...{ confirm: 'c', accept: 'y' },
};
const SHAPE = /^h1:jo:([0-9a-f]{12}):([0-9a-z]{1,8}):([a-z])$/;

/** `h1:jo:<job>:<rev36>:<letter>`, at most 29 bytes. */
export function writePress(job: Pick<JobRow, 'id' | 'rev'>, verb: JobVerb): string {
  return `h1:jo:${job.id}:${job.rev.toString(36)}:${LETTERS[verb]}`;
}

/** Undefined: no data of ours. */
export function readPress(data: string): JobPress | undefined {
  const [, job, rev, letter] = SHAPE.exec(data) ?? [];
  const verb = JOB_VERBS.find((one) => LETTERS[one] === letter);
  if (job === undefined || rev === undefined || verb === undefined) return undefined;
  return { job: job as JobId, rev: Number.parseInt(rev, 36), verb };
}

const LABELS: Readonly<Record<JobVerb, string>> = {
  ...{ pause: 'Pause', resume: 'Resume', run: 'Run now', delete: 'Delete', undo: 'Undo', next: 'Show next' },
  ...{ show: 'Show', drop: 'Drop', mute: 'Mute this error' },
  ...{ confirm: 'Confirm', accept: 'Accept' },
};

/** One row of buttons. */
export function jobButtons(job: Pick<JobRow, 'id' | 'rev'>, verbs: readonly JobVerb[]): readonly (readonly Button[])[] {
  return [verbs.map((verb) => ({ label: LABELS[verb], data: writePress(job, verb) }))];
}

/** A row that names the job: for lists. */
export function showButton(job: Pick<JobRow, 'id' | 'rev' | 'name'>): readonly Button[] {
  return [
    { label: `Show ${job.id.slice(0, 4)} ${job.name.slice(0, 24).toWellFormed()}`, data: writePress(job, 'show') },
  ];
}

/** What can be done with a job as it is. */
export function verbsFor({
  state,
  schedule,
  pausedReason,
}: Pick<JobRow, 'state' | 'schedule' | 'pausedReason'>): readonly JobVerb[] {
  if (state === 'deleted') return ['undo'];
  if (pausedReason === 'confirm') return ['confirm', 'drop'];
  const toggle: JobVerb = state === 'scheduled' ? 'pause' : 'resume';
  const ended = state === 'completed' || state === 'exhausted';
  const first: readonly JobVerb[] = ended ? [] : [toggle];
  return [...first, 'run', 'delete', ...(schedule.kind === 'after' ? [] : (['next'] as const))];
}
