import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import type { RunContext } from '../contract/run.ts';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';
import { type ChildDeps, type ChildEnd, startChild } from './child.ts';
import { OutputWindow } from './output-window.ts';

const MAX_TIMEOUT_S = 600;
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 192 * 1024;
const FLOOD_BYTES = 200 * 1024 * 1024;

export interface ShellDeps extends ChildDeps {
  /** Path of bash, else of sh. */
  readonly shell: string;
  readonly workspace: string;
  /** The folder a run's shell stands in, and where it went. */
  readonly folder: { of(run: RunContext): string; follow(run: RunContext, path: string): void };
  /** `shell.timeout_s`. */
  readonly timeoutS: () => number;
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
    cwd: ({ cwd }, run) => resolve(deps.folder.of(run), cwd ?? '.'),
    run: (order, use) => runShell(order, use, deps),
  };
}

async function runShell({ command, cwd, timeout_s }: Input, use: ToolUse, deps: ShellDeps): Promise<ToolResult> {
  const place = placeFor(cwd, use.run, deps);
  if (!isFolder(place.folder))
    return { text: `Not run: ${place.folder} is no folder. Give another cwd.`, isError: true };
  const limitS = timeout_s ?? deps.timeoutS();
  const output = new OutputWindow(HEAD_BYTES, TAIL_BYTES);
  const side = new OutputWindow(0, 8192);
  const take = (chunk: Buffer) => {
    output.push(chunk);
    if (output.total > FLOOD_BYTES) child.kill('flood');
  };
  const args = ['-c', PROLOGUE, 'bash', command];
  const child = startChild(
    { file: deps.shell, args, cwd: place.folder, run: use.run, signal: use.signal, out: take, err: take },
    deps,
  );
  child.side.on('data', (chunk: Buffer) => side.push(chunk));
  const cancel = deps.clock.after(limitS * 1000, () => child.kill('limit'));
  const end = await child.ended;
  cancel();
  if (end.kind === 'exited') follow(lastFolder(side), use.run, deps);
  const text = [place.note, output.text().trimEnd(), ...remarks(end, command, limitS)].filter((part) => part !== '');
  return { text: text.join('\n'), isError: !succeeded(end, command) };
}

/** A folder that was given, or the present one; where that is gone, the workspace. */
function placeFor(cwd: string | undefined, run: RunContext, { folder, workspace }: ShellDeps) {
  const present = folder.of(run);
  if (cwd !== undefined) return { folder: resolve(present, cwd), note: '' };
  if (isFolder(present)) return { folder: present, note: '' };
  return { folder: workspace, note: `[${present} is gone; this ran in ${workspace}]` };
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

function succeeded(end: ChildEnd, command: string): boolean {
  return end.kind === 'exited' && (end.code === 0 || (end.code === 1 && saysNo(command)));
}

/** Programs whose 1 means "nothing found" or "there are differences". */
function saysNo(command: string): boolean {
  const last =
    command
      .trimEnd()
      .split(/[\n;|]|&&/)
      .at(-1)
      ?.trim() ?? '';
  return /^(?:\S*\/)?(?:grep|egrep|fgrep|rg|diff|cmp|git\s+grep|git\s+diff)(?:\s|$)/.test(last);
}

const HINTS: Readonly<Record<number, string>> = {
  126: 'found, but it cannot be executed',
  127: 'the command was not found',
  137: 'killed from outside, perhaps for want of memory',
};

function remarks(end: ChildEnd, command: string, limitS: number): readonly string[] {
  switch (end.kind) {
    case 'missing':
      return [`Not run: the shell could not be started (${end.message}).`];
    case 'killed':
      return [`[${reasonText(end.why, limitS)}]`];
    case 'exited':
      return [exitText(end.code, command), leftText(end.left)].filter((line) => line !== '');
  }
}

function reasonText(why: string, limitS: number): string {
  if (why === 'limit') return `killed after ${limitS} s; timeout_s may be up to ${MAX_TIMEOUT_S}`;
  return why === 'flood' ? 'killed: it wrote more than 200 MB' : 'stopped';
}

function exitText(code: number, command: string): string {
  if (code === 0) return '';
  const hint =
    code === 255 && /\bssh\b/.test(command) ? 'ssh could not connect, or the other side ended so' : HINTS[code];
  return hint === undefined ? `[exit ${code}]` : `[exit ${code}: ${hint}]`;
}

function leftText(left: readonly number[]): string {
  if (left.length === 0) return '';
  const pids = left.slice(0, 10).join(', ');
  return `[still running in the background: pid ${pids}; its output from now on is lost, send it to a file to keep it]`;
}
