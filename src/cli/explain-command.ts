import { homedir, userInfo } from 'node:os';
import type { Facts } from '../approvals/analysis.ts';
import { installationFolder } from '../approvals/installation.ts';
import { loadConfig } from '../config/load.ts';
import type { Host } from '../host.ts';
import { homeOf } from './daemon-client.ts';
import { explain } from './explain.ts';

/** `hermod explain`: under the present configuration, without a daemon and without writing anything. */
export async function explainCommand(host: Host, args: readonly string[]): Promise<number> {
  const home = homeOf(host);
  const loaded = loadConfig({ home, env: host.env, set: [] });
  if (!loaded.ok) {
    for (const problem of loaded.problems) host.err.write(`${problem}\n`);
    return 78;
  }
  const { approvals, agent, files, http } = loaded.config;
  const facts: Facts = {
    cwd: agent.workspace,
    home: homedir(),
    user: userInfo().username,
    roots: [agent.workspace, ...files.roots],
    hermodHome: loaded.home,
    installation: installationFolder(),
    ...(http.port > 0 && { port: http.port }),
    pid: host.pid,
    parentPid: host.parentPid,
    childPids: [],
    fetched: [],
    os: host.platform === 'darwin' || host.platform === 'win32' ? host.platform : 'linux',
    protectPaths: approvals.protect_paths,
  };
  const line = (stream: { write(text: string): unknown }) => (text: string) => void stream.write(`${text}\n`);
  return explain(args, { out: line(host.out), err: line(host.err), stdin: host.stdin, facts, config: approvals });
}
