import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { currentRun } from '../../src/context/run-context.ts';
import type { StepEvent } from '../../src/contract/model.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Tool, ToolResult, ToolUse } from '../../src/contract/tool.ts';
import type { WorkerTask } from '../../src/contract/worker.ts';
import { createDelegate } from '../../src/tools/delegate.ts';
import { settle } from '../fakes/fake-clock.ts';
import { cronRun } from '../fakes/runs.ts';
import { call, calls, type FixtureOptions, ScriptedModel, say, turnFixture } from './turn-fixture.ts';

const noted = (
  name: string,
  effects: Tool['effects'],
  run?: (input: unknown, use: ToolUse) => Promise<ToolResult>,
): Tool => ({
  name,
  description: name,
  effects,
  input: z.strictObject({ path: z.string().optional() }),
  ...(effects === 'write'
    ? { paths: (input: unknown) => [{ path: (input as { path: string }).path, use: 'write' as const }] }
    : {}),
  run: run ?? (async (_input, use) => ({ text: `${name} at depth ${use.run.depth}`, isError: false })),
});

const hang = (_request: unknown, signal: AbortSignal) =>
  (async function* (): AsyncIterable<StepEvent> {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield { type: 'done', reason: 'aborted', usage: null };
  })();

describe.each(['inline', 'thread'] as const)('a worker decided %s', (host) => {
  /** A turn that delegates the tasks once and then says good bye. */
  function delegation(options: FixtureOptions & { tasks?: readonly WorkerTask[]; maxDepth?: number }) {
    const tasks = options.tasks ?? [{ goal: 'count the files' }];
    const t = turnFixture({
      ...options,
      steps: options.steps ?? [calls(call('delegate', { workers: tasks })), say('Bye.')],
    });
    const work = (task: WorkerTask, use: ToolUse) => t.workers.work(task, use, host);
    t.registry.add(createDelegate({ maxDepth: options.maxDepth ?? 1, maxChildren: 3, work }));
    return t;
  }

  it('has an empty conversation, the rules of work, and returns its report', async () => {
    const model = new ScriptedModel([calls(call('look', {})), say('There are 3.')]);
    const t = delegation({ tools: [noted('look', 'read')], workers: [model] });
    await t.run();
    expect(t.calls()[0]).toMatchObject({ state: 'done', result: 'Worker: completed, 1 step\nThere are 3.' });
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: 'count the files' }]);
    expect(model.requests[0]?.system.stable).toContain('You are a worker');
    expect(model.requests[0]?.system.varying).not.toBe('');
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'look at depth 1' });
    expect(t.store.transcript.read(t.session.id).map((row) => row.content)).toEqual(['please', '']);
  });

  it('writes every call down before it runs, outside the conversation', async () => {
    const states: unknown[] = [];
    const look = noted('look', 'exec', async (_input, use) => {
      states.push(t.store.transcript.call(use.call)?.state);
      return { text: 'x', isError: false };
    });
    const t = delegation({ tools: [look], workers: [new ScriptedModel([calls(call('look', {})), say('ok')])] });
    await t.run();
    expect(states).toEqual(['begun']);
  });

  it('meets the gate in its own run: one deeper, same kind and people, no turn to go on with', async () => {
    const seen: { depth: number; kind: string; turn: unknown; own: boolean; root: unknown }[] = [];
    const t = delegation({
      tools: [noted('act', 'exec')],
      workers: [new ScriptedModel([calls(call('act', {})), say('ok')])],
    });
    t.gate.judge = (asked) => {
      seen.push({
        depth: asked.run.depth,
        kind: asked.run.kind,
        turn: asked.turn,
        own: currentRun() === asked.run,
        root: asked.run.rootId,
      });
      return { kind: 'pass', input: asked.input };
    };
    const run: RunContext = { ...cronRun(), session: t.session.id };
    await t.run(run);
    expect(seen).toEqual([
      { depth: 0, kind: 'cron', turn: t.turn.id, own: true, root: run.rootId },
      { depth: 1, kind: 'cron', turn: null, own: true, root: run.rootId },
    ]);
  });

  it('has no tool its parent lacks, none that needs a person, and fewer where the task says so', async () => {
    const all = ['look', 'act', 'clarify', 'memory', 'schedule', 'send_message', 'send_file'].map((name) =>
      noted(name, 'own'),
    );
    const models = [new ScriptedModel([say('ok')]), new ScriptedModel([calls(call('look', {})), say('ok')])];
    const t = delegation({
      tools: all,
      workers: models,
      tasks: [{ goal: 'a' }, { goal: 'b', tools: ['act'] }, { goal: 'c', tools: ['memory'] }],
    });
    await t.run();
    expect(models.map((model) => model.requests[0]?.tools.map((tool) => tool.name))).toEqual([
      ['act', 'look'],
      ['act'],
    ]);
    expect(models[1]?.requests[1]?.messages.at(-1)?.content).toContain('no tool "look"');
    expect(t.calls()[0]?.result).toContain(
      'Worker 3: Not started: there is no tool "memory" for workers. There are: act, look.',
    );
  });

  it('may delegate again only where the depth allows it, and then with less', async () => {
    const inner = new ScriptedModel([say('deep')]);
    const outer = new ScriptedModel([calls(call('delegate', { workers: [{ goal: 'deeper' }] })), say('back')]);
    const t = delegation({
      tools: [noted('look', 'read'), noted('act', 'exec')],
      workers: [outer, inner],
      maxDepth: 2,
      tasks: [{ goal: 'a', tools: ['look', 'delegate'] }],
    });
    await t.run();
    expect(outer.requests[0]?.tools.map((tool) => tool.name)).toEqual(['delegate', 'look']);
    expect(inner.requests[0]?.tools.map((tool) => tool.name)).toEqual(['look']);
    expect(t.calls()[0]?.result).toContain('back');
  });

  it('is refused like anybody and says so', async () => {
    const model = new ScriptedModel([calls(call('act', {})), say('I may not.')]);
    const t = delegation({ tools: [noted('act', 'exec')], workers: [model] });
    t.gate.judge = (asked) =>
      asked.run.depth > 0
        ? { kind: 'refused', by: 'policy', rule: 'fs.delete', text: 'Refused: needs a person.' }
        : { kind: 'pass', input: asked.input };
    await t.run();
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: 'Refused: needs a person.', isError: true });
  });

  it('ends at its steps and names the files it changed', async () => {
    const model = new ScriptedModel([
      calls(call('put', { path: '/w/a' })),
      calls(call('put', { path: '/w/b' })),
      say('Half done.'),
    ]);
    const t = delegation({ tools: [noted('put', 'write')], workers: [model], tasks: [{ goal: 'x', max_steps: 2 }] });
    await t.run();
    expect(t.calls()[0]?.result).toBe(
      'Worker: completed, 2 steps\nHalf done.\n\nStopped after 2 steps. Say "go on" to continue.\nFiles changed: /w/a, /w/b',
    );
  });

  it('tells what it did when it fails, and that it read what nobody vouches for', async () => {
    const failed: StepEvent[] = [
      { type: 'done', reason: 'failed', usage: null, failure: { kind: 'quota', detail: '' } },
    ];
    const fetch = noted('fetch', 'read', async () => ({ text: 'page', isError: false, untrusted: 'example.org' }));
    const t = delegation({
      tools: [fetch],
      workers: [new ScriptedModel([calls(call('fetch', { path: 'u' })), failed])],
    });
    await t.run();
    expect(t.calls()[0]).toMatchObject({
      state: 'failed',
      untrusted: 'example.org',
      result: 'Worker: failed, 1 step\nThe model failed: quota.\nIts last actions:\n- fetch: u: done',
    });
  });

  it('counts its tokens', async () => {
    const model = new ScriptedModel([say('ok')]);
    model.usage = { input: 1000, output: 234 };
    const t = delegation({ workers: [model] });
    await t.run();
    expect(t.calls()[0]?.result).toBe('Worker: completed, 0 steps, 1,234 tokens\nok');
  });

  it('is timed out, but not while a person is asked', async () => {
    let ask = (_waiting: boolean) => {};
    const act = noted('act', 'exec');
    const t = delegation({ tools: [act], timeoutS: 100, workers: [new ScriptedModel([calls(call('act', {})), hang])] });
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    t.gate.judge = async (c) => {
      if (c.run.depth > 0) {
        c.asking(true);
        ask = c.asking;
        asked.resolve();
        await answered.promise;
      }
      return { kind: 'pass', input: c.input };
    };
    const result = t.run();
    await asked.promise;
    await t.clock.skip(5_000_000);
    expect(t.sink.events).toContain('waiting true');
    ask(false);
    answered.resolve();
    while (
      !t.model.requests.length ||
      !t.store.db.prepare(`SELECT 1 FROM calls WHERE name = 'act' AND state = 'done'`).get()
    )
      await settle();
    await settle(20);
    await t.clock.skip(99_000);
    expect(t.calls()[0]?.state).toBe('begun');
    await t.clock.skip(1_000);
    await result;
    expect(t.calls()[0]?.result).toBe('Worker: timed out, 1 step\nIts last actions:\n- act: done');
  });

  it('stops with its parent, all calls settled', async () => {
    const begun = Promise.withResolvers<void>();
    const act = noted('act', 'exec', (_input, use) => {
      begun.resolve();
      return new Promise((resolve) => use.signal.addEventListener('abort', () => resolve({ text: '', isError: true })));
    });
    const t = delegation({
      tools: [act, noted('look', 'read')],
      workers: [new ScriptedModel([calls(call('act', {}), call('look', {}))])],
    });
    const result = t.run();
    await begun.promise;
    t.abort.abort('stop');
    await settle(50);
    await t.clock.skip(100);
    expect(await result).toMatchObject({ kind: 'stopped', by: 'stop' });
    expect(t.calls()[0]).toMatchObject({ state: 'unknown' });
    while (t.store.db.prepare(`SELECT 1 FROM calls WHERE ended_at IS NULL`).get()) await settle();
    expect(t.store.db.prepare('SELECT name, state, result FROM calls ORDER BY rowid').all().slice(1)).toMatchObject([
      { name: 'act', state: 'unknown', result: expect.stringContaining('stopped by the person') },
      { name: 'look', state: 'skipped', result: 'not run' },
    ]);
  });
});

