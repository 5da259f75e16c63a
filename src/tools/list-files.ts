import { constants, type Dirent } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Tool, ToolResult } from '../contract/tool.ts';
import { type FilePlaces, kindOf, lexicalPath, realTarget, refusal, sizeText } from './file-access.ts';
import { fileError } from './file-errors.ts';

const MOST = 500;

const input = z.strictObject({
  path: z.string().min(1).max(4096).optional().describe('Folder; default: the work folder'),
});
type Input = z.infer<typeof input>;

/** Names what is in a folder. */
export function createListFiles({ places }: { readonly places: FilePlaces }): Tool<Input> {
  return {
    name: 'list_files',
    description: 'Lists the names and sizes in a folder, not below it.',
    input,
    effects: 'read',
    paths: ({ path = '.' }) => [{ path: lexicalPath(path, places), use: 'read' }],
    run: ({ path = '.' }) => listFiles(path, places),
  };
}

async function listFiles(path: string, places: FilePlaces): Promise<ToolResult> {
  let real = lexicalPath(path, places);
  try {
    real = await realTarget(path, places);
    const lines = await list(real);
    return { text: lines.length === 0 ? `${path} is empty.` : lines.join('\n'), isError: false };
  } catch (error) {
    return fileError(error, path, real);
  }
}

async function list(real: string): Promise<readonly string[]> {
  const folder = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const pinned = `/proc/self/fd/${folder.fd}`;
    const now = await readlink(pinned).catch(() => undefined);
    if (now !== undefined && now !== real) throw refusal(`Not listed: ${real} was replaced meanwhile. Try again.`);
    return await describeAll(now === undefined ? real : pinned);
  } finally {
    await folder.close();
  }
}

async function describeAll(base: string): Promise<readonly string[]> {
  const entries = await readdir(base, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = await Promise.all(entries.slice(0, MOST).map((entry) => describe(base, entry)));
  return entries.length > MOST ? [...lines, `[${entries.length - MOST} more; use shell to list them]`] : lines;
}

async function describe(base: string, entry: Dirent): Promise<string> {
  if (entry.isDirectory()) return `${entry.name}/`;
  const stats = await lstat(join(base, entry.name)).catch(() => undefined);
  if (!stats) return entry.name;
  return stats.isFile() ? `${entry.name}  ${sizeText(stats.size)}` : `${entry.name}  (${kindOf(stats)})`;
}
