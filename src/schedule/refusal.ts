export const REFUSAL_CODES = [
  'empty',
  'too_long',
  'not_ascii',
  'bare_duration',
  'bare_weekday',
  'no_time',
  'duration',
  'mixed_units',
  'month_interval',
  'too_often',
  'time',
  'past',
  'no_such_date',
  'gap',
  'date_form',
  'horizon',
  'never',
  'two_things',
  'cron_fields',
  'cron_range',
  'cron_token',
  'cron_step',
  'cron_prefix_step',
  'cron_wrap',
  'cron_list',
  'nickname',
  'zone_empty',
  'zone_offset',
  'two_zones',
  'zone_abbreviation',
  'zone_unknown',
  'zone_city',
  'zone_needed',
  'not_offered',
  'unknown',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Why a text is no schedule, and what to write instead. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One or two sentences for the person. */
  readonly hint: string;
}

/** What a reader throws to the one place that catches it, `readPhrase`; nobody else ever sees it. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.hint);
    this.refusal = refusal;
  }
}

export function refuse(code: RefusalCode, hint: string): never {
  throw new Refused({ code, hint });
}

export const EXAMPLES =
  'Try: in 2h · every 15m · every weekday at 9am · tomorrow at 9 · 2026-12-24T18:00 · 0 9 * * 1-5';

/** What the person reads; the code goes to the log and to the tool's result. */
export function refusalText(text: string, { hint }: Refusal): string {
  return `I cannot use "${text}" as a time. ${hint}`;
}
