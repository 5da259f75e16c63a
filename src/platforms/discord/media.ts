import { Readable } from 'node:stream';
import type { Clock } from '../../contract/clock.ts';
import { SendError } from '../../contract/errors.ts';
import type { Attachment } from '../../contract/message.ts';
import { deadline } from '../wire/deadline.ts';
import { neverConnected } from '../wire/network-errors.ts';
import { OverCap, saveStream } from '../wire/save-stream.ts';
import { DiscordError } from './failure.ts';
import type { RawAttachment, RawMessage } from './payloads.ts';
import { isId } from './place.ts';
import type { RestClient } from './rest-client.ts';

const OWN_HOSTS = ['cdn.discordapp.com', 'media.discordapp.net'];
const MB = 1024 * 1024;
const DOWNLOAD_MS = 60_000;
/** A long paste is fetched while its channel waits. */
const TEXT_MS = 5_000;
const TEXT_BYTES = 100 * 1024;

export interface MediaDeps {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly maxMb: number;
  /** Null: Discord's own, over https. */
  readonly hosts: readonly string[] | null;
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** What people attach. The URLs are signed and expire within a day; the message, read again, has a fresh one. */
export class Media {
  readonly #deps: MediaDeps;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
  }

  /** Writes an attachment to the new file `path` and gives its bytes; leaves no half of it. Rejects with SendError only. */
  async save(attachment: Attachment, path: string, signal: AbortSignal): Promise<number> {
    const most = this.#deps.maxMb * MB;
    if ((attachment.size ?? 0) > most) throw this.#tooLarge(attachment);
    const limit = deadline(this.#deps.clock, DOWNLOAD_MS, signal);
    try {
      const source = async (within: AbortSignal) =>
        this.#download(await this.#freshUrl(attachment.ref, within), within);
      return await saveStream(source, path, most, limit.signal);
    } catch (error) {
      throw this.#failed(error, attachment);
    } finally {
      limit.clear();
    }
  }

  /** The words of a paste that came as a file; undefined: it stays a file. Never rejects. */
  async text(raw: RawMessage, file: RawAttachment, signal: AbortSignal): Promise<string | undefined> {
    const limit = deadline(this.#deps.clock, TEXT_MS, signal);
    try {
      return await joined(await this.#renewed(raw, file, limit.signal));
    } catch {
      return undefined;
    } finally {
      limit.clear();
    }
  }

  async #renewed(raw: RawMessage, file: RawAttachment, signal: AbortSignal): Promise<Readable> {
    try {
      return await this.#download(file.url ?? '', signal);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return this.#download(await this.#freshUrl(`${raw.channel_id}/${raw.id}/${file.id}`, signal), signal);
    }
  }

  async #freshUrl(ref: string, signal: AbortSignal): Promise<string> {
    const [channel = '', message = '', id] = ref.split('/');
    if (!isId(channel) || !isId(message)) throw new Refused(404);
    const raw = await this.#deps.rest.call<RawMessage>({
      method: 'get',
      route: `/channels/${channel}/messages/${message}`,
      signal,
    });
    const files = [...(raw.attachments ?? []), ...(raw.message_snapshots?.[0]?.message?.attachments ?? [])];
    const url = files.find((file) => file.id === id)?.url;
    if (url === undefined) throw new Refused(404);
    return url;
  }

  async #download(address: string, signal: AbortSignal): Promise<Readable> {
    if (!this.#isTrusted(address)) throw new Refused(403);
    const response = await fetch(address, { signal, redirect: 'error' });
    if (response.ok && response.body) return Readable.fromWeb(response.body);
    await response.body?.cancel();
    throw new Refused(response.status);
  }

  #isTrusted(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { protocol, host } = new URL(address);
    const { hosts } = this.#deps;
    return hosts === null ? protocol === 'https:' && OWN_HOSTS.includes(host) : hosts.includes(host);
  }

  /** A signed URL is as good as the file, so nothing of an error but its kind goes on. */
  #failed(error: unknown, attachment: Attachment): SendError {
    if (error instanceof OverCap) return this.#tooLarge(attachment);
    const status = error instanceof Refused || error instanceof DiscordError ? error.status : 0;
    if (status === 404 || status === 403)
      return new SendError({ kind: 'missing' }, `${attachment.name} is not at Discord any more; send it again.`);
    if (error instanceof DiscordError) return error;
    const kind = error instanceof Refused || neverConnected(error) ? 'unreached' : 'ambiguous';
    return new SendError({ kind }, `${attachment.name} could not be fetched from Discord; it can be tried again.`);
  }

  #tooLarge({ name, size }: Attachment): SendError {
    const { maxMb } = this.#deps;
    const large = size === undefined || size <= maxMb * MB ? 'too large' : `${Math.ceil(size / MB)} MB`;
    return new SendError({ kind: 'size' }, `${name} is ${large}; I can fetch up to ${maxMb} MB. Send a smaller file.`);
  }
}

async function joined(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > TEXT_BYTES) throw new OverCap();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
