import type { OutboundMessage } from '../contract/message.ts';
import type { CronMode } from '../contract/run.ts';
import type { Timed } from '../contract/schedule.ts';
import type { JobRow, JobTarget } from '../store/jobs.ts';
import { jobButtons, verbsFor } from './job-buttons.ts';
import { isFixedText } from './job-rules.ts';
import { plainText } from './plain-text.ts';
import { lineNotes, scheduleWords } from './schedule-words.ts';
import { instantText } from './time-words.ts';
import { localAt, offsetAt, resolve } from './wall-clock.ts';
import { nextRuns } from './when.ts';

/** What the owner should know beside the row. */
export interface EchoFacts {
  readonly now: number;
  /** The zone of whoever reads it. */
  readonly readerTz: string;
  readonly cronMode: CronMode;
}

const SHOWN = 3;
const OFTEN_A_DAY = 48;
const DAY_MS = 86_400_000;

/** What hermod says of a job it stored or changed: how it was read, the next runs, where output goes, what may run. Pure. */
export function echo(job: JobRow, facts: EchoFacts): OutboundMessage {
  const lines = [head(job), ...nextLines(job, facts), aboutTarget(job, facts), ...notes(job, facts)];
  const unread = job.pausedReason === 'confirm' ? [UNREAD, fenced(job.prompt)] : [];
  return {
    text: [...lines, ...unread].filter((line) => line !== '').join('\n'),
    buttons: jobButtons(job, verbsFor(job)),
  };
}

const UNREAD = 'This conversation read text of strangers, so the job waits until you have read its prompt (24 h).';

/** A whole prompt, for a person to read before it may ever run. */
function fenced(prompt: string): string {
  const fence = '`'.repeat(Math.max(3, ...(prompt.match(/`+/g) ?? []).map(({ length }) => length + 1)));
  return `${fence}\n${prompt}\n${fence}`;
}

/** `Job 3f9a "Weather": every weekday at 09:00, Europe/Berlin`. */
export function head({ id, name, schedule, tz }: JobRow): string {
  const zone = schedule.kind === 'cron' || schedule.kind === 'every' ? `, ${tz}` : '';
  return `Job ${id.slice(0, 4)} "${plainText(name, 60)}": ${scheduleWords(schedule)}${zone}`;
}

function nextLines(job: JobRow, { now, readerTz }: EchoFacts): readonly string[] {
  const { schedule, state, nextRunAt } = job;
  if (schedule.kind === 'after') return [];
  const runs = nextOf(job, now, SHOWN);
  if (state !== 'scheduled') return [stateLine(job)];
  const own = `Next: ${runs.map((at) => instantText(job.tz, at)).join(' · ')}`;
  if (readerTz === job.tz || nextRunAt === null) return [own];
  return [`${own} (${job.tz})`, `For you: ${runs.map((at) => instantText(readerTz, at)).join(' · ')} (${readerTz})`];
}

/** The runs people are told of: those that are really going to be. */
export function nextOf(job: JobRow, now: number, most: number): readonly number[] {
  const { schedule, nextRunAt } = job;
  if (schedule.kind === 'after') return [];
  const timed: Timed = schedule;
  const count = Math.min(most, runsLeft(job));
  if (nextRunAt === null || count === 0) return nextRuns(timed, now, count);
  return [nextRunAt, ...nextRuns(timed, nextRunAt, count - 1)];
}

function runsLeft({ maxFirings, firingsClaimed }: JobRow): number {
  return maxFirings === null ? Number.POSITIVE_INFINITY : Math.max(0, maxFirings - firingsClaimed);
}

export function stateLine({ state, pausedReason }: Pick<JobRow, 'state' | 'pausedReason'>): string {
  if (state === 'scheduled') return '';
  return `It is ${state}${pausedReason === null ? '' : ` (${pausedReason})`}.`;
}

function aboutTarget(job: JobRow, { cronMode }: EchoFacts): string {
  const how = isFixedText(job) ? 'It is sent as written; no model is asked.' : MODES[job.approvalMode ?? cronMode];
  return `To: ${targetWords(job.deliver)}. ${how}`;
}

const MODES: Readonly<Record<CronMode, string>> = {
  deny: 'Commands that need approval are refused (approvals.cron_mode is deny).',
  allowlist: 'Of commands that need approval only those in approvals.job_allow run (approvals.cron_mode is allowlist).',
  ask: 'You are asked before commands that need approval (approvals.cron_mode is ask).',
  approve: 'Commands that need approval run without asking (approvals.cron_mode is approve).',
};

export function targetWords(targets: readonly JobTarget[]): string {
  if (targets.length === 0) return 'nowhere';
  return targets.map(wordOf).join(', ');
}

function wordOf(target: JobTarget): string {
  if (typeof target !== 'string') return `${target.platform} ${target.chat}`;
  if (target === 'origin') return 'this chat';
  if (target === 'local') return 'no chat, only stored here';
  return target === 'all' ? 'all homes' : `the home of ${target.slice('home:'.length)}`;
}

function notes(job: JobRow, { now }: EchoFacts): readonly string[] {
  const { schedule, tz } = job;
  if (schedule.kind === 'after') return endNote(job);
  const runs = nextOf(job, now, SHOWN);
  return [
    ...endNote(job),
    ...lineNotes(schedule),
    ...changeNote(tz, runs),
    ...overlapNote(job, runs),
    ...oftenNote(job, now),
  ];
}

function endNote(job: JobRow): readonly string[] {
  const left = runsLeft(job);
  return Number.isFinite(left) && left > 0 ? [`It ends after ${left === 1 ? '1 run' : `${left} runs`}.`] : [];
}

function changeNote(tz: string, runs: readonly number[]): readonly string[] {
  const offsets = new Set(runs.map((at) => offsetAt(tz, at)));
  return offsets.size > 1 ? [`The clocks of ${tz} change between these runs.`] : [];
}

function overlapNote({ schedule, tz }: JobRow, runs: readonly number[]): readonly string[] {
  if (schedule.kind !== 'at' || runs[0] === undefined) return [];
  const found = resolve(tz, localAt(tz, runs[0]));
  return found.kind === 'twice' && found.first === runs[0]
    ? ['That time comes twice that day; this is the first.']
    : [];
}

function oftenNote({ schedule }: JobRow, now: number): readonly string[] {
  if (schedule.kind === 'at' || schedule.kind === 'after') return [];
  const runs = nextRuns(schedule, now, 10);
  const span = (runs.at(-1) ?? 0) - (runs[0] ?? 0);
  const perDay = span === 0 ? 0 : Math.round(((runs.length - 1) * DAY_MS) / span);
  return perDay >= OFTEN_A_DAY ? [`That is about ${perDay.toLocaleString('en')} runs a day.`] : [];
}
