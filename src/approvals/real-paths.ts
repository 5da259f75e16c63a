import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** Where a path really leads. Never rejects. */
export type RealPath = (path: string) => Promise<string>;

/** Links followed as far as something exists. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}

/** A path as a tool was given it: `~` is the home, all else is seen from `cwd`. */
export function absolutePath(path: string, cwd: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path);
}
