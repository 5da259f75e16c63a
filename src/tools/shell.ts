import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import type { RunContext } from '../contract/run.ts';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';
import { type ChildDeps, exitOf, startChild } from './child.ts';
import { MAX_TIMEOUT_S, remarks, succeeded } from './exit-text.ts';
import type { KeptResults } from './kept-results.ts';
import { OutputWindow } from './output-window.ts';
import { ShellOutput } from './shell-output.ts';

const FLOOD_BYTES = 200 * 1024 * 1024;

export interface ShellDeps extends ChildDeps {
  /** Path of bash, else of sh. */
  readonly shell: string;
  readonly workspace: string;
  /** The folder a run's shell stands in, and where it went. */
  readonly folder: { of(run: RunContext): string; follow(run: RunContext, path: string): void };
  /** `shell.timeout_s`. */
  readonly timeoutS: () => number;
  /** Where output goes that is too long; absent: its middle is lost. */
  readonly results?: Pick<KeptResults, 'open'>;
}

const input = z.strictObject({
  command: z.string().min(1).max(65_536).describe('Run by bash'),
  cwd: z.string().min(1).optional().describe('Folder; default: where the last command ended'),
  timeout_s: z.int().min(1).max(MAX_TIMEOUT_S).optional(),
});
type Input = z.infer<typeof input>;

/**
 * Standard error joins standard output, the folder in which the command ends goes to descriptor 3, and the command runs as if
 * it were the whole script: no arguments, its own line numbers.
 */
const PROLOGUE = `exec 2>&1; trap 'pwd -P >&3' EXIT; __command=$1; shift; eval "$__command"`;

/** Runs commands on this machine, in a process group of their own. */
export function createShell(deps: ShellDeps): Tool<Input> {
  return {
    name: 'shell',
    description:
      'Runs a command with bash and returns its output (stdout and stderr together). `cd` carries over to the next call, exported variables do not. No terminal, no input. Long output is cut in the middle.',
    input,
    effects: 'exec',
    command: ({ command }) => command,
    cwd: ({ cwd }, run) => folderFor(cwd, run, deps),
    run: (order, use) => runShell(order, use, deps),
  };
}

async function runShell({ command, cwd, timeout_s }: Input, use: ToolUse, deps: ShellDeps): Promise<ToolResult> {
  const folder = folderFor(cwd, use.run, deps);
  if (!isFolder(folder)) return noFolder(folder, cwd, use.run, deps);
  const limitS = timeout_s ?? deps.timeoutS();
  const output = new ShellOutput(() => deps.results?.open(use.run.session, use.call));
  const side = new OutputWindow(0, 8192);
  const take = (chunk: Buffer) => {
    output.push(chunk);
    if (output.total > FLOOD_BYTES) child.kill('flood');
  };
  const args = ['-c', PROLOGUE, 'bash', command];
  const order = { file: deps.shell, args, cwd: folder, run: use.run, signal: use.signal, out: take, err: take };
  const child = startChild(order, deps);
  child.side.on('data', (chunk: Buffer) => side.push(chunk));
  const cancel = deps.clock.after(limitS * 1000, () => child.kill('limit'));
  const end = await child.ended;
  cancel();
  if (end.kind === 'exited') follow(lastFolder(side), use.run, deps);
  const text = [output.end(), ...remarks(end, command, limitS)].filter((part) => part !== '');
  return { text: text.join('\n'), isError: !succeeded(end, command), ...exitOf(end) };
}

/** Where a command runs: what the gate was told. */
function folderFor(cwd: string | undefined, run: RunContext, { folder }: ShellDeps): string {
  return resolve(folder.of(run), cwd ?? '.');
}

/** Never another folder than the one that was judged: the next call starts in the work folder. */
function noFolder(
  path: string,
  cwd: string | undefined,
  run: RunContext,
  { folder, workspace }: ShellDeps,
): ToolResult {
  if (cwd !== undefined) return { text: `Not run: ${path} is no folder. Give another cwd.`, isError: true };
  folder.follow(run, workspace);
  return { text: `Not run: ${path} is gone. The next command starts in ${workspace}.`, isError: true };
}

function follow(path: string, run: RunContext, { folder }: ShellDeps): void {
  if (isAbsolute(path) && path !== folder.of(run) && isFolder(path)) folder.follow(run, path);
}

function lastFolder(side: OutputWindow): string {
  return side.text().trimEnd().split('\n').at(-1) ?? '';
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
