import type { CronMode } from '../contract/run.ts';

/** `approvals:` of the configuration, keys as people write them. The schema's type is assignable to it. */
export interface ApprovalsConfig {
  readonly mode: 'manual' | 'smart' | 'off';
  readonly cron_mode: CronMode;
  readonly unattended_mode: 'deny' | 'approve';
  readonly subagent_mode: 'deny' | 'approve' | 'ask';
  readonly timeout_s: number;
  readonly cron_ask_timeout_s: number;
  readonly who: 'requester_or_approver' | 'approvers';
  /** `platform:id`. */
  readonly approvers: readonly string[];
  readonly card_to: 'origin' | 'direct' | 'both';
  readonly deny: readonly string[];
  /** Rule ids or `family.*`. */
  readonly two_person: readonly string[];
  readonly job_allow: readonly JobAllow[];
  readonly execute_code: 'ask' | 'scan';
  readonly allow_permanent: boolean;
  readonly timed_grant_minutes: number;
  readonly yolo_minutes: number;
  readonly max_pending: number;
  readonly denial_breaker_threshold: number;
  readonly plain_words: boolean;
  readonly words: Words;
  readonly preview: boolean;
  readonly guardian: { readonly model?: string | undefined; readonly policy?: string | undefined };
  readonly protect_paths: readonly string[];
  readonly redact_patterns: readonly string[];
  readonly audit_safe: boolean;
}

/** A command that jobs under `allowlist` may run: all three are equal, every word literal. */
export interface JobAllow {
  readonly rule: string;
  readonly argv: readonly string[];
  readonly cwd: string;
}

/** More words that answer a card, beside the built-in ones. */
export interface Words {
  readonly approve?: readonly string[] | undefined;
  readonly session?: readonly string[] | undefined;
  readonly always?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

export const APPROVALS_DEFAULTS: ApprovalsConfig = {
  mode: 'manual',
  cron_mode: 'deny',
  unattended_mode: 'deny',
  subagent_mode: 'deny',
  timeout_s: 1800,
  cron_ask_timeout_s: 600,
  who: 'requester_or_approver',
  approvers: [],
  card_to: 'origin',
  deny: [],
  two_person: [],
  job_allow: [],
  execute_code: 'ask',
  allow_permanent: true,
  timed_grant_minutes: 60,
  yolo_minutes: 60,
  max_pending: 8,
  denial_breaker_threshold: 3,
  plain_words: true,
  words: {},
  preview: true,
  guardian: {},
  protect_paths: [],
  redact_patterns: [],
  audit_safe: false,
};

/** Whether a rule id is listed, by itself or by its family (`git.*`). */
export function ruleListed(rule: string, list: readonly string[]): boolean {
  return list.some((entry) => entry === rule || (entry.endsWith('.*') && rule.startsWith(entry.slice(0, -1))));
}
