import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnv } from '../../src/context/child-env.ts';
import { systemClock } from '../../src/context/system-clock.ts';
import type { CallId } from '../../src/contract/ids.ts';
import type { RunContext } from '../../src/contract/run.ts';
import type { Tool, ToolResult } from '../../src/contract/tool.ts';
import { ProcessGroups } from '../../src/tools/process-groups.ts';
import { quietLog } from '../agent/quiet-log.ts';
import { chatRun } from '../fakes/runs.ts';

/** A temporary folder, real and without links in its path. */
export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'hermod-tools-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Real processes and the real clock. */
export function processFixture(env: Record<string, string | undefined> = process.env) {
  const groups = new ProcessGroups({ clock: systemClock, kill: (pid, signal) => void process.kill(pid, signal) });
  return { clock: systemClock, groups, env: (tag: string) => childEnv(env, { tag }) };
}

/** Calls a tool as the registry does, without the registry. */
export function useTool<I>(
  tool: Tool<I>,
  input: unknown,
  options: { run?: RunContext; signal?: AbortSignal; call?: string } = {},
): Promise<ToolResult> {
  const run = options.run ?? chatRun();
  const signal = options.signal ?? run.signal;
  const call = (options.call ?? 'call-1') as CallId;
  return tool.run(tool.input.parse(input), {
    run,
    call,
    signal,
    log: quietLog().log,
    progress: () => {},
    asking: () => {},
  });
}
