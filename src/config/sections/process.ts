import { choice, flag, key, maybe, seconds, section, whole } from '../fields.ts';

export const breaker = section({
  session_limit: key(whole(0, 100), 3, 'interrupted boots in a row after which a session is held; 0: never'),
  global_limit: key(whole(0, 100), 5, 'the same for all sessions together; 0: never'),
  settle_s: key(seconds(1), 60, 'time after ready, with no resume waiting or open, that proves a boot'),
});

export const resume = section({
  enabled: key(flag, true, 'false: every unfinished turn waits for a person'),
  max_age_s: key(seconds(0), 3600, 'turns interrupted longer ago wait for a person'),
  max_attempts: key(whole(1, 100), 5, 'turns tried more often wait for a person'),
  parallel: key(whole(1, 64), 2, 'turns resumed at once'),
  first_batch_s: key(seconds(0), 10, 'how long resuming waits for what people wrote meanwhile'),
  hold_days: key(whole(1, 365), 7, 'life of the card of a held turn'),
});

export const stop = section({
  turns_s: key(seconds(0), 10, 'time that running turns get to end'),
  flush_s: key(seconds(0), 5, 'time to send what is written'),
  adapters_s: key(seconds(0), 3, 'time for the platforms to close'),
  total_s: key(seconds(1), 45, 'bound of a whole stop'),
});

export const restart = section({
  wait_s: key(seconds(0), 300, 'how long a planned restart waits for running turns'),
});

export const process = section({
  bad_config_wait_s: key(seconds(0, 3600), 30, 'pause before exit 78 as the main process of a container'),
  memory_soft_mb: maybe(whole(64), 'caches are emptied above', '75 % of the cgroup limit, else 1024'),
});

export const health = section({
  proof_s: key(seconds(10), 90, 'age of proof that makes a platform degraded'),
  attention_s: key(seconds(10), 600, 'time without proof after which somebody is told'),
  loop_stall_s: key(seconds(5, 3600), 60, 'a frozen event loop is killed after'),
});

export const platforms = section({
  connect_s: key(seconds(1, 600), 30, 'bound of one connect'),
});

export const inbox = section({
  age_label_s: key(seconds(0), 120, 'older input reaches the model with its age'),
  ask_age_s: key(seconds(60), 21_600, 'older input is asked about before it is answered'),
  fold_s: key(seconds(0, 60), 2, 'a late part joins a turn that has shown nothing'),
  max_waiting: key(whole(1, 1000), 20, 'messages that may wait in a session'),
  max_waiting_kb: key(whole(1, 100_000), 256, 'their size in all'),
});

export const control = section({
  max_age_s: key(seconds(1), 120, 'older control commands do nothing'),
});

export const lanes = section({
  max_turns: key(whole(1, 1000), 64, 'turns at once'),
});

export const busy = section({
  mode: key(choice('queue', 'steer', 'interrupt'), 'queue', 'what a message does while a turn runs'),
});

export const display = section({
  progress: key(choice('off', 'tools', 'all'), 'tools', 'what the progress message of a turn shows'),
});

export const outbox = section({
  max_age_s: key(seconds(60), 86_400, 'a message that could not be sent is given up after'),
});

export const turns = section({
  note_s: key(seconds(10), 180, 'a line that the turn still works, each'),
  idle_s: key(seconds(10), 600, 'a turn without progress ends after'),
  total_s: key(seconds(10), 7200, 'bound of a turn'),
});

export const sessions = section({
  group_per_actor: key(flag, true, 'each person in a group has a session of their own'),
  thread_per_actor: key(flag, false, 'the same in threads and topics'),
  retention_days: key(whole(1, 36_500), 90, 'ended sessions are kept'),
  memory_mb: key(whole(1, 100_000), 64, 'transcripts held in memory'),
});
