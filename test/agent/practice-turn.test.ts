import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Conversations } from '../../src/agent/conversations.ts';
import { Prompt } from '../../src/agent/prompt.ts';
import { createRunFolders } from '../../src/agent/run-folders.ts';
import { createScriptCalls } from '../../src/agent/script-calls.ts';
import { ToolRegistry } from '../../src/agent/tool-registry.ts';
import { createTurnRunner } from '../../src/agent/turn-runner.ts';
import { Workers } from '../../src/agent/workers.ts';
import { withRun } from '../../src/context/run-context.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { ModelChain } from '../../src/providers/model-chain.ts';
import { createPractice } from '../../src/providers/practice.ts';
import { openStore } from '../../src/store/store.ts';
import { createDelegate } from '../../src/tools/delegate.ts';
import { createExecuteCode } from '../../src/tools/execute-code.ts';
import { createListFiles } from '../../src/tools/list-files.ts';
import { createReadFile } from '../../src/tools/read-file.ts';
import { SeenFiles } from '../../src/tools/seen-files.ts';
import { createShell } from '../../src/tools/shell.ts';
import { createWriteFile } from '../../src/tools/write-file.ts';
import { chatAddress, chatRun, person } from '../fakes/runs.ts';
import { processFixture, temporaryFolder } from '../tools/tool-fixture.ts';
import { quietLog } from './quiet-log.ts';
import { OpenGate, RecordingSink } from './turn-fixture.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** The practice model with all tools, real processes and the real clock; only the gate lets everything pass. */
function conversation() {
  const processes = processFixture();
  const { clock } = processes;
  const store = openStore(':memory:');
  const boot = store.boots.begin(1, clock.now()).id;
  const { log } = quietLog();
  const redact = (text: string) => text;
  const registry = new ToolRegistry({
    store,
    boot,
    gate: new OpenGate(),
    clock,
    log,
    redact,
    resultBytes: () => 51_200,
  });
  const workspace = folder.path;
  const places = { workspace, roots: [], home: '/nonexistent' };
  const seen = new SeenFiles();
  const limits = () => ({ maxSteps: 50, cronMaxSteps: 30, maxOutputTokens: 8192, resultBytes: 51_200 });
  const chain = new ModelChain({
    targets: [
      {
        choice: { provider: 'practice', model: 'practice' },
        provider: createPractice({ clock }),
        facts: { name: 'practice' },
      },
    ],
    limits: { firstOutputS: 90, idleS: 60, stepDeadlineS: 300, attempts: 3 },
    fallbackOnFilter: false,
    clock,
    random: () => 0.5,
  });
  const deps = {
    store,
    clock,
    log,
    registry,
    prompt: new Prompt({ home: '/nonexistent', workspace }),
    conversations: new Conversations({ store, clock, bytes: () => 1e6 }),
    model: () => chain.turn(),
    used: () => {},
    redact,
    limits,
  };
  const workers = new Workers({ ...deps, timeoutS: () => 900 });
  const scripted = ['read_file', 'write_file', 'list_files', 'shell'];
  const tools = [
    createShell({
      ...processes,
      shell: '/bin/bash',
      workspace,
      folder: createRunFolders(store.sessions, workspace),
      timeoutS: () => 20,
    }),
    createReadFile({ places, seen }),
    createWriteFile({ places, seen }),
    createListFiles({ places }),
    createExecuteCode({
      ...processes,
      node: process.execPath,
      python: undefined,
      workspace,
      temporary: workspace,
      tools: scripted,
      call: createScriptCalls(registry, scripted),
    }),
    createDelegate({ maxDepth: 1, maxChildren: 3, work: (task, use, host) => workers.work(task, use, host) }),
  ];
  for (const tool of tools as readonly Tool[]) registry.add(tool);
  const runner = createTurnRunner(deps);
  const actor = person('ann');
  const address = chatAddress('c1');
  const session = store.sessions.open('k', actor, address, true, clock.now()).id;
  return async (content: string): Promise<string> => {
    const turn = store.turns.create({ session, actor, address, direct: true, replyTo: null }, clock.now());
    store.transcript.append({ session, turn: turn.id, step: 0, role: 'user', content }, clock.now());
    const run = { ...chatRun(), session };
    const result = await withRun(run, () => runner.run({ turn, run }, new RecordingSink()));
    if (result.kind !== 'replied') return result.kind;
    if (result.message) store.transcript.append(result.message, clock.now());
    return result.text;
  };
}

it('answers its phrases with real tools', async () => {
  const say = conversation();
  writeFileSync(join(folder.path, 'a.txt'), 'milk\n');
  expect(await say('list files')).toContain('a.txt');
  expect(await say('read a.txt')).toContain('1\tmilk');
  expect(await say('write b.txt: tea')).toContain('Created b.txt');
  expect(await say('run cat b.txt')).toContain('tea');
  expect(await say('code console.log(await tools.read_file({ path: "a.txt" }), 6 * 7)')).toContain('1\tmilk 42');
  expect(await say('delegate run echo from a worker')).toContain('from a worker');
  expect(await say('loop')).toContain('The tools are off now');
});
