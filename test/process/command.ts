import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processEnv } from './daemon-process.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line as a process of its own, on a home; resolves once it has ended. */
export function hermod(home: string, args: readonly string[], more: Record<string, string> = {}): Promise<Said> {
  return begin(home, args, more).said;
}

/** As `hermod`, for those who also want its process. */
export function begin(
  home: string,
  args: readonly string[],
  more: Record<string, string> = {},
): { readonly child: ChildProcess; readonly said: Promise<Said> } {
  const env = { ...processEnv(home), ...more };
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
  return { child, said: new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err }))) };
}
