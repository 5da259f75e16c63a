import { z } from 'zod';
import { choice, flag, ids, key, maybe, modelName, rule, seconds, section, text, texts, whole } from '../fields.ts';

const jobAllow = z.strictObject({
  rule: rule.describe('the rule that would ask'),
  argv: z.array(z.string()).min(1).describe('the command, word by word'),
  cwd: text.describe('the folder it runs in'),
});

const answers = z.strictObject({
  approve: maybe(texts, 'words for Once'),
  session: maybe(texts, 'words for Session'),
  always: maybe(texts, 'words for Always'),
  deny: maybe(texts, 'words for Deny'),
});

export const approvals = section({
  mode: key(choice('manual', 'smart', 'off'), 'manual', "who judges dangerous calls in people's own turns"),
  cron_mode: key(choice('deny', 'allowlist', 'ask', 'approve'), 'deny', 'dangerous calls of scheduled jobs'),
  unattended_mode: key(choice('deny', 'approve'), 'deny', 'dangerous calls of webhooks and the API'),
  subagent_mode: key(choice('deny', 'approve', 'ask'), 'deny', 'dangerous calls of delegated workers'),
  timeout_s: key(seconds(30, 86_400), 1800, 'life of a card or question'),
  cron_ask_timeout_s: key(seconds(30, 86_400), 600, "life of a job's card"),
  who: key(choice('requester_or_approver', 'approvers'), 'requester_or_approver', 'who may press a card'),
  approvers: key(ids, [], "people who may press everybody's cards"),
  card_to: key(choice('origin', 'direct', 'both'), 'origin', 'where a card is shown'),
  deny: key(texts, [], 'globs of commands that never run'),
  two_person: key(z.array(rule), [], 'rules that need the yes of two people'),
  job_allow: key(z.array(jobAllow), [], 'commands that jobs may run under cron_mode allowlist'),
  execute_code: key(choice('ask', 'scan'), 'ask', 'ask about every script, or only about what a scan flags'),
  allow_permanent: key(flag, true, 'offer Always'),
  timed_grant_minutes: key(whole(0, 720), 60, 'length of the timed grant; 0: no such button'),
  yolo_minutes: key(whole(0, 720), 60, 'length of /yolo; 0: no such command'),
  max_pending: key(whole(1, 100), 8, 'open cards a session'),
  denial_breaker_threshold: key(whole(0, 100), 3, 'refusals in a run that switch its tools off; 0: never'),
  plain_words: key(flag, true, 'a bare yes or no answers a card'),
  words: key(answers, {}, 'more words that answer a card'),
  preview: key(flag, true, 'count on the card what a removal would remove'),
  guardian: section({
    model: maybe(modelName, 'model that judges calls under mode smart', 'none: smart is manual'),
    policy: maybe(text, 'what the guardian is told besides', 'none'),
  }),
  protect_paths: key(texts, [], 'more paths that are asked about before they are written'),
  redact_patterns: key(texts, [], 'more secrets to mask; * stands for any run without blanks or quotes'),
  audit_safe: key(flag, false, 'record harmless calls too'),
});
