import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createScriptCalls } from '../../src/agent/script-calls.ts';
import { currentRun, withRun } from '../../src/context/run-context.ts';
import { type CallId, newId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Tool, ToolUse } from '../../src/contract/tool.ts';
import { createExecuteCode } from '../../src/tools/execute-code.ts';
import { chatRun, cronRun } from '../fakes/runs.ts';
import { processFixture, temporaryFolder } from '../tools/tool-fixture.ts';
import { turnFixture } from './turn-fixture.ts';

describe('calls of scripts', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const danger: Tool = {
    name: 'shell',
    description: 'dangerous',
    input: z.strictObject({ command: z.string() }),
    effects: 'exec',
    run: async (_input, use) => ({ text: `ran in ${use.run.session}`, isError: false }),
  };

  it('meet the gate in the run that started the script, while other runs run the same script', async () => {
    const t = turnFixture({ tools: [danger] });
    const call = createScriptCalls(t.registry, ['shell']);
    t.registry.add(
      createExecuteCode({
        ...processFixture(),
        node: process.execPath,
        python: undefined,
        workspace: folder.path,
        temporary: folder.path,
        tools: ['shell'],
        call,
      }),
    );
    const seen: (readonly [string, RunContext, RunContext | undefined])[] = [];
    t.gate.judge = async (asked) => {
      seen.push([asked.tool.name, asked.run, currentRun()]);
      await new Promise((resolve) => setImmediate(resolve));
      if (asked.tool.name === 'shell' && asked.run.kind === 'cron')
        return { kind: 'refused', by: 'policy', rule: 'x', text: 'Jobs may not.' };
      return { kind: 'pass', input: asked.input };
    };
    const script =
      'for (let i = 0; i < 3; i++) try { console.log(await tools.shell({ command: "rm -r x" })); } catch (e) { console.log(e.message); }';
    const runs = [chatRun({ session: 'a' }), cronRun(), chatRun({ session: 'b' })];
    const execute = (run: RunContext) =>
      withRun(run, () =>
        t.registry.call({
          call: newId<CallId>(),
          turn: null,
          tool: 'execute_code',
          input: { language: 'js', code: script },
          run,
          recorded: false,
          asking: () => {},
          progress: () => {},
        }),
      );
    const results = await Promise.all(runs.map(execute));
    expect(results.map((result) => result.text)).toEqual([
      'ran in a\nran in a\nran in a',
      'Jobs may not.\nJobs may not.\nJobs may not.',
      'ran in b\nran in b\nran in b',
    ]);
    expect(seen).toHaveLength(12);
    for (const [, asked, current] of seen) expect(current).toBe(asked);
  });

  it('are refused once the run has ended', async () => {
    const t = turnFixture({ tools: [danger] });
    const call = createScriptCalls(t.registry, ['shell']);
    const run = chatRun();
    const use = { run, progress: () => {} } as unknown as ToolUse;
    const asked = { tool: 'shell', input: { command: 'x' }, signal: new AbortController().signal, asking: () => {} };
    expect(await withRun(run, () => call(use, asked))).toMatchObject({ isError: false });
    expect(await call(use, asked)).toEqual({ isError: true, text: expect.stringContaining('run_ended') });
    expect(t.gate.calls).toHaveLength(1);
  });
});
