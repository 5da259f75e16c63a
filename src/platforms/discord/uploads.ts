import { readFile, stat } from 'node:fs/promises';
import type { RawFile } from 'discord.js';
import { SendError } from '../../contract/errors.ts';
import type { OutboundFile } from '../../contract/message.ts';
import { cleanName } from '../wire/file-name.ts';

const MB = 1024 * 1024;
const UPLOAD_MS = 60_000;
const MS_PER_256_KB = 1_000;

/** How a call carries files. */
export interface Uploads {
  readonly files: RawFile[];
  readonly timeoutMs: number;
}

/** With time for a slow line. */
export function patiently(files: RawFile[]): Uploads {
  const bytes = files.reduce((sum, { data }) => sum + (data instanceof Uint8Array ? data.length : 0), 0);
  return { files, timeoutMs: UPLOAD_MS + Math.ceil(bytes / (256 * 1024)) * MS_PER_256_KB };
}

/** Files that are too large together, for a text that can go without them. */
export class TooLarge extends SendError {
  readonly note: string;

  constructor(names: string, bytes: number | undefined, most: number, rest: string) {
    const size = bytes === undefined ? '' : ` (${megabytes(bytes)} of ${megabytes(most)})`;
    super({ kind: 'size' }, `${names} is too large for this server${size}. It stays in the workspace.`);
    this.note = `The file is too large for this server${size}; ${rest}`;
  }
}

/** Bytes to send with a message; rejects with TooLarge above `most`, and with SendError for a file that is empty or gone. */
export async function uploadsOf(files: readonly OutboundFile[], most: number): Promise<RawFile[]> {
  const sizes = await Promise.all(files.map(sizeOf));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > most) throw tooLarge(files, bytes, most);
  return Promise.all(files.map(async (file) => ({ name: cleanName(file.name), data: await bytesOf(file) })));
}

export function tooLarge(files: readonly OutboundFile[], bytes: number | undefined, most: number): TooLarge {
  return new TooLarge(files.map(({ name }) => name).join(', '), bytes, most, 'here is the text.');
}

/** `14 MB`; a little more than a limit never looks like the limit. */
function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MB)} MB`;
}

async function bytesOf(file: OutboundFile): Promise<Buffer> {
  return 'path' in file ? readFile(file.path) : Buffer.from(file.text, 'utf8');
}

async function sizeOf(file: OutboundFile): Promise<number> {
  const bytes = 'path' in file ? await fileSize(file.name, file.path) : Buffer.byteLength(file.text, 'utf8');
  if (bytes === 0) throw new SendError({ kind: 'size' }, `${file.name} is empty; Discord takes no empty files.`);
  return bytes;
}

async function fileSize(name: string, path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    throw new SendError({ kind: 'size' }, `${name} cannot be read any more; it was not sent.`);
  }
}
