import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScriptCalls } from '../../src/agent/script-calls.ts';
import type { AskCallback } from '../../src/approvals/broker.ts';
import { withRun } from '../../src/context/run-context.ts';
import { type CallId, newId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Tool, ToolUse } from '../../src/contract/tool.ts';
import { createExecuteCode } from '../../src/tools/execute-code.ts';
import { AgentWorld, type AgentWorldOptions } from '../fakes/agent-world.ts';
import { plainTool, shellTool } from '../fakes/approval-world.ts';
import { chatRun, cliRun, cronRun, unattendedRun } from '../fakes/runs.ts';
import { processFixture, temporaryFolder } from '../tools/tool-fixture.ts';
import { call, calls, type ScriptedStep, say } from './turn-fixture.ts';

const MARKERS = {
  ...{ HERMOD_CRON_SESSION: '1', HERMOD_GATEWAY_SESSION: '1', HERMOD_EXEC_ASK: '1', HERMOD_INTERACTIVE: '1' },
  ...{ HERMES_CRON_SESSION: '1', HERMES_GATEWAY_SESSION: '1', HERMES_EXEC_ASK: '1', HERMES_INTERACTIVE: '1' },
  ...{ HERMOD_YOLO_MODE: '1', HERMES_YOLO_MODE: '1' },
};

let folder: ReturnType<typeof temporaryFolder>;
let processes: ReturnType<typeof processFixture>;
beforeEach(() => {
  folder = temporaryFolder();
  processes = processFixture({ ...process.env, ...MARKERS });
});
afterEach(async () => {
  await processes.groups.killAll();
  folder.remove();
});

/** A world whose workers can run a command, and a script in a real child process that runs one. */
function world(worker: readonly ScriptedStep[], options: AgentWorldOptions = {}) {
  const shell = { ...shellTool, run: async () => ({ text: 'ran', isError: false }) };
  const made: AgentWorld = new AgentWorld({
    ...options,
    tools: [shell, ...(options.tools ?? [])],
    workers: [worker],
    config: { execute_code: 'scan', denial_breaker_threshold: 0, ...options.config },
  });
  const scripted = ['shell'];
  made.registry.add(
    createExecuteCode({
      ...processes,
      ...{ node: process.execPath, python: undefined, workspace: folder.path, temporary: folder.path },
      tools: scripted,
      call: createScriptCalls(made.registry, scripted),
    }) as never,
  );
  return made;
}

/** The same run in a conversation that is there. */
const settledIn = (made: AgentWorld, run: RunContext): RunContext => ({
  ...run,
  session: made.begin('go').row.session,
});

/** Starts one worker in the run, as `delegate` does. */
function delegated(made: AgentWorld, run: RunContext, host: 'inline' | 'thread') {
  const use = { run, call: newId<CallId>(), signal: run.signal, progress() {}, asking() {} } as unknown as ToolUse;
  return withRun(run, () => made.workers.work({ goal: 'clean up' }, use, host));
}

const DIRECT = calls(call('shell', { command: 'rm -rf build' }));
const SCRIPT = calls(
  call('execute_code', {
    language: 'js',
    code: `try { console.log(await tools.shell({ command: 'rm -rf build' })); } catch (error) { console.log(error.message); }`,
  }),
);

/** Who decided about what was flagged, with the label. */
const decided = ({ approvals }: AgentWorld) =>
  approvals
    .events('decided')
    .map(({ body }) => [body['kind'], body['depth'], body['authority'], body['label']].join(' '));

describe.each([
  ['in this thread', 'inline', DIRECT],
  ['in a worker thread', 'thread', DIRECT],
  ['in a child process of a worker in this thread', 'inline', SCRIPT],
  ['in a child process of a worker in a worker thread', 'thread', SCRIPT],
] as const)('a worker %s', (_, host, step) => {
  it.each([
    ['a job under deny', cronRun({ mode: 'deny' }), 'cron 1 cron block:cron'],
    ['a job under approve', cronRun({ mode: 'approve' }), 'cron 1 cron allow:cron'],
    ['a chat', chatRun(), 'chat 1 person block:subagent'],
    ['a terminal', cliRun(), 'cli 1 person block:subagent'],
    ['a webhook', unattendedRun(), 'unattended 1 unattended block:unattended'],
  ] as const)('of %s has its authority, whatever the environment says', async (_name, run, expected) => {
    const made = world([step, say('done')]);
    expect((await delegated(made, settledIn(made, run), host)).outcome).toBe('completed');
    expect(decided(made)).toEqual([expected]);
  });

  /** A tool by which the worker brings its own way to ask. */
  const bring = (register: (use: ToolUse) => void): Tool =>
    plainTool('bring', 'own', {
      run: async (_input, use) => {
        register(use);
        return { text: 'brought', isError: false };
      },
    });

  async function asked(own: string, parents: string, kind: RunContext = chatRun()) {
    const heard: string[] = [];
    const answer =
      (name: string, says: string): AskCallback =>
      async () => {
        heard.push(name);
        return says;
      };
    const ownAnswer = answer('own', own);
    const tool = bring((use) => void made.approvals.broker.register(use.run.runId, ownAnswer));
    const made: AgentWorld = world([calls(call('bring', {})), step, say('done')], { tools: [tool] });
    const run = settledIn(made, kind);
    made.approvals.broker.register(run.runId, answer('parent', parents));
    await delegated(made, run, host);
    const told = made.approvals.events().filter(({ event }) => event === 'granted' || event === 'denied');
    return { heard, decided: decided(made), told: told.map(({ event, body }) => `${event} ${body['surface']}`) };
  }

  it('keeps its own no under a parent that would say yes', async () => {
    expect(await asked('deny', 'once')).toEqual({
      heard: ['own'],
      decided: ['chat 1 person ask:callback'],
      told: ['denied callback'],
    });
  });

  it('keeps its own yes under a parent that would say no', async () => {
    expect(await asked('once', 'deny')).toEqual({
      heard: ['own'],
      decided: ['chat 1 person ask:callback'],
      told: ['granted callback'],
    });
  });

  it('asks nobody in a job, whoever brought an answer', async () => {
    const { heard, decided: labels } = await asked('once', 'once', cronRun());
    expect([heard, labels]).toEqual([[], ['cron 1 cron block:cron']]);
  });
});

describe('the environment of a child', () => {
  it('holds no marker, no yolo and nothing of ours but the tag of its process tree', async () => {
    const made = world([]);
    const code = 'console.log(Object.keys(process.env).filter((name) => /^(HERMOD|HERMES)_/i.test(name)).join())';
    expect((await made.call(chatRun(), 'execute_code', { language: 'js', code })).text).toBe('HERMOD_PROC');
  });
});