describe('bounds', () => {
  it('starts at most twelve in a turn and six at once', async () => {
    const three = [1, 2, 3].map((n) => ({ goal: `${n}` }));
    const t = turnFixture({
      steps: [
        ...Array.from({ length: 5 }, (_, i) =>
          calls(call('delegate', { workers: three.map(({ goal }) => ({ goal: `${i}${goal}` })) })),
        ),
        say('ok'),
      ],
      workers: Array.from({ length: 12 }, () => new ScriptedModel([say('done')])),
    });
    t.registry.add(
      createDelegate({ maxDepth: 1, maxChildren: 3, work: (task, use) => t.workers.work(task, use, 'inline') }),
    );
    await t.run();
    expect(t.calls().map((c) => c.state)).toEqual(['done', 'done', 'done', 'done', 'failed']);
    expect(t.calls()[4]?.result).toContain('Worker 3: Not started: a turn may have 12 workers.');

    const many = turnFixture({
      steps: [calls(call('delegate', { workers: Array.from({ length: 8 }, () => ({ goal: 'x' })) })), say('ok')],
      workers: Array.from({ length: 6 }, () => new ScriptedModel([say('done')])),
    });
    many.registry.add(
      createDelegate({ maxDepth: 1, maxChildren: 8, work: (task, use) => many.workers.work(task, use, 'inline') }),
    );
    await many.run();
    expect(many.calls()[0]?.result?.match(/Not started: 6 workers run already\./g)).toHaveLength(2);
  });

  it('gives a lone worker to this thread and several a thread each', async () => {
    const hosts: string[] = [];
    const tool = createDelegate({
      maxDepth: 1,
      maxChildren: 3,
      work: async (_task, _use, host) => {
        hosts.push(host);
        return { outcome: 'completed', text: '', files: [], steps: 0, tokens: 0 };
      },
    });
    await tool.run({ workers: [{ goal: 'a' }] }, {} as ToolUse);
    await tool.run({ workers: [{ goal: 'a' }, { goal: 'b' }] }, {} as ToolUse);
    expect(hosts).toEqual(['inline', 'thread', 'thread']);
    expect(tool.input.safeParse({ workers: [] }).success).toBe(false);
  });
});
