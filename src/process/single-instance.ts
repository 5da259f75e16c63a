import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const runFile = z.object({
  pid: z.number(),
  boot: z.string(),
  url: z.string().nullable(),
  /** Bearer token of this boot, for the command line on this machine. */
  token: z.string(),
  startedAt: z.number(),
});

/** `run/daemon.json`: information for the command line, never a lock and never a pid to signal. */
export type RunFile = z.infer<typeof runFile>;

const pathOf = (home: string) => join(home, 'run', 'daemon.json');

export function writeRunFile(home: string, content: RunFile): void {
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(home), JSON.stringify(content), { mode: 0o600 });
}

export function removeRunFile(home: string): void {
  rmSync(pathOf(home), { force: true });
}

/** What the last daemon wrote about itself; undefined: no file, or one we cannot read. */
export function readRunFile(home: string): RunFile | undefined {
  if (!existsSync(pathOf(home))) return undefined;
  try {
    const parsed = runFile.safeParse(JSON.parse(readFileSync(pathOf(home), 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** ` (pid 4121, since 14:02)` for the sentence about a held lock; empty when nothing is known. */
export function holderText(home: string): string {
  const file = readRunFile(home);
  if (!file) return '';
  const since = new Date(file.startedAt).toTimeString().slice(0, 5);
  return ` (pid ${file.pid}, since ${since})`;
}
