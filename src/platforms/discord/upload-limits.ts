import { MAX_UPLOAD_BYTES } from './limits.ts';

const MAX_KNOWN = 1_000;
const DIRECT = 'direct';

/** How many bytes of files a message may carry in each guild, as interactions there have told. */
export class UploadLimits {
  readonly #known = new Map<string, number>();

  learn(guild: string | undefined, bytes: number | undefined): void {
    if (bytes === undefined || !Number.isFinite(bytes)) return;
    if (this.#known.size < MAX_KNOWN) this.#known.set(guild ?? DIRECT, bytes);
  }

  of(guild: string | undefined): number {
    return this.#known.get(guild ?? DIRECT) ?? MAX_UPLOAD_BYTES;
  }
}
