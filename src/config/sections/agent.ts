import { z } from 'zod';
import {
  choice,
  flag,
  key,
  maybe,
  modelName,
  named,
  seconds,
  section,
  text,
  texts,
  variable,
  webUrl,
  whole,
} from '../fields.ts';

const reasoningDefault = (plain: number, reasoning: number) => `${plain}; ${reasoning} with reasoning low or more`;

export const model = section({
  primary: maybe(modelName, 'the model that answers', 'unset: the practice model'),
  fallback: key(z.array(modelName), [], 'models tried in order when it fails'),
  small: maybe(modelName, 'the model for summaries', 'model.primary'),
  max_output_tokens: key(whole(64, 1_000_000), 8192, 'length of one answer'),
  reasoning: maybe(choice('none', 'low', 'medium', 'high'), 'how much the model thinks first', "the provider's"),
  show_reasoning: key(flag, false, 'show what it thinks'),
  first_output_s: maybe(seconds(1, 3600), 'wait for the first output', reasoningDefault(90, 300)),
  idle_s: maybe(seconds(1, 3600), 'wait between outputs', reasoningDefault(60, 120)),
  step_deadline_s: maybe(seconds(1, 7200), 'bound of one step, retries included', reasoningDefault(300, 900)),
  attempts: key(whole(1, 10), 3, 'tries a model'),
  fallback_on_filter: key(flag, false, 'try the next model when a safety filter stops an answer'),
});

const price = z.strictObject({
  input: z.number().min(0).describe('tokens read'),
  output: z.number().min(0).describe('tokens written'),
  cache_read: maybe(z.number().min(0), 'cached tokens read', 'input'),
  cache_write: maybe(z.number().min(0), 'tokens written to the cache', 'input'),
});

const knownModel = z.strictObject({
  context_tokens: maybe(whole(512), 'size of its window', 'asked or guessed'),
  max_output_tokens: maybe(whole(64), 'length of one answer', 'model.max_output_tokens'),
  vision: maybe(flag, 'whether it sees pictures', 'asked or guessed'),
  tools: maybe(flag, 'whether it calls tools', 'asked or guessed'),
  price: maybe(price, 'price per million tokens', 'unknown'),
});

const provider = z.strictObject({
  kind: maybe(choice('openai_compatible', 'anthropic', 'practice', 'scripted'), 'how it is spoken to', 'preset'),
  base_url: maybe(webUrl, 'its address', 'preset'),
  api_key_env: maybe(variable, 'the variable that holds its key', 'preset'),
  headers: maybe(z.record(text, z.string()), 'more headers of each request', 'none'),
  max_parallel: maybe(whole(1, 1000), 'requests at once', '1 for a local server, else 16'),
  script: maybe(text, 'file with the answers, for kind scripted'),
  record: maybe(text, 'file that gets every request, for kind scripted'),
  models: named('id', text, knownModel, 'what is known of its models'),
});

export const providers = named('name', text, provider, 'model servers');

export const agent = section({
  max_steps: key(whole(1, 1000), 50, 'steps of a turn'),
  cron_max_steps: key(whole(1, 1000), 30, "steps of a job's firing"),
  result_bytes: key(whole(1024, 1_048_576), 51_200, 'size of a tool result the model sees'),
  compact_at: key(z.number().min(0.2).max(0.95), 0.75, 'share of the window at which old turns are summarised'),
  workspace: key(text, 'workspace', 'first work folder and cwd; relative to the home'),
  tools_off: key(texts, [], 'tools that are never offered'),
});

export const shell = section({
  timeout_s: key(seconds(1, 86_400), 120, 'time a command gets'),
  env_pass: key(z.array(variable), [], 'variables handed on to commands'),
});

export const files = section({
  roots: key(texts, [], 'more work folders'),
  read_outside: key(flag, false, 'reads outside the work folders need no question'),
});
