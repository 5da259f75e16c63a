import { open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** There was more than was allowed. */
export class OverCap extends Error {}

/** Opens what is to be saved; not called when there is no file to save it in. */
export type Source = (signal: AbortSignal) => Promise<Readable>;

/** Writes what `source` gives to the new file `path` and counts its bytes; leaves no half of it. Rejects with OverCap above `most`. */
export async function saveStream(source: Source, path: string, most: number, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const capped = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > most) throw new OverCap();
      yield chunk;
    }
  };
  const file = await open(path, 'wx');
  try {
    await pipeline(await source(signal), capped, file.createWriteStream(), { signal });
    return bytes;
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
}
