import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Analysis } from './analysis.ts';

const INTERPRETER =
  /^(?:(?:ba|da|z|k|fi|a)?sh|python[\d.]*|node|bun|deno|perl|ruby|php|lua[\d.]*|Rscript|source|\.|tclsh|pwsh)$/;
const LARGEST = 4 * 1024 * 1024;

/**
 * SHA-256 over the script files a command runs, or null where it runs none that can be read. A file that changes between the
 * question and the start gives another one.
 */
export async function scriptHash({
  analysis,
  guard,
}: {
  readonly analysis: Analysis | undefined;
  readonly guard: string;
}): Promise<string | null> {
  if (guard !== 'shell' || !analysis) return null;
  const hash = createHash('sha256');
  let found = false;
  for (const path of scripts(analysis)) {
    const content = await fingerprint(path);
    if (content === undefined) continue;
    found = true;
    hash.update(path).update('\0').update(content).update('\0');
  }
  return found ? hash.digest('hex') : null;
}

/** Files that a command names as the program it runs. */
function scripts({ commands }: Analysis): readonly string[] {
  return commands.flatMap(({ argv, program, cwd }) => {
    const [first] = argv;
    if (cwd === null || typeof first !== 'string' || program === null) return [];
    if (first.includes('/') && !INTERPRETER.test(program)) return [resolve(cwd, first)];
    const file = INTERPRETER.test(program)
      ? argv.slice(1).find((word) => word === null || !word.startsWith('-'))
      : undefined;
    return typeof file === 'string' ? [resolve(cwd, file)] : [];
  });
}

async function fingerprint(path: string): Promise<Buffer | string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return size <= LARGEST ? await readFile(path) : `${size} ${mtimeMs} ${ino}`;
  } catch {
    return undefined;
  }
}
