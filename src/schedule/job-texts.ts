import type { FiringDelivery, FiringGap, FiringRow } from '../store/firings.ts';
import type { JobRow } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { head, nextOf, stateLine, targetWords } from './echo.ts';
import { isFixedText } from './job-rules.ts';
import { plainText } from './plain-text.ts';
import { lineNotes, scheduleWords } from './schedule-words.ts';
import { instantText, spanText } from './time-words.ts';

export interface TextFacts {
  readonly now: number;
  readonly tz: string;
}

const MOST_HISTORY = 20;

/** A line a job: id, name, schedule, zone, next run, last outcome, failures in a row. */
export function listText(jobs: readonly JobRow[], store: Pick<Store, 'firings'>, facts: TextFacts): string {
  if (jobs.length === 0)
    return 'No jobs yet. Say for example: every weekday at 9am tell me the weather. Or: /jobs add in 2h | stretch';
  return jobs.map((job) => `- ${lineOf(job, store.firings.lastEnded(job.id), store, facts)}`).join('\n');
}

function lineOf(job: JobRow, last: FiringRow | undefined, store: Pick<Store, 'firings'>, facts: TextFacts): string {
  const zone = job.schedule.kind === 'cron' || job.schedule.kind === 'every' ? `, ${job.tz}` : '';
  const next = job.nextRunAt === null ? stateLine(job) : `next ${instantText(facts.tz, job.nextRunAt)}`;
  const parts = [
    `${job.id.slice(0, 4)} ${plainText(job.name, 60)}: ${scheduleWords(job.schedule)}${zone}`,
    next,
    last ? `last ${outcomeText(last, store.firings.deliveriesOf(last.id))}` : '',
    job.failStreak > 0 ? `${job.failStreak} failures in a row` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** `ok, delivered`; `error (blocked)`. */
export function outcomeText(
  firing: Pick<FiringRow, 'state' | 'reason' | 'silent'>,
  deliveries: readonly FiringDelivery[],
): string {
  const why = firing.reason === null ? '' : ` (${firing.reason})`;
  const states = [...new Set(deliveries.map(({ state }) => state))];
  return [`${firing.state}${why}`, ...states].join(', ');
}

/** Everything about one job. */
export function showText(job: JobRow, store: Pick<Store, 'firings'>, facts: TextFacts): string {
  const running = store.firings.openOf(job.id);
  const lines = [
    head(job),
    job.nextRunAt === null ? stateLine(job) : `Next: ${instantText(facts.tz, job.nextRunAt)}`,
    ...lineNotes(job.schedule),
    `To: ${targetWords(job.deliver)}. Made by ${plainText(job.owner.name, 60)}, rev ${job.rev}.`,
    job.maxFirings === null ? '' : `${job.firingsClaimed} of ${job.maxFirings} runs done.`,
    job.approvalMode === null ? '' : `Approval mode: ${job.approvalMode}.`,
    job.tools === null ? '' : `Tools: ${job.tools.join(', ')}.`,
    job.failStreak === 0 ? '' : `${job.failStreak} failures in a row.`,
    running
      ? `${running.state === 'running' ? 'Running' : 'Waiting to run'} since ${instantText(facts.tz, running.begunAt ?? running.claimedAt)}.`
      : '',
    isFixedText(job) ? 'Sent as written:' : '',
    '```',
    job.prompt.replaceAll('```', "'''"),
    '```',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** The next runs of a job, in its zone. */
export function nextText(job: JobRow, { now }: TextFacts, count = 5): string {
  const runs = nextOf(job, now, count);
  if (runs.length === 0) return 'It has no further run.';
  return [`${head(job)}`, ...runs.map((at) => `- ${instantText(job.tz, at)}`)].join('\n');
}

type Entry = { readonly at: number; readonly line: string };

/** The last firings and gaps, newest first. */
export function historyText(job: JobRow, store: Pick<Store, 'firings'>, facts: TextFacts): string {
  const firings = store.firings.ofJob(job.id, MOST_HISTORY).map((firing): Entry => {
    return { at: firing.slotAt ?? firing.claimedAt, line: firingLine(firing, store, facts) };
  });
  const gaps = store.firings
    .gapsOf(job.id, MOST_HISTORY)
    .map((gap): Entry => ({ at: gap.lastSlotAt, line: gapLine(gap, facts) }));
  const entries = [...firings, ...gaps].sort((a, b) => b.at - a.at).slice(0, MOST_HISTORY);
  if (entries.length === 0) return `${head(job)}\nIt has not run yet.`;
  return [head(job), ...entries.map(({ line }) => `- ${line}`)].join('\n');
}

function firingLine(firing: FiringRow, store: Pick<Store, 'firings'>, { tz }: TextFacts): string {
  const { slotAt, claimedAt, begunAt, trigger, blocked, model, tokens, outputPath, detail } = firing;
  const late =
    slotAt !== null && begunAt !== null && begunAt - slotAt > 60_000 ? `${spanText(begunAt - slotAt)} late` : '';
  const parts = [
    instantText(tz, slotAt ?? claimedAt),
    trigger === 'schedule' ? '' : WORDS[trigger],
    late,
    outcomeText(firing, store.firings.deliveriesOf(firing.id)),
    detail === null ? '' : plainText(detail, 200),
    blocked > 0 ? `${blocked} refused` : '',
    model === null ? '' : `${model}, ${tokens.toLocaleString('en')} tokens`,
    outputPath === null ? '' : `output ${outputPath}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const WORDS: Readonly<Record<FiringRow['trigger'], string>> = {
  schedule: '',
  catch_up: 'caught up',
  manual: 'by hand',
  after: 'after another job',
};

function gapLine({ firstSlotAt, lastSlotAt, count, reason }: FiringGap, { tz }: TextFacts): string {
  const many = count === null ? 'more than 100 runs' : count === 1 ? '1 run' : `${count} runs`;
  const until = lastSlotAt === firstSlotAt ? '' : ` to ${instantText(tz, lastSlotAt)}`;
  return `${instantText(tz, firstSlotAt)}${until}; ${many} skipped (${reason})`;
}
