import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Deadline } from '../contract/deadline.ts';
import type { Tool, ToolResult, ToolUse } from '../contract/tool.ts';
import { type Child, type ChildDeps, type ChildEnd, exitOf, startChild } from './child.ts';
import { CodeChannel } from './code-channel.ts';
import { JS_MAIN, PYTHON_MAIN } from './code-runtime.ts';
import { OutputWindow } from './output-window.ts';

const MAX_TIMEOUT_S = 300;
const MAX_CODE = 64 * 1024;
const MEMORY_MB = 512;
const OUT_BYTES = 50 * 1024;
const ERR_BYTES = 10 * 1024;
const FLOOD_BYTES = 200 * 1024 * 1024;

/** A tool call a script makes. */
export interface ScriptCall {
  readonly tool: string;
  readonly input: unknown;
  /** Aborts when the script is over. */
  readonly signal: AbortSignal;
  readonly asking: (waiting: boolean) => void;
}

export interface ExecuteCodeDeps extends ChildDeps {
  /** Path of the node binary. */
  readonly node: string;
  /** Path of python3; undefined: scripts are JavaScript only. */
  readonly python: string | undefined;
  readonly workspace: string;
  /** Where a folder for each run is made; real path. */
  readonly temporary: string;
  /** What scripts may call. */
  readonly tools: readonly string[];
  /** Makes the call in the run of `use`, through the registry and the gate. Never rejects. */
  readonly call: (use: ToolUse, call: ScriptCall) => Promise<ToolResult>;
}

interface Input {
  readonly language: 'js' | 'python';
  readonly code: string;
  readonly timeout_s?: number | undefined;
}

/** Runs a script that can call tools; what it prints comes back. */
export function createExecuteCode(deps: ExecuteCodeDeps): Tool<Input> {
  const languages = deps.python === undefined ? (['js'] as const) : (['js', 'python'] as const);
  const python = deps.python === undefined ? '' : ' In Python they are functions: tools.read_file(path="a").';
  return {
    name: 'execute_code',
    description: `Runs a script; only what it prints comes back. JavaScript is an ES module with top-level await. Tools are promises of text: await tools.read_file({ path: 'a' }); there are ${deps.tools.join(', ')}.${python} Files can be read in the work folder, written only through tools.`,
    input: z.strictObject({
      language: z.enum(languages),
      code: z.string().min(1).max(MAX_CODE),
      timeout_s: z.int().min(1).max(MAX_TIMEOUT_S).optional(),
    }),
    effects: 'exec',
    code: ({ language, code }) => ({ language, source: code }),
    cwd: () => deps.workspace,
    run: (order, use) => withFolder(deps.temporary, (folder) => runScript(order, folder, use, deps)),
  };
}

async function withFolder<T>(parent: string, fn: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(parent, 'hermod-run-'));
  try {
    return await fn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runScript(order: Input, folder: string, use: ToolUse, deps: ExecuteCodeDeps): Promise<ToolResult> {
  const limitS = order.timeout_s ?? MAX_TIMEOUT_S;
  const out = new OutputWindow(OUT_BYTES * 0.4, OUT_BYTES * 0.6);
  const err = new OutputWindow(ERR_BYTES * 0.4, ERR_BYTES * 0.6);
  const take = (window: OutputWindow) => (chunk: Buffer) => {
    window.push(chunk);
    if (window.total > FLOOD_BYTES) child.kill('flood');
  };
  const { file, args } = await prepare(order, folder, deps);
  const place = { cwd: deps.workspace, more: { TMPDIR: folder }, run: use.run, signal: use.signal };
  const child = startChild({ file, args, ...place, out: take(out), err: take(err) }, deps);
  const deadline = new Deadline(deps.clock, limitS * 1000, () => child.kill('limit'));
  const { end, untrusted } = await serve(child, deadline, use, deps);
  deadline.cancel();
  const parts = [out.text().trimEnd(), errors(err), remark(end, limitS)].filter((part) => part !== '');
  const failed = end.kind !== 'exited' || end.code !== 0;
  return { text: parts.join('\n'), isError: failed, ...exitOf(end), ...(untrusted === undefined ? {} : { untrusted }) };
}

interface Served {
  readonly end: ChildEnd;
  /** Where the first untrusted text it was given came from; what it prints may hold it. */
  readonly untrusted: string | undefined;
}

/** Serves the script's calls until it is over. */
async function serve(child: Child, deadline: Deadline, use: ToolUse, deps: ExecuteCodeDeps): Promise<Served> {
  const over = new AbortController();
  const asking = (waiting: boolean) => {
    if (waiting) deadline.hold();
    else deadline.release();
    use.asking(waiting);
  };
  let untrusted: string | undefined;
  const call = async (tool: string, input: unknown) => {
    const result = await deps.call(use, { tool, input, signal: over.signal, asking });
    untrusted ??= result.untrusted;
    return result;
  };
  const channel = new CodeChannel({
    token: randomBytes(32).toString('base64url'),
    tools: deps.tools,
    log: use.log,
    call,
    send: (line) => void child.side.write(`${line}\n`),
  });
  child.side.on('data', (chunk: Buffer) => channel.feed(chunk));
  const end = await child.ended;
  channel.close();
  over.abort('stop');
  return { end, untrusted };
}

async function prepare({ language, code }: Input, folder: string, { node, python, workspace }: ExecuteCodeDeps) {
  if (language === 'python') {
    await writeFile(join(folder, 'code.py'), code);
    await writeFile(join(folder, 'main.py'), `MEMORY = ${MEMORY_MB} * 1024 * 1024\n${PYTHON_MAIN}`);
    return { file: python ?? 'python3', args: ['-I', join(folder, 'main.py')] };
  }
  await writeFile(join(folder, 'code.mjs'), code);
  await writeFile(join(folder, 'main.mjs'), JS_MAIN);
  const reads = [folder, workspace].map((path) => `--allow-fs-read=${path}`);
  const guard = ['--permission', ...reads, `--allow-fs-write=${folder}`, `--max-old-space-size=${MEMORY_MB}`];
  return { file: node, args: [...guard, join(folder, 'main.mjs')] };
}

function errors(window: OutputWindow): string {
  const text = window.text().trimEnd();
  return text === '' ? '' : `[stderr]\n${text}`;
}

function remark(end: ChildEnd, limitS: number): string {
  if (end.kind === 'missing') return `Not run: it could not be started (${end.message}).`;
  if (end.kind === 'exited') return end.code === 0 ? '' : `[exit ${end.code}]`;
  if (end.why === 'limit') return `[killed after ${limitS} s]`;
  return end.why === 'flood' ? '[killed: it printed more than 200 MB]' : '[stopped]';
}
