/** The `cron:` section, as far as it decides what runs when. */
export interface JobsConfig {
  readonly enabled: boolean;
  readonly timezone?: string | undefined;
  readonly min_interval_s: number;
  readonly horizon_years: number;
  readonly max_parallel: number;
  readonly stagger_s: number;
  readonly idle_timeout_s: number;
  readonly total_timeout_s: number;
  readonly script_timeout_s: number;
  readonly abort_grace_s: number;
  readonly misfire: 'once' | 'skip';
  readonly one_shot_grace_s: number;
  readonly catch_up_parallel: number;
  readonly catch_up_spacing_s: number;
  readonly drain_s: number;
  readonly auto_pause_after: number;
  readonly unreachable_pause_days: number;
  readonly provider_hold_s: number;
  readonly max_jobs_per_owner: number;
  readonly max_creations_per_hour: number;
  readonly max_model_calls_per_day: number;
  readonly keep_firings: number;
  readonly keep_outputs: number;
  readonly keep_days: number;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
}
