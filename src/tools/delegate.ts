import { z } from 'zod';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';
import type { WorkerReport, WorkerTask } from '../contract/worker.ts';

export interface DelegateDeps {
  /** `delegate.max_depth`, `delegate.max_children`. */
  readonly maxDepth: number;
  readonly maxChildren: number;
  /** Runs one worker to its end in the worker's own run. Never rejects. `host`: where its steps are decided. */
  readonly work: (task: WorkerTask, use: ToolUse, host: 'inline' | 'thread') => Promise<WorkerReport>;
}

const MAX_STEPS = 30;

interface Input {
  readonly workers: readonly WorkerTask[];
}

/** Hands parts of the work to workers with an empty conversation, and waits for them. */
export function createDelegate(deps: DelegateDeps): Tool<Input> {
  const task = z.strictObject({
    goal: z.string().min(1).max(4000).describe('The whole task; the worker knows nothing else'),
    context: z.string().max(20_000).optional(),
    tools: z.array(z.string()).max(40).optional().describe('Only these tools'),
    max_steps: z.int().min(1).max(MAX_STEPS).optional(),
  });
  return {
    name: 'delegate',
    description: `Gives up to ${deps.maxChildren} separate tasks to workers that run side by side, and returns their reports. They see nothing of this conversation and can ask nobody.`,
    input: z.strictObject({ workers: z.array(task).min(1).max(deps.maxChildren) }),
    effects: 'own',
    offered: (run) => run.depth < deps.maxDepth,
    run: (input, use) => delegate(input, use, deps),
  };
}

/** One worker's steps are decided here; several get a thread each, so that none holds up the others or the chats. */
async function delegate({ workers }: Input, use: ToolUse, deps: DelegateDeps): Promise<ToolResult> {
  const host = workers.length > 1 ? 'thread' : 'inline';
  const reports = await Promise.all(workers.map((task) => deps.work(task, use, host)));
  const untrusted = reports.find((report) => report.untrusted !== undefined)?.untrusted;
  return {
    text: reports.map((report, i) => describe(report, i, reports.length)).join('\n\n'),
    isError: reports.every((report) => report.outcome !== 'completed'),
    ...(untrusted === undefined ? {} : { untrusted }),
  };
}

function describe({ outcome, text, files, steps, tokens }: WorkerReport, index: number, of: number): string {
  const name = of === 1 ? 'Worker' : `Worker ${index + 1}`;
  if (outcome === 'not started') return `${name}: ${text}`;
  const facts = [
    outcome,
    `${steps} step${steps === 1 ? '' : 's'}`,
    ...(tokens > 0 ? [`${tokens.toLocaleString('en')} tokens`] : []),
  ];
  const changed = files.length === 0 ? '' : `\nFiles changed: ${files.join(', ')}`;
  return `${name}: ${facts.join(', ')}\n${text}${changed}`;
}
