import type { Timed } from '../contract/schedule.ts';
import { JobProblem } from './job-order.ts';
import { type Reading, type ReadOptions, readSchedule, readStructured, type Structured } from './read-schedule.ts';
import { refusalText } from './refusal.ts';
import { instantText } from './time-words.ts';

type Good = Extract<Reading, { ok: true }>;

/** A schedule as it was read, and the words to remember it by. */
export interface ReadOrder extends Good {
  readonly text: string;
}

/**
 * The phrase decides if it can be read, and then the parts must say the same; if it cannot, the parts count and the words stay.
 * Throws JobProblem with the refusal. Pure.
 */
export function readOrder(
  {
    when,
    structured,
    tz,
  }: {
    readonly when?: string | undefined;
    readonly structured?: Structured | undefined;
    readonly tz?: string | undefined;
  },
  options: ReadOptions,
): ReadOrder {
  const asked = { ...options, ...(tz === undefined ? {} : { zone: tz }) };
  const phrase = when === undefined ? undefined : readSchedule(when, asked);
  const parts = structured === undefined ? undefined : readStructured(structured, asked);
  if (phrase?.ok) {
    if (parts) mustAgree(phrase, parts, when as string);
    return { ...phrase, text: when as string };
  }
  if (parts?.ok) return { ...parts, text: when ?? textOf(structured as Structured) };
  const failed = phrase ?? parts;
  if (!failed || failed.ok) throw new JobProblem('no_schedule', 'Say when: a phrase such as "every weekday at 9am".');
  throw new JobProblem(failed.refusal.code, refusalText(when ?? textOf(structured as Structured), failed.refusal));
}

function textOf(structured: Structured): string {
  if ('at' in structured) return structured.at;
  return 'every' in structured ? structured.every : structured.cron;
}

function mustAgree(phrase: Good, parts: Reading, when: string): void {
  if (parts.ok && parts.schedule.tz === phrase.schedule.tz && String(parts.next) === String(phrase.next)) return;
  const other = parts.ok ? runsText(parts.schedule, parts.next) : parts.refusal.hint;
  throw new JobProblem(
    'when_disagrees',
    `"${when}" means ${runsText(phrase.schedule, phrase.next)}, but the structured schedule means ${other}. Leave structured out.`,
  );
}

function runsText({ tz }: Timed, next: readonly number[]): string {
  return `${next
    .slice(0, 3)
    .map((at) => instantText(tz, at))
    .join(', ')} in ${tz}`;
}
