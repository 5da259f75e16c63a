import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createPersonQuestions } from './agent/person-questions.ts';
import { createRunFolders } from './agent/run-folders.ts';
import { createScriptCalls } from './agent/script-calls.ts';
import type { ToolRegistry } from './agent/tool-registry.ts';
import type { Workers } from './agent/workers.ts';
import type { Broker } from './approvals/broker.ts';
import type { Config } from './config/config.ts';
import { childEnv } from './context/child-env.ts';
import type { Clock } from './contract/clock.ts';
import type { CallId } from './contract/ids.ts';
import type { Tool } from './contract/tool.ts';
import type { Host } from './host.ts';
import type { Store } from './store/store.ts';
import { createClarify } from './tools/clarify.ts';
import { createDelegate } from './tools/delegate.ts';
import { createExecuteCode } from './tools/execute-code.ts';
import type { FilePlaces } from './tools/file-access.ts';
import type { KeptResults } from './tools/kept-results.ts';
import { createListFiles } from './tools/list-files.ts';
import type { ProcessGroups } from './tools/process-groups.ts';
import { createReadFile } from './tools/read-file.ts';
import { createSchedule, type ScheduleDeps } from './tools/schedule.ts';
import { SeenFiles } from './tools/seen-files.ts';
import { createShell } from './tools/shell.ts';
import { createWriteFile } from './tools/write-file.ts';

interface Deps {
  readonly config: Config;
  readonly host: Host;
  readonly clock: Clock;
  readonly groups: ProcessGroups;
  readonly store: Store;
  readonly broker: Broker;
  readonly places: FilePlaces;
  readonly results: KeptResults;
  readonly workers: Workers;
  /** Where scripts get a folder each; a real path. */
  readonly temporary: string;
  readonly jobs: { readonly answer: ScheduleDeps['answer'] };
}

/** What scripts may call. */
const FOR_SCRIPTS = ['read_file', 'write_file', 'list_files', 'shell'];
const MAX_DEPTH = 1;
const MAX_CHILDREN = 3;

/** Puts the built-in tools into the registry, but those the operator switched off. */
export function addTools(registry: ToolRegistry, deps: Deps): void {
  const { config, places, results, workers, broker, store } = deps;
  const seen = new SeenFiles();
  const tools = [
    shell(deps),
    createReadFile({
      ...{ places, seen },
      result: (session, call) => results.read(session, call),
      untrustedOf: (call) => store.transcript.call(call as CallId)?.untrusted ?? undefined,
    }),
    createWriteFile({ places, seen }),
    createListFiles({ places }),
    executeCode(registry, deps),
    createClarify({ ask: createPersonQuestions(broker, store.transcript) }),
    createSchedule({ answer: (...call) => deps.jobs.answer(...call) }),
    createDelegate({ maxDepth: MAX_DEPTH, maxChildren: MAX_CHILDREN, work: (...order) => workers.work(...order) }),
  ] as unknown as readonly Tool[];
  for (const tool of tools) if (!config.agent.tools_off.includes(tool.name)) registry.add(tool);
}

function shell({ config, clock, groups, store, places, results, ...deps }: Deps) {
  const found = inPath('bash', deps.host);
  return createShell({
    clock,
    groups,
    results,
    env: envOf(config, deps.host),
    shell: found ?? '/bin/sh',
    workspace: places.workspace,
    folder: createRunFolders(store.sessions, places.workspace),
    timeoutS: () => config.shell.timeout_s,
  });
}

function executeCode(registry: ToolRegistry, { config, clock, groups, places, temporary, host }: Deps) {
  return createExecuteCode({
    clock,
    groups,
    env: envOf(config, host),
    node: host.node,
    python: inPath('python3', host),
    workspace: places.workspace,
    temporary,
    tools: FOR_SCRIPTS,
    call: createScriptCalls(registry, FOR_SCRIPTS),
  });
}

function envOf(config: Config, host: Host) {
  return (tag: string) => childEnv(host.env, { pass: config.shell.env_pass, tag });
}

function inPath(program: string, { env }: Host): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
