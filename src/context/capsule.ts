import { z } from 'zod';
import { HermodError } from '../contract/errors.ts';
import type { RunId } from '../contract/ids.ts';
import type { RunContext } from '../contract/run.ts';

type WithoutSignal<T> = T extends unknown ? Omit<T, 'signal'> : never;

/**
 * A worker's run as plain data, for a worker thread or a child process: neither inherits a run, so it is told. It carries no
 * power of its own: what it allows is decided where it was sealed, for every call. It can be handed on only narrower.
 */
export interface Capsule {
  readonly version: 1;
  readonly run: WithoutSignal<RunContext>;
  /** Names of the tools it may ask for. */
  readonly tools: readonly string[];
  readonly maxSteps: number;
}

export interface CapsuleBounds {
  readonly tools: readonly string[];
  readonly maxSteps: number;
}

const text = z.string().min(1);
const actor = z.object({ platform: text, id: text, name: z.string() }).loose();
const address = z.object({ platform: text, bot: text, chat: text }).loose();
const base = { runId: text, rootId: text, session: text, depth: z.int().min(1).max(8) };
const run = z.discriminatedUnion('kind', [
  z.strictObject({ ...base, kind: z.literal('chat'), actor, replyTo: address, resumed: z.boolean() }),
  z.strictObject({
    ...base,
    kind: z.literal('cron'),
    jobId: text,
    firingId: text,
    owner: actor,
    deliverTo: z.array(address),
    approvalMode: z.enum(['deny', 'allowlist', 'ask', 'approve']).optional(),
    trigger: z.enum(['schedule', 'catch_up', 'manual', 'after']),
  }),
  z.strictObject({ ...base, kind: z.literal('cli'), terminal: z.string() }),
  z.strictObject({ ...base, kind: z.literal('unattended'), source: text, principal: text }),
]);
const capsule = z.strictObject({
  version: z.literal(1),
  run,
  tools: z.array(text).max(200),
  maxSteps: z.int().min(1).max(1000),
});

/** Seals a worker's run (see `childRun`). A run at depth 0 is somebody's own authority and never leaves: it throws. */
export function seal(worker: RunContext, { tools, maxSteps }: CapsuleBounds): Capsule {
  if (worker.depth < 1) throw new HermodError('us', 'Only the run of a worker can be sealed. This is a bug in hermod.');
  const { signal: _, ...rest } = worker;
  return { version: 1, run: structuredClone(rest), tools: [...tools], maxSteps };
}

/** For a worker of the worker: one deeper, same kind, same people, tools and steps at most as before. */
export function narrow(from: Capsule, runId: RunId, bounds: Partial<CapsuleBounds> = {}): Capsule {
  const { tools = from.tools, maxSteps = from.maxSteps } = bounds;
  return {
    ...from,
    run: { ...from.run, runId, depth: from.run.depth + 1 },
    tools: from.tools.filter((name) => tools.includes(name)),
    maxSteps: Math.min(from.maxSteps, maxSteps),
  };
}

/** The run inside, ended by `signal`. Throws on anything that is not exactly a capsule. */
export function unseal(data: unknown, signal: AbortSignal): CapsuleBounds & { readonly run: RunContext } {
  const read = capsule.safeParse(data);
  if (!read.success) throw new HermodError('us', 'What should be a run capsule is none. This is a bug in hermod.');
  const { run: inside, tools, maxSteps } = read.data;
  return { run: { ...inside, signal } as unknown as RunContext, tools, maxSteps };
}
