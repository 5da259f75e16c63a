import { homedir, userInfo } from 'node:os';
import { analyze } from './approvals/analyze.ts';
import { installationFolder } from './approvals/installation.ts';
import { explained } from './cli/explain-decisions.ts';
import { explainedLines } from './cli/explain-output.ts';
import type { Config } from './config/config.ts';
import type { Host } from './host.ts';

/** What `hermod explain` says, for a chat: of a command in the folder its session stands in. Runs nothing. */
export function createExplain({ approvals, agent, files, http }: Config, home: string, host: Host) {
  return (command: string, cwd: string | null): readonly string[] => {
    const analysis = analyze(command, {
      cwd: cwd ?? agent.workspace,
      home: homedir(),
      user: userInfo().username,
      roots: [agent.workspace, ...files.roots],
      hermodHome: home,
      installation: installationFolder(),
      ...(http.port > 0 && { port: http.port }),
      pid: host.pid,
      parentPid: host.parentPid,
      childPids: [],
      fetched: [],
      os: host.platform === 'darwin' || host.platform === 'win32' ? host.platform : 'linux',
      protectPaths: approvals.protect_paths,
    });
    return explainedLines(explained(command, analysis, approvals), undefined);
  };
}
