import { existsSync } from 'node:fs';
import type { ToolRegistry } from './agent/tool-registry.ts';
import type { Config } from './config/config.ts';
import { childEnv } from './context/child-env.ts';
import type { Clock } from './contract/clock.ts';
import type { RunContext } from './contract/run.ts';
import type { Tool } from './contract/tool.ts';
import type { Host } from './host.ts';
import type { Sessions } from './store/sessions.ts';
import type { FilePlaces } from './tools/file-access.ts';
import { createListFiles } from './tools/list-files.ts';
import type { ProcessGroups } from './tools/process-groups.ts';
import { createReadFile } from './tools/read-file.ts';
import { SeenFiles } from './tools/seen-files.ts';
import { createShell } from './tools/shell.ts';
import { createWriteFile } from './tools/write-file.ts';

interface Deps {
  readonly config: Config;
  readonly host: Host;
  readonly clock: Clock;
  readonly groups: ProcessGroups;
  readonly sessions: Sessions;
  readonly places: FilePlaces;
}

/** Puts the built-in tools into the registry, but those the operator switched off. */
export function addTools(registry: ToolRegistry, deps: Deps): void {
  const { config, places } = deps;
  const seen = new SeenFiles();
  const tools = [
    shell(deps),
    createReadFile({ places, seen }),
    createWriteFile({ places, seen }),
    createListFiles({ places }),
  ];
  for (const tool of tools as readonly Tool[]) {
    if (!config.agent.tools_off.includes(tool.name)) registry.add(tool);
  }
}

function shell({ config, host, clock, groups, sessions, places }: Deps) {
  return createShell({
    clock,
    groups,
    env: (tag) => childEnv(host.env, { pass: config.shell.env_pass, tag }),
    shell: ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh',
    workspace: places.workspace,
    folder: folderOf(sessions, places.workspace),
    timeoutS: () => config.shell.timeout_s,
  });
}

/** Where a session's commands run: they follow `cd`, over restarts too. A worker starts where its parent stands and moves nobody. */
function folderOf(sessions: Sessions, workspace: string) {
  return {
    of: (run: RunContext) => sessions.get(run.session)?.cwd ?? workspace,
    follow: (run: RunContext, path: string) => {
      if (run.depth === 0) sessions.setCwd(run.session, path);
    },
  };
}
