import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HermodError } from '../contract/errors.ts';

export interface FilePlaces {
  /** First root, and where relative paths start. Real path. */
  readonly workspace: string;
  /** `files.roots`. Real paths. */
  readonly roots: readonly string[];
  /** hermod's own folder. Real path. */
  readonly home: string;
}

const SEALED_NAMES = ['.env', 'config.yaml', 'hermod.db', 'hermod.db-wal', 'hermod.db-shm', 'hermod.lock'];
const SEALED_FOLDERS = ['run', 'backups', 'results', 'memory', 'undo'];
const SEALED_PROC = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem|maps|auxv)$/;

const SEALED = "Not opened: hermod's own data is sealed.";

/** An absolute path without `.` and `..`, links not followed. What the gate judged is this path. Pure. */
export function lexicalPath(path: string, { workspace }: FilePlaces): string {
  return resolve(workspace, path);
}

/** Whether an absolute path is one of the folders or below one. Pure. */
export function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  });
}

/**
 * Where a path really leads, links followed as far as it exists. A path below the work folders that leads out of them is
 * refused; one outside was the gate's to judge, and may only not end in a link.
 */
export async function realTarget(path: string, places: FilePlaces): Promise<string> {
  const lexical = lexicalPath(path, places);
  const real = await realOfExisting(lexical);
  const folders = [places.workspace, ...places.roots];
  if (!isBelow(real, folders)) {
    if (isBelow(lexical, folders)) throw refusal(`Not opened: ${path} leads out of the work folders, to ${real}.`);
    if (await isLink(lexical)) throw refusal(`Not opened: ${path} is a link to ${real}; name that file itself.`);
  }
  await refuseSealed(real, places);
  return real;
}

/** Opens what `realTarget` gave, and makes sure that it is still that and an ordinary file. The caller closes it. */
export async function openRegular(
  real: string,
  places: FilePlaces,
): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    await refuseMoved(handle.fd, real, stats);
    if (!stats.isFile()) throw refusal(`Not opened: ${real} is ${kindOf(stats)}, no file.`);
    await refuseSealedInode(stats, places);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Refuses hermod's own files by name. */
export async function refuseSealed(real: string, { home }: FilePlaces): Promise<void> {
  if (SEALED_PROC.test(real)) throw refusal(SEALED);
  const way = isBelow(real, [home]) ? relative(home, real) : undefined;
  if (way === undefined) return;
  const [top = ''] = way.split(sep);
  if (SEALED_FOLDERS.includes(top) || isSealedName(way)) throw refusal(SEALED);
}

/** Refuses a hard link to one of hermod's own files. */
export async function refuseSealedInode(stats: Stats, { home }: FilePlaces): Promise<void> {
  if (stats.nlink < 2) return;
  for (const path of await sealedFiles(home)) {
    const sealed = await stat(path).catch(() => undefined);
    if (sealed && sealed.ino === stats.ino && sealed.dev === stats.dev) throw refusal(SEALED);
  }
}

/** An error whose message is the tool's result. */
export function refusal(sentence: string): HermodError {
  return new HermodError('tool', sentence);
}

/** A file, folder, link, device and so on, with its article. */
export function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isFIFO()) return 'a fifo';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Bytes as people write them. Pure. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

/** The deepest existing part really, the rest as written. */
async function realOfExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (await isLink(path)) throw refusal(`Not opened: ${path} is a link that leads nowhere.`);
    if (!isMissing(error) || dirname(path) === path) throw error;
    return join(await realOfExisting(dirname(path)), basename(path));
  }
}

/** Between the look and the opening somebody may have put another file, or a link, in its place. */
async function refuseMoved(fd: number, real: string, stats: Stats): Promise<void> {
  const now = await readlink(`/proc/self/fd/${fd}`).catch(() => undefined);
  if (now === real) return;
  const again = now === undefined ? await lstat(await realpath(real)) : undefined;
  if (again && again.ino === stats.ino && again.dev === stats.dev && (await realpath(real)) === real) return;
  throw refusal(`Not opened: ${real} was replaced while it was opened. Try again.`);
}

function isSealedName(name: string): boolean {
  return SEALED_NAMES.some((sealed) => name === sealed || name.startsWith(`${sealed}.bak-`));
}

async function sealedFiles(home: string): Promise<readonly string[]> {
  const top = await readdir(home, { withFileTypes: true }).catch(() => []);
  const named = top.filter((entry) => isSealedName(entry.name)).map((entry) => join(home, entry.name));
  const inside = await Promise.all(SEALED_FOLDERS.map((folder) => filesBelow(join(home, folder))));
  return [...named, ...inside.flat()];
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
