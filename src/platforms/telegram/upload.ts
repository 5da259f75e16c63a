import { stat } from 'node:fs/promises';
import { InputFile } from 'grammy';
import { SendError } from '../../contract/errors.ts';
import type { OutboundFile } from '../../contract/message.ts';
import { cleanName } from '../wire/file-name.ts';
import { MAX_PHOTO_BYTES, MAX_UPLOAD_BYTES } from './limits.ts';
import { isPicture } from './parts.ts';

const MB = 1024 * 1024;

export interface Upload {
  readonly input: InputFile;
  readonly kind: 'photo' | 'document';
  readonly bytes: number;
}

/** Files ready to send, all of one kind; rejects with SendError `size` for one that is too large, empty or gone. */
export async function uploadsOf(files: readonly OutboundFile[]): Promise<readonly Upload[]> {
  const sized = await Promise.all(files.map(async (file) => ({ file, bytes: await sizeOf(file) })));
  const photos = sized.every(({ file, bytes }) => isPicture(file) && bytes <= MAX_PHOTO_BYTES);
  const kind = photos ? 'photo' : 'document';
  return sized.map(({ file, bytes }) => ({ input: inputOf(file), kind, bytes }));
}

function inputOf(file: OutboundFile): InputFile {
  const name = cleanName(file.name);
  return 'path' in file ? new InputFile(file.path, name) : new InputFile(Buffer.from(file.text, 'utf8'), name);
}

async function sizeOf(file: OutboundFile): Promise<number> {
  const bytes = 'path' in file ? await fileSize(file.name, file.path) : Buffer.byteLength(file.text, 'utf8');
  if (bytes === 0) throw new SendError({ kind: 'size' }, `${file.name} is empty; Telegram takes no empty files.`);
  if (bytes <= MAX_UPLOAD_BYTES) return bytes;
  throw new SendError(
    { kind: 'size' },
    `${file.name} is ${Math.ceil(bytes / MB)} MB; bots may send 50 MB. It stays in the workspace.`,
  );
}

async function fileSize(name: string, path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    throw new SendError({ kind: 'size' }, `${name} cannot be read any more; it was not sent.`);
  }
}
