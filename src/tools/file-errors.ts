import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { HermodError } from '../contract/errors.ts';
import { nearest } from '../contract/nearest.ts';
import type { ToolResult } from '../contract/tool.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EISDIR: 'it is a folder; list_files shows it',
  ENOTDIR: 'a part of the path is a file, no folder',
  ELOOP: 'it is a link, or links go in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  ENXIO: 'it is a fifo or a socket, no file',
};

/** What went wrong with a path, as a tool's result. Anything but a file error is thrown on. */
export async function fileError(error: unknown, path: string, real: string): Promise<ToolResult> {
  if (error instanceof HermodError) return { text: error.message, isError: true };
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { text: await notFound(path, real), isError: true };
  const sentence = SENTENCES[code ?? ''];
  if (sentence === undefined) throw error;
  return { text: `${path}: ${sentence}.`, isError: true };
}

/** Names what is nearest in the same folder. */
async function notFound(path: string, real: string): Promise<string> {
  const names = await readdir(dirname(real)).catch(() => undefined);
  if (!names) return `${path} does not exist, nor does its folder. list_files shows what is there.`;
  const near = nearest(basename(real), names, 3);
  return near.length === 0
    ? `${path} does not exist; its folder is empty.`
    : `${path} does not exist. Nearest: ${near.join(', ')}.`;
}
