import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../../contract/clock.ts';
import { SendError } from '../../contract/errors.ts';
import type { Attachment } from '../../contract/message.ts';
import { deadline } from '../wire/deadline.ts';
import { neverConnected } from '../wire/network-errors.ts';
import { OverCap, type Source, saveStream } from '../wire/save-stream.ts';
import type { BotClient } from './bot-client.ts';
import type { TelegramConfig } from './config.ts';
import { TelegramError } from './failure.ts';

const MB = 1024 * 1024;
const DOWNLOAD_MS = 60_000;

export interface DownloadDeps {
  readonly client: BotClient;
  readonly config: TelegramConfig;
  readonly clock: Clock;
  readonly token: string;
}

/** Writes an attachment to the new file `path` and gives its bytes; leaves no half of it. Rejects with SendError only. */
export async function download(
  deps: DownloadDeps,
  attachment: Attachment,
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const most = deps.config.maxDownloadMb * MB;
  if ((attachment.size ?? 0) > most) throw tooLarge(attachment, deps.config);
  const source = await sourceOf(deps, attachment, signal);
  const limit = deadline(deps.clock, DOWNLOAD_MS, signal);
  try {
    return await saveStream(source, path, most, limit.signal);
  } catch (error) {
    throw failed(error, attachment, deps.config);
  } finally {
    limit.clear();
  }
}

async function sourceOf(
  { client, config, token }: DownloadDeps,
  attachment: Attachment,
  signal: AbortSignal,
): Promise<Source> {
  const path = await filePath(client, attachment, config, signal);
  if (isAbsolute(path)) return () => openLocal(path, attachment, config.localFilesDir);
  const url = `${config.apiRoot}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return (within) => openRemote(url, within);
}

async function filePath(
  client: BotClient,
  attachment: Attachment,
  config: TelegramConfig,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { file_path } = await client.call('getFile', { file_id: attachment.ref }, { signal, beside: true });
    if (file_path !== undefined) return file_path;
  } catch (error) {
    if (!(error instanceof TelegramError) || error.code !== 400) throw error;
    if (error.failure.kind === 'size') throw tooLarge(attachment, config);
  }
  throw new SendError({ kind: 'missing' }, `${attachment.name} is not at Telegram any more; send it again.`);
}

/** A local Bot API server names a path of its own disk; only what really lies in its folder is read. */
async function openLocal(path: string, attachment: Attachment, folder: string | undefined): Promise<Readable> {
  const refused = new SendError(
    { kind: 'gone' },
    `${attachment.name} lies outside telegram.local_files_dir; set that to the server's folder.`,
  );
  if (folder === undefined) throw refused;
  const [real, root] = await Promise.all([realpath(path), realpath(folder)]);
  if (!resolve(real).startsWith(root + sep)) throw refused;
  return createReadStream(real);
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

async function openRemote(url: string, signal: AbortSignal): Promise<Readable> {
  const response = await fetch(url, { signal });
  if (response.ok && response.body) return Readable.fromWeb(response.body);
  await response.body?.cancel();
  throw new Refused(response.status);
}

/** The URL of a file holds the token, so nothing of an error but its kind goes on. */
function failed(error: unknown, attachment: Attachment, config: TelegramConfig): SendError {
  if (error instanceof SendError) return error;
  if (error instanceof OverCap) return tooLarge(attachment, config);
  const gone = error instanceof Refused && error.status === 404;
  const kind = gone ? 'missing' : error instanceof Refused || neverConnected(error) ? 'unreached' : 'ambiguous';
  return new SendError({ kind }, `${attachment.name} could not be fetched from Telegram; it can be tried again.`);
}

function tooLarge({ name, size }: Attachment, { maxDownloadMb }: TelegramConfig): SendError {
  const large = size === undefined || size <= maxDownloadMb * MB ? 'too large' : `${Math.ceil(size / MB)} MB`;
  return new SendError(
    { kind: 'size' },
    `${name} is ${large}; I can fetch up to ${maxDownloadMb} MB. Send a smaller file.`,
  );
}
