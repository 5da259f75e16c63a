import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { RunContext } from '../contract/run.ts';
import { type ChildDeps, startChild } from './child.ts';

export interface JobScript {
  /** A real path inside the scripts folder. */
  readonly path: string;
  readonly sha256: string;
}

export type JobScriptEnd =
  | { readonly kind: 'ended'; readonly code: number; readonly output: string }
  | { readonly kind: 'changed'; readonly why: string; readonly sha256: string }
  | { readonly kind: 'missing'; readonly why: string }
  | { readonly kind: 'killed' };

export interface JobScriptOrder extends JobScript {
  readonly folder: string;
  readonly cwd: string;
  readonly run: RunContext;
  readonly timeoutS: number;
}

const MOST_OUTPUT = 64 * 1024;

/** A file of the scripts folder that people set for a job, with its hash; a sentence for anything else. */
export function findJobScript(folder: string, name: string): JobScript | string {
  try {
    const path = realpathSync(join(folder, name));
    if (!path.startsWith(`${realpathSync(folder)}${sep}`)) return `${name} does not lie in ${folder}.`;
    accessSync(path, constants.X_OK);
    return { path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') };
  } catch {
    return `${name} is no executable file in ${folder}.`;
  }
}

/** Runs it by argv, without a shell, if it is still what it was. At most 64 KB of what it says is kept. */
export async function runJobScript(order: JobScriptOrder, deps: ChildDeps): Promise<JobScriptEnd> {
  const { path, sha256, folder, cwd, run, timeoutS } = order;
  const now = findJobScript(folder, path.slice(realFolder(folder).length + 1));
  if (typeof now === 'string') return { kind: 'missing', why: now };
  if (now.sha256 !== sha256) return { kind: 'changed', why: `${path} is not what was accepted`, sha256: now.sha256 };
  const over = new AbortController();
  const cancel = deps.clock.after(timeoutS * 1000, () => over.abort('idle'));
  let output = Buffer.alloc(0);
  const keep = (chunk: Buffer) => {
    output = Buffer.concat([output, chunk]).subarray(0, MOST_OUTPUT);
  };
  const signal = AbortSignal.any([run.signal, over.signal]);
  const end = await startChild({ file: path, args: [], cwd, run, signal, out: keep, err: () => {} }, deps).ended;
  cancel();
  if (end.kind === 'missing') return { kind: 'missing', why: end.message };
  if (end.kind === 'killed') return over.signal.aborted ? { kind: 'ended', code: 124, output: '' } : { kind: 'killed' };
  return { kind: 'ended', code: end.code, output: output.toString().toWellFormed() };
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
