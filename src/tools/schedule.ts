import { z } from 'zod';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';

export interface ScheduleDeps {
  /** Does it, or says why not. Effects come with the result and commit with it. */
  readonly answer: (input: ScheduleInput, use: ToolUse) => ToolResult;
}

const tz = z.string().max(100).optional().describe("A zone such as Europe/Berlin; leave out to use the person's own");
const structured = z
  .union([
    z.strictObject({ at: z.string().max(40).describe('Local date and time: 2026-12-24T18:00'), tz }),
    z.strictObject({ every: z.string().max(40).describe('ISO period: P1D, P2W, PT90M'), tz }),
    z.strictObject({ cron: z.string().max(200).describe('Five fields: minute hour day month weekday'), tz }),
  ])
  .describe('Only when the phrase cannot be written in English');
const job = z.string().min(1).max(100).describe('Id, its first four characters, or the exact name');

const schema = z.strictObject({
  action: z.enum([
    'create',
    'update',
    'list',
    'get',
    'preview',
    'pause',
    'resume',
    'run',
    'cancel',
    'remove',
    'history',
  ]),
  job: job.optional(),
  when: z
    .string()
    .max(200)
    .optional()
    .describe(
      'When, in the person\'s own words or their English wording: "in 2 hours", "every weekday at 9am", "tomorrow at 18:00", "every month on the 1st at 8:30". Never compute dates yourself.',
    ),
  structured: structured.optional(),
  after: job.optional().describe('Run after each good run of this other job'),
  prompt: z.string().max(8000).optional().describe('What you are to do then, complete: you will remember nothing else'),
  text: z
    .string()
    .max(8000)
    .optional()
    .describe(
      'For a reminder, in place of prompt: what is sent then, word for word. No model is asked, so it comes for sure',
    ),
  name: z.string().max(80).optional(),
  deliver: z
    .string()
    .regex(/^(?:origin|local|home:[a-z][a-z0-9_-]*)$/)
    .optional()
    .describe('origin: this chat (default); local: only stored; home:<platform>'),
  repeat: z.union([z.enum(['forever', 'once']), z.int().min(1).max(1000)]).optional(),
  tools: z.array(z.string().max(64)).max(40).optional().describe('Only these tools'),
  context_from: z.array(job).max(3).optional().describe('Jobs whose last output it is given'),
  continuity: z.boolean().optional().describe('It is given its own last output'),
  rev: z.int().min(1).optional().describe('For update: the revision you saw'),
  again: z.boolean().optional().describe('The person wants a job back that they deleted'),
  extra: z.string().max(2000).optional().describe('For run: words added to the prompt this once'),
});

export type ScheduleInput = z.output<typeof schema>;

/** Makes and changes jobs by the person's own words. People are shown what was stored by hermod itself. */
export function createSchedule({ answer }: ScheduleDeps): Tool<ScheduleInput> {
  return {
    name: 'schedule',
    description:
      'Makes, shows and changes jobs: something you do later or again and again, also reminders. Pass the time as the person said it in `when`; hermod shows them how it was read. `prompt` is what you are asked then, in a fresh conversation; a mere reminder is a `text`.',
    input: schema,
    effects: 'own',
    atomic: true,
    change: ({ action }) => (READS.includes(action) ? undefined : 'job'),
    offered: (run) => run.depth === 0 && (run.kind === 'chat' || run.kind === 'cli'),
    run: async (input, use) => answer(input, use),
  };
}

const READS: readonly ScheduleInput['action'][] = ['list', 'get', 'preview', 'history'];
