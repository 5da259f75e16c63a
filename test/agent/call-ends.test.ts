import { describe, expect, it } from 'vitest';
import { withRun } from '../../src/context/run-context.ts';
import type { CallId } from '../../src/contract/ids.ts';
import type { ToolResult } from '../../src/contract/tool.ts';
import { AgentWorld, type AgentWorldOptions } from '../fakes/agent-world.ts';
import { shellTool } from '../fakes/approval-world.ts';
import { call, calls, say, turnFixture } from './turn-fixture.ts';

/** A shell that ends as the test says. */
const shellOf = (result: Partial<ToolResult>) => ({
  ...shellTool,
  run: async () => ({ text: '', isError: false, ...result }),
});
const runs = (...commands: string[]) => calls(...commands.map((command, i) => call('shell', { command }, `p${i}`)));

async function ended(commands: readonly string[], result: Partial<ToolResult>, options: AgentWorldOptions = {}) {
  const world = new AgentWorld({
    config: { mode: 'off' },
    ...options,
    tools: [shellOf(result)],
    turns: [[runs(...commands), say('ok')]],
  });
  const turn = world.begin('do it');
  await world.run(turn);
  return { world, turn, events: world.approvals.events('ended').map(({ body }) => body) };
}

describe('the end of a call in the audit', () => {
  it('is written for what was flagged, with its exit, and not for the rest', async () => {
    const { events, turn } = await ended(['ls', 'rm -rf build'], { exit: 3, isError: true });
    expect(events).toEqual([
      { detail: 'failed', exit: 3, run: turn.run.runId, kind: 'chat', depth: 0, session: turn.run.session },
    ]);
  });

  it('says that something was killed, and nothing of an exit where there was none', async () => {
    expect((await ended(['rm -rf build'], { exit: null })).events[0]).toMatchObject({ detail: 'done', exit: null });
    expect((await ended(['rm -rf build'], {})).events[0]).not.toHaveProperty('exit');
  });

  it('comes for a flagged call of a script too, which has no row, once', async () => {
    const world = new AgentWorld({ config: { mode: 'off' }, tools: [shellOf({ exit: 0 })] });
    const { run } = world.begin('do it');
    await world.call(run, 'shell', { command: 'ls' });
    await world.call(world.begin('again').run, 'shell', { command: 'rm -rf build' });
    const events = world.approvals.events('ended');
    expect(events.map(({ body }) => [body['detail'], body['exit']])).toEqual([['done', 0]]);
  });

  it('does not come for what was refused', async () => {
    const { events, world, turn } = await ended(['rm -rf /'], {});
    expect([events, world.calls(turn).map(({ state }) => state)]).toEqual([[], ['refused']]);
  });
});

describe('the registry tells the gate', () => {
  it('of every call that was let through, also of one that did not begin', async () => {
    const stopped = new AbortController();
    const t = turnFixture({ tools: [shellOf({ exit: 0 })] });
    t.gate.judge = (asked) => {
      if ((asked.input as { command: string }).command === 'late') stopped.abort('stop');
      return { kind: 'pass', input: asked.input };
    };
    const run = t.newRun();
    const make = (command: string, id: string, signal?: AbortSignal) =>
      withRun(run, () =>
        t.registry.call({
          ...{ call: id as CallId, turn: null, tool: 'shell', input: { command }, run, recorded: false },
          ...{ asking: () => {}, progress: () => {}, ...(signal ? { signal } : {}) },
        }),
      );
    await make('ls', 'c1');
    const again = t.newRun();
    const late = await withRun(again, () =>
      t.registry.admit({
        ...{ call: 'c2' as CallId, turn: null, tool: 'shell', input: { command: 'late' }, run: again, recorded: false },
        ...{ asking: () => {}, progress: () => {}, signal: stopped.signal },
      }),
    );
    expect(late.kind).toBe('stopped');
    expect(t.gate.over.map(({ call: id, state, exit }) => [id, state, exit])).toEqual([
      ['c1', 'done', 0],
      ['c2', 'skipped', undefined],
    ]);
  });
});
