import { Worker } from 'node:worker_threads';
import { seal } from '../context/capsule.ts';
import { outsideRun, withRun } from '../context/run-context.ts';
import type { Clock } from '../contract/clock.ts';
import type { RunContext } from '../contract/run.ts';
import type { FromThread, ThreadStart, ToThread } from './thread-protocol.ts';
import type { TurnBounds, TurnEnd } from './turn.ts';
import type { TurnWorld } from './turn-world.ts';

export interface ThreadOrder {
  readonly world: TurnWorld;
  readonly bounds: TurnBounds;
  /** A worker's run; everything the thread asks for is done in it. */
  readonly run: RunContext;
  readonly tools: readonly string[];
}

const ENTRY = new URL('./worker-thread.ts', import.meta.url);
const HEAP_MB = 64;
/** A thread that does not end by itself after an abort is ended. */
const ABORT_GRACE_MS = 60;

/**
 * Decides a delegated turn in a worker thread. The thread gets a capsule and an empty environment; model, tools and store stay
 * here, and each of its messages is served in the worker's run, whatever context it arrives in. Rejects when the thread breaks.
 */
export async function runInThread(order: ThreadOrder, clock: Clock): Promise<TurnEnd> {
  const { run, bounds, world, tools } = order;
  const capsule = seal(run, { tools, maxSteps: bounds.maxSteps });
  const workerData: ThreadStart = { capsule, bounds, readers: world.readers };
  const options = { workerData, env: {}, argv: [], execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } };
  const thread = outsideRun(() => new Worker(ENTRY, options));
  const ended = Promise.withResolvers<TurnEnd>();
  let cancel = () => {};
  const abort = () => {
    thread.postMessage({ abort: run.signal.reason } satisfies ToThread);
    cancel = clock.after(ABORT_GRACE_MS, () => ended.resolve({ kind: 'stopped', partial: '' }));
  };
  thread.on('message', (message: FromThread) => {
    if ('end' in message) ended.resolve(message.end);
    else void withRun(run, () => serve(world, message, (answer) => thread.postMessage(answer)));
  });
  thread.on('error', (error) => ended.reject(error));
  thread.on('exit', (code) => ended.reject(new Error(`the worker thread ended with ${code}`)));
  if (run.signal.aborted) abort();
  else run.signal.addEventListener('abort', abort, { once: true });
  try {
    return await ended.promise;
  } finally {
    cancel();
    run.signal.removeEventListener('abort', abort);
    void thread.terminate();
  }
}

type Question = Extract<FromThread, { id: number }>;

async function serve(world: TurnWorld, question: Question, answer: (message: ToThread) => void): Promise<void> {
  const { id } = question;
  try {
    if (question.method !== 'ask') return answer({ id, value: await perform(world, question) });
    const [tools, said] = question.args as Parameters<TurnWorld['ask']>;
    for await (const event of world.ask(tools, said)) answer({ id, event });
    answer({ id, over: true });
  } catch (error) {
    answer({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

function perform(world: TurnWorld, { method, args }: Question): Promise<unknown> {
  switch (method) {
    case 'rows':
      return world.rows();
    case 'record':
      return world.record(...(args as Parameters<TurnWorld['record']>));
    case 'admit':
      return world.admit(...(args as Parameters<TurnWorld['admit']>));
    case 'run':
      return world.run(...(args as Parameters<TurnWorld['run']>));
    case 'skip':
      return world.skip(...(args as Parameters<TurnWorld['skip']>));
    case 'settle':
      return world.settle(...(args as Parameters<TurnWorld['settle']>));
    default:
      throw new Error(`a worker thread asked for ${method}`);
  }
}
