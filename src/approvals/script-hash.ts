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
    if (!INTERPRETER.test(program)) return first.includes('/') ? [resolve(cwd, first)] : [];
    return scriptWords(argv.slice(1)).map((file) => resolve(cwd, file));
  });
}

/** The first word that is neither an option nor what may be an option's value (`-W ignore x.py`), and those values too. */
function scriptWords(words: readonly (string | null)[]): readonly string[] {
  const files: string[] = [];
  for (const [i, word] of words.entries()) {
    if (word === null) break;
    if (word.startsWith('-')) continue;
    files.push(word);
    if (i === 0 || !/^--?[A-Za-z][\w-]*$/.test(words[i - 1] ?? '')) break;
  }
  return files;
}

async function fingerprint(path: string): Promise<Buffer | string | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return size <= LARGEST ? await readFile(path) : `${size} ${mtimeMs} ${ino}`;
  } catch {
    return undefined;
  }
}
