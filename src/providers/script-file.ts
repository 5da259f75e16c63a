import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HermodError } from '../contract/errors.ts';
import { FAILURE_KINDS } from '../contract/model.ts';

const pattern = z.string().refine(isPattern, 'is no regular expression');
const count = z.number().int().nonnegative();
const callSchema = z.strictObject({
  name: z.string(),
  /** Arguments as a value, or `raw`: the argument text exactly as sent, broken if need be. */
  input: z.record(z.string(), z.unknown()).optional(),
  raw: z.string().optional(),
  id: z.string().optional(),
});
const failSchema = z.strictObject({
  kind: z.enum(FAILURE_KINDS),
  status: count.optional(),
  code: z.string().optional(),
  retryAfterMs: count.optional(),
});
const expectSchema = z.strictObject({
  prompt: pattern.optional(),
  system: pattern.optional(),
  lastResult: pattern.optional(),
  tools: z.array(z.string()).optional(),
  toolChoice: z.enum(['auto', 'none']).optional(),
  messages: count.optional(),
});

/** One thing a reply does. `call`, `calls`, `fail`, `cut`, `hang` and `finish` end it; without them it ends with `stop`. */
const stepSchema = z.union([
  z.strictObject({ say: z.union([z.string(), z.array(z.string())]) }),
  z.strictObject({ think: z.string() }),
  z.strictObject({ call: callSchema }),
  z.strictObject({ calls: z.array(callSchema) }),
  z.strictObject({ fail: z.union([z.enum(FAILURE_KINDS), failSchema]) }),
  z.strictObject({ cut: z.literal(true) }),
  z.strictObject({ hang: z.literal(true) }),
  z.strictObject({ finish: z.enum(['length', 'filtered']) }),
  /** Milliseconds. */
  z.strictObject({ wait: count }),
  z.strictObject({
    usage: z.strictObject({ input: count, output: count, cacheRead: count.optional(), cacheWrite: count.optional() }),
  }),
  z.strictObject({ expect: expectSchema }),
]);

const replySchema = z.union([stepSchema.transform((step) => [step]), z.array(stepSchema)]);

const scriptSchema = z.strictObject({
  name: z.string().optional(),
  /** Matched against the person's words of the turn; absent: every prompt. */
  prompt: pattern.optional(),
  session: z.string().optional(),
  /** Starts again after the last reply instead of running out. */
  repeat: z.boolean().optional(),
  /** After a restart the script goes on where the stored answers of its prompts end, instead of at its start. */
  resume: z.boolean().optional(),
  replies: z.array(replySchema).min(1),
});

const fileSchema = z.strictObject({ scripts: z.array(scriptSchema).min(1) });

export type ScriptStep = z.output<typeof stepSchema>;
export type ScriptCall = z.output<typeof callSchema>;
export type Expectation = z.output<typeof expectSchema>;
export type Script = z.output<typeof scriptSchema>;
/** A script as it is written: a reply of one step needs no list. */
export type ScriptInput = z.input<typeof scriptSchema>;

/** Checks scripts given in code or read from a file. Throws HermodError that names the first wrong place. */
export function readScripts(value: unknown, from: string): readonly Script[] {
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data.scripts;
  const issue = parsed.error.issues[0];
  throw new HermodError(
    'operator',
    `The model script ${from} is wrong at ${issue?.path.join('.') || 'the top'}: ${issue?.message}. Correct it.`,
  );
}

export function readScriptFile(path: string): readonly Script[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new HermodError(
      'operator',
      `The model script ${path} cannot be read (${(error as Error).message}). Check providers.<name>.script.`,
    );
  }
  return readScripts(value, path);
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'i');
    return true;
  } catch {
    return false;
  }
}
