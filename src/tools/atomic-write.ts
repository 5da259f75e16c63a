import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { refusal } from './file-access.ts';

const DEFAULT_MODE = 0o644;

/**
 * Puts `content` at `real`, whole or not at all: a temporary file in the same folder, flushed, then renamed. `check` runs last
 * before the rename and may throw. Missing folders are made. At no point is there anything but the old or the new file.
 */
export async function writeAtomically(
  real: string,
  content: Buffer,
  mode: number | undefined,
  check: () => Promise<void>,
): Promise<void> {
  await mkdir(dirname(real), { recursive: true });
  const folder = await open(dirname(real), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const base = await pinned(folder, dirname(real));
    await replaceIn(base, basename(real), content, mode ?? DEFAULT_MODE, check);
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A path into exactly the opened folder, whatever happens to its name; where there is no /proc, the name, looked at once more. */
async function pinned(folder: FileHandle, path: string): Promise<string> {
  const base = `/proc/self/fd/${folder.fd}`;
  const now = await readlink(base).catch(() => undefined);
  if ((now ?? (await realpath(path))) !== path)
    throw refusal(`Not written: ${path} was replaced meanwhile. Try again.`);
  return now === undefined ? path : base;
}

async function replaceIn(
  base: string,
  name: string,
  content: Buffer,
  mode: number,
  check: () => Promise<void>,
): Promise<void> {
  const temporary = join(base, `.${name.slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await check();
    await rename(temporary, join(base, name));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}
