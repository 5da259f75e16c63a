import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Change, Tool, ToolResult, ToolUse } from '../contract/tool.ts';
import { writeAtomically } from './atomic-write.ts';
import {
  type FilePlaces,
  isBelow,
  isMissing,
  lexicalPath,
  openRegular,
  realTarget,
  refusal,
  sizeText,
} from './file-access.ts';
import { fileError } from './file-errors.ts';
import type { SeenFiles } from './seen-files.ts';

const MAX_BYTES = 2 * 1024 * 1024;

export interface WriteFileDeps {
  readonly places: FilePlaces;
  readonly seen: SeenFiles;
}

const input = z.strictObject({
  path: z.string().min(1).max(4096).describe('In the work folder, or absolute'),
  content: z.string().refine((text) => Buffer.byteLength(text) <= MAX_BYTES, 'over 2 MB; write less'),
});
type Input = z.infer<typeof input>;

/** Writes a whole file. */
export function createWriteFile(deps: WriteFileDeps): Tool<Input> {
  return {
    name: 'write_file',
    description: 'Writes a whole text file; folders are made as needed. An existing file must have been read first.',
    input,
    effects: 'write',
    paths: ({ path }) => [{ path: lexicalPath(path, deps.places), use: 'write' }],
    change: ({ path }) => changeOf(lexicalPath(path, deps.places), deps.places),
    run: (order, use) => writeFile(order, use, deps),
  };
}

/** Files that tell later conversations what to do. Pure. */
function changeOf(path: string, { home, workspace }: FilePlaces): Change | undefined {
  if (['SOUL.md', 'AGENTS.md'].includes(basename(path))) return 'project';
  return isBelow(path, [join(home, 'skills'), join(workspace, 'skills')]) ? 'skill' : undefined;
}

async function writeFile(order: Input, use: ToolUse, deps: WriteFileDeps): Promise<ToolResult> {
  let real = lexicalPath(order.path, deps.places);
  try {
    real = await realTarget(order.path, deps.places);
    return { text: await replace(order, real, use, deps), isError: false };
  } catch (error) {
    return fileError(error, order.path, real);
  }
}

interface Present {
  readonly stats: Stats;
  readonly bytes: Buffer;
}

async function replace(
  { path, content }: Input,
  real: string,
  use: ToolUse,
  { places, seen }: WriteFileDeps,
): Promise<string> {
  const { session } = use.run;
  const before = await present(real, path, places);
  if (before) refuseUnseen(path, sha256(before.bytes), seen.knows(session, real));
  const bytes = inStyleOf(before?.bytes, content.toWellFormed());
  await writeAtomically(real, bytes, before && before.stats.mode & 0o7777, () =>
    refuseChanged(path, real, before?.stats),
  );
  seen.note(session, real, sha256(bytes));
  const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
  return `${before ? 'Wrote' : 'Created'} ${path}: ${lines} line${lines === 1 ? '' : 's'}, ${sizeText(bytes.length)}.`;
}

/** What is there now; undefined: nothing. */
async function present(real: string, path: string, places: FilePlaces): Promise<Present | undefined> {
  try {
    const { handle, stats } = await openRegular(real, places);
    try {
      if (stats.size > 64 * 1024 * 1024)
        throw refusal(`Not written: ${path} has ${sizeText(stats.size)}; that is too large to replace.`);
      return { stats, bytes: await handle.readFile() };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function refuseUnseen(path: string, hash: string, known: string | undefined): void {
  if (known === undefined) throw refusal(`Not written: ${path} exists; read it before you replace it.`);
  if (known !== hash) throw refusal(`Not written: ${path}: it changed since you read it; read it again.`);
}

/** The file is still the one that was compared. */
async function refuseChanged(path: string, real: string, before: Stats | undefined): Promise<void> {
  const now = await lstat(real).catch(() => undefined);
  const same = now?.ino === before?.ino && now?.mtimeMs === before?.mtimeMs && now?.size === before?.size;
  if (!same) throw refusal(`Not written: ${path}: it changed since you read it; read it again.`);
}

/** Line ends and byte order mark of the file that is replaced survive. */
function inStyleOf(before: Buffer | undefined, content: string): Buffer {
  const old = before?.toString() ?? '';
  const crlf = old.includes('\r\n') && !/(^|[^\r])\n/.test(old) && !content.includes('\r\n');
  const text = crlf ? content.replaceAll('\n', '\r\n') : content;
  const mark = old.startsWith('\ufeff') && !text.startsWith('\ufeff') ? '\ufeff' : '';
  return Buffer.from(mark + text);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
