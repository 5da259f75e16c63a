import { z } from 'zod';
import { choice, flag, key, maybe, modelName, pattern, seconds, section, text, whole } from '../fields.ts';

const zone = pattern(/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/, 'a zone such as Europe/Berlin');

export const cron = section({
  enabled: key(flag, true, 'start jobs that are due'),
  timezone: maybe(zone, 'zone of jobs whose person and chat have none, of the command line and the page'),
  min_interval_s: key(seconds(60), 60, 'least time between two runs of a job'),
  horizon_years: key(whole(1, 100), 10, 'a first run further away is refused'),
  max_parallel: key(whole(1, 64), 3, 'firings at once'),
  stagger_s: key(seconds(0, 600), 59, 'jobs of the full hour are spread over; 0: all at once'),
  idle_timeout_s: key(seconds(10), 600, 'a firing without progress ends after'),
  total_timeout_s: key(seconds(10), 3600, 'bound of a firing'),
  script_timeout_s: key(seconds(1), 300, 'bound of the script of a job'),
  abort_grace_s: key(seconds(1, 600), 60, 'a firing that was told to end may take'),
  misfire: key(choice('once', 'skip'), 'once', 'what missed slots do: the newest runs once, or none'),
  one_shot_grace_s: key(seconds(0), 600, 'one-time jobs this late still run'),
  catch_up_parallel: key(whole(1, 64), 2, 'missed jobs run at once after downtime'),
  catch_up_spacing_s: key(seconds(0, 3600), 30, 'time between two of them'),
  drain_s: key(seconds(0), 30, 'floor that running jobs get in a stop'),
  auto_pause_after: key(whole(0, 1000), 10, 'failures in a row that pause a job; 0: never'),
  unreachable_pause_days: key(whole(0, 365), 7, 'a job whose chat is gone is paused after; 0: never'),
  provider_hold_s: key(seconds(0), 21_600, 'jobs wait after their model provider refused the key or the quota'),
  max_jobs_per_owner: key(whole(1, 10_000), 50, 'live jobs of a person'),
  max_creations_per_hour: key(whole(1, 10_000), 10, 'jobs a person may make in an hour'),
  max_model_calls_per_day: key(whole(1), 500, 'model calls of a job in a day'),
  keep_firings: key(whole(10, 100_000), 200, 'firings kept of a job'),
  keep_outputs: key(whole(0, 10_000), 50, 'outputs kept of a job'),
  keep_days: key(whole(1, 36_500), 30, 'how long outputs and deleted jobs are kept'),
  model: maybe(modelName, 'model of jobs', 'the model of chats'),
  tools: maybe(z.array(text), 'tools jobs may use', 'all that jobs are offered'),
});
